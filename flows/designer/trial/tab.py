"""The tab where a definition is tried on an invented instance, step by step, forwards and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_http_methods

from flows import api
from flows.definition.scenarios import Scenario
from flows.designer.draft.content import Design, design_of
from flows.designer.draft.current import Shown, proposed_definition
from flows.designer.draft.tabs import design_page
from flows.designer.trial import path as trying
from flows.designer.trial import results as known
from flows.designer.trial import scenarios, tree, values
from flows.designer.trial.path import REPAIR, BadPath, Played, Step
from flows.designer.trial.values import BadValue
from flows.errors import Refused
from flows.labels import rule_title
from flows.queries.base import snapshot
from flows.queries.history import trace
from flows.queries.instances import instance
from flows.queries.results import usual_result
from flows.types import AutomaticStep, Part, Situation
from pages.guard import page
from pages.urlparams import number

# Each explanation is a query; more rules show only whether their conditions hold.
MOST_EXPLAINED = 40


@dataclass
class Trial:
    """What the page shows: the path so far, what was typed, and why the last action was not done."""

    played: Played
    typed: dict[str, str] = field(default_factory=dict)
    first: dict[str, Any] = field(default_factory=dict)
    error: str = ""
    saved: Scenario | None = None

    @property
    def state(self) -> dict[str, Any]:
        """Return the present state, before the start the proposed one."""
        return self.played.last.state if self.played.last else self.first


@require_http_methods(["GET", "HEAD", "POST"])
@page
def trial(request: HttpRequest, flow_id: int | None = None, name: str | None = None) -> HttpResponse:
    """Return the page of a trial; a POST adds a step to the path that it carries, or shortens it.

    What is tried is the draft, or the published definition if there is none or `version` names it.
    """
    with snapshot():
        design = design_of(request, flow_id, name)
        context = design_page(request, design, "try")
        version = number(request.POST.get("version") or request.GET.get("version"))
        found = proposed_definition(design.name, version)
        first = _first_state(request, design.name, found.definition)
    kind = request.POST.get("do", "")
    if kind in ("save", "delete") and not context["editable"]:
        raise Http404
    if kind == "delete":
        return _delete(request, design)
    scenario = scenarios.opened(request, design.name)
    now = _act(request, design, found, first, scenario)
    if kind == "tree" and now.played.last:
        context |= {"tree": tree.grow(design, found.definition, now.played.last)}
    context |= _shown(design, found, now) | {
        "scenario": scenarios.continued(request, now.saved or scenario),
        "saved": now.saved,
        "version": version,
    }
    return render(request, "admin/flows/designer/try.html", context)


def _delete(request: HttpRequest, design: Design) -> HttpResponse:
    try:
        scenarios.delete(request, design.name)
        messages.success(request, _("The scenario is deleted."))
    except Refused as error:
        messages.error(request, error.sentence)
    return HttpResponseRedirect(design.address("try"))


def _act(
    request: HttpRequest, design: Design, found: Shown, first: dict[str, Any], scenario: Scenario | None
) -> Trial:
    """Perform what the button asks for."""
    try:
        steps = trying.read_path(request.POST.get("path", ""))
    except BadPath as bad:
        return Trial(Played((), ()), first=first, error=str(bad))
    if request.method != "POST" and scenario is not None:
        steps, missing = scenarios.as_path(found.definition, scenario)
        if steps:
            first = first | (steps[0].changes or {})  # what is shown if the start is refused
        return Trial(_play(design, found, steps), first=first, error=missing)
    kind, _colon, argument = request.POST.get("do", "").partition(":")
    place_, _colon, given = argument.partition(":")
    place = number(place_)
    if kind == "rewind":
        steps = steps[: max(place or 0, 0)]
    if kind == "go" or given:
        more = argument if kind == "go" else f"[[{json.dumps(kind)},{place_},{given}]]"
        return _go_on(design, found, first, steps, more)
    now = Trial(_play(design, found, steps), first=first)
    if kind == "save":
        return _save(request, design, found, now)
    if kind == "usual":
        return _usual(now, design, found.definition, place)
    step = _step(kind, place or 0)
    return _next(now, design, found, step, request.POST)


def _go_on(design: Design, found: Shown, first: dict[str, Any], steps: list[Step], text: str) -> Trial:
    """Append the steps that a button carries: a stand-in's result, or the way to a state of the tree."""
    try:
        steps = trying.read_path(trying.joined(steps, text))
    except BadPath as bad:
        return Trial(_play(design, found, steps), first=first, error=str(bad))
    return Trial(_play(design, found, steps), first=first)


def _save(request: HttpRequest, design: Design, found: Shown, now: Trial) -> Trial:
    """Save the path so far as a scenario."""
    try:
        saved = scenarios.save(request, design.name, found.definition, now.played)
    except Refused as error:
        return Trial(now.played, first=now.first, error=error.sentence)
    return Trial(now.played, first=now.first, saved=saved)


def _step(kind: str, place: int) -> Step | None:
    """Return the step that a button adds."""
    match kind:
        case "repair":
            return Step("complete", REPAIR)
        case "start" | "complete" | "due":
            return Step(kind, place)
    return None


def _play(design: Design, found: Shown, steps: list[Step]) -> Played:
    return trying.play(design.name, found.definition, steps)


def _next(now: Trial, design: Design, found: Shown, step: Step | None, typed: Mapping[str, str]) -> Trial:
    """Add one step; if it is refused, keep what was typed."""
    if step is None or now.played.error:
        return now
    given = values.posted(typed)
    try:
        changed = values.changes(found.definition, now.state, given)
    except BadValue:
        return Trial(now.played, given, now.first, _("Correct what is marked below."))
    if step.kind == "start":
        changed = {**now.first, **changed}
    played = _play(
        design,
        found,
        [*now.played.steps, Step(step.kind, step.rule, None if step.kind == "due" else changed)],
    )
    return Trial(played, given if played.error else {}, now.first)


def _usual(now: Trial, design: Design, definition: Mapping[str, Any], place: int | None) -> Trial:
    """Type the values into the form that results of this rule had most often."""
    triggers = definition["triggers"]
    tgid = triggers[place].get("id") if place is not None and 0 <= place < len(triggers) else None
    written = usual_result(design.flow.id, tgid) if design.flow and isinstance(tgid, int) else None
    if written is None:
        return Trial(now.played, first=now.first, error=_("No result of this rule is in the history yet."))
    typed = {
        each.field: values.as_text(written[each.name], each.type)
        for each in values.fields(definition, {})
        if each.name in written
    }
    return Trial(now.played, typed, now.first)


def _first_state(request: HttpRequest, flow: str, definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return the proposed first state: that of a step of an instance of this flow, or the defaults."""
    wid, seq = number(request.GET.get("wid")), number(request.GET.get("seq"))
    names = [str(attribute.get("name")) for attribute in definition["attributes"]]
    if wid is not None:
        found = instance(wid)
        own = found is not None and found.flow == flow
        rows = trace.raw(wid, found.started_at, (seq or 1) - 1, 1) if found and own else []
        if rows:
            return {name: rows[0]["state"].get(name) for name in names}
    defaults = {str(a.get("name")): a.get("default") for a in definition["attributes"]}
    return defaults | trying.read_state(request.GET.get("state", ""), names)


def _shown(design: Design, found: Shown, tried: Trial) -> dict[str, Any]:
    error = tried.played.error
    return {
        "shown": found,
        "path": trying.write_path(tried.played.steps),
        "steps": _steps(found.definition, tried.played),
        "fields": values.fields(found.definition, tried.state, tried.typed),
        "now": tried.played.last,
        "rules": _rules(design, found.definition, tried.played.last),
        "error": tried.error or (error.sentence if error else ""),
    }


def _steps(definition: Mapping[str, Any], played: Played) -> list[dict[str, Any]]:
    """Return one line per step: what was done, what it changed, what it fired, and the status after it."""
    before: dict[str, Any] = {}
    lines = []
    for n, (step, after) in enumerate(zip(played.steps, played.situations, strict=True)):
        changed = {name: value for name, value in after.state.items() if value != before.get(name)}
        lines.append(
            {
                "n": n,
                "title": _step_title(definition, step),
                "changed": [(name, values.as_text(value)) for name, value in changed.items()],
                "fired": [rule_title(definition["triggers"][place]) for place in after.fired],
                "automatic": [_automatic(definition, one) for one in after.automatic],
                "status": after.status,
            }
        )
        before = after.state
    return lines


def _automatic(definition: Mapping[str, Any], step: AutomaticStep) -> dict[str, Any]:
    """Return the line of a step that the database performed."""
    return {
        "title": rule_title(definition["triggers"][step.trigger]),
        "changed": [(name, values.as_text(value)) for name, value in step.changes.items()],
        "error": step.error,
    }


def _step_title(definition: Mapping[str, Any], step: Step) -> str:
    if step.kind == "start":
        return pgettext("in a picture", "Start")
    if step.rule == REPAIR:
        return _("Repair")
    title = rule_title(definition["triggers"][step.rule])
    return _("%(rule)s: the time has come") % {"rule": title} if step.kind == "due" else title


def _rules(design: Design, definition: Mapping[str, Any], now: Situation | None) -> list[dict[str, Any]]:
    """Return one line per rule: whether its condition holds, what keeps it from it, what can be done."""
    if now is None:
        return []
    lines = []
    answers = known.results(design, definition, now)
    for place, trigger in enumerate(definition["triggers"]):
        held = now.held[place]
        lines.append(
            {
                "place": place,
                "title": rule_title(trigger),
                "predicate": trigger.get("predicate", ""),
                "final": bool(trigger.get("final")),
                "held": held,
                "pending": place in now.pending and place not in now.parked,
                "waiting": now.waiting.get(place),
                "failed": now.errors.get(place, ""),
                "stand_in": answers.get(place),
                "usual": isinstance(trigger.get("id"), int),
                "obstacles": _obstacles(definition, trigger, now)
                if held != "t" and place < MOST_EXPLAINED
                else [],
            }
        )
    return lines


def _obstacles(definition: Mapping[str, Any], trigger: Mapping[str, Any], now: Situation) -> list[str]:
    with trying.limited():
        explained = api.trials.explain(definition, str(trigger.get("predicate", "")), now.state)
    return [_sentence(part) for part in explained.obstacles]


def _sentence(part: Part) -> str:
    """Return why a part of a condition does not help: its text, its value and the values in it."""
    now = ", ".join(
        _("%(name)s is %(value)s") % {"name": name, "value": values.as_text(value) or _("empty (null)")}
        for name, value in part.attributes.items()
    )
    texts = {
        "f": _("“%(text)s” is false: %(now)s"),
        "u": _("“%(text)s” is unknown: %(now)s"),
        "t": _("“%(text)s” is true: %(now)s"),
        "e": _("“%(text)s” fails: %(now)s"),
    }
    return texts[part.value] % {"text": part.text, "now": now}
