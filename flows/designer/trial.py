"""The tab where a definition is tried on an invented instance, step by step, forwards and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows import api
from flows.designer import trying, values
from flows.designer.shown import Shown, rule_title, shown
from flows.designer.tabs import flow_page
from flows.designer.trying import REPAIR, BadPath, Played, Step
from flows.designer.values import BadValue
from flows.errors import WedError
from flows.queries import trace
from flows.queries.base import snapshot
from flows.queries.instances import instance
from flows.queries.results import usual_result
from flows.types import Part, Situation
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

    @property
    def state(self) -> dict[str, Any]:
        """Return the present state, before the start the proposed one."""
        return self.played.last.state if self.played.last else self.first


@require_http_methods(["GET", "HEAD", "POST"])
@page
def trial(request: HttpRequest, flow_id: int) -> HttpResponse:
    """Return the page of a trial; a POST adds a step to the path that it carries, or shortens it."""
    with snapshot():
        context = flow_page(request, flow_id, "try")
        found = shown(context["flow"].name)
        first = _first_state(request, found.definition)
    context |= _shown(found, _act(request, context["flow"], found, first))
    return render(request, "admin/flows/designer/try.html", context)


def _act(request: HttpRequest, flow: Any, found: Shown, first: dict[str, Any]) -> Trial:
    """Perform what the button asks for."""
    try:
        steps = trying.read_path(request.POST.get("path", ""))
    except BadPath as bad:
        return Trial(Played((), ()), first=first, error=str(bad))
    kind, _colon, argument = request.POST.get("do", "").partition(":")
    place = number(argument)
    if kind == "rewind":
        steps = steps[: max(place or 0, 0)]
    now = Trial(_play(flow, found, steps), first=first)
    if kind == "usual":
        return _usual(now, flow, found.definition, place)
    step = _step(kind, place or 0)
    if step is None or now.played.error:
        return now
    return _next(now, flow, found, step, request.POST)


def _step(kind: str, place: int) -> Step | None:
    """Return the step that a button adds."""
    match kind:
        case "repair":
            return Step("complete", REPAIR)
        case "start" | "complete" | "due":
            return Step(kind, place)
    return None


def _play(flow: Any, found: Shown, steps: list[Step]) -> Played:
    try:
        return trying.play(flow.name, found.definition, steps)
    except KeyError as error:  # a half-typed definition
        return Played((), (), WedError(_("The definition lacks “%(option)s”.") % {"option": error.args[0]}))


def _next(now: Trial, flow: Any, found: Shown, step: Step, typed: Mapping[str, str]) -> Trial:
    """Add one step; if it is refused, keep what was typed."""
    given = {key: typed[key] for key in typed if key.startswith("value-")}
    try:
        changed = values.changes(found.definition, now.state, given)
    except BadValue:
        return Trial(now.played, given, now.first, _("Correct what is marked below."))
    if step.kind == "start":
        changed = {**now.first, **changed}
    played = _play(
        flow, found, [*now.played.steps, Step(step.kind, step.rule, None if step.kind == "due" else changed)]
    )
    return Trial(played, given if played.error else {}, now.first)


def _usual(now: Trial, flow: Any, definition: Mapping[str, Any], place: int | None) -> Trial:
    """Type the values into the form that results of this rule had most often."""
    triggers = definition["triggers"]
    tgid = triggers[place].get("id") if place is not None and place < len(triggers) else None
    written = usual_result(flow.id, tgid) if isinstance(tgid, int) else None
    if written is None:
        return Trial(now.played, first=now.first, error=_("No result of this rule is in the history yet."))
    typed = {
        each.field: values.as_text(written[each.name])
        for each in values.fields(definition, {})
        if each.name in written
    }
    return Trial(now.played, typed, now.first)


def _first_state(request: HttpRequest, definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return the proposed first state: that of a step of an instance, or the defaults."""
    wid, seq = number(request.GET.get("wid")), number(request.GET.get("seq"))
    names = [str(attribute.get("name")) for attribute in definition["attributes"]]
    if wid is not None:
        found = instance(wid)
        rows = trace.raw(wid, found.started_at, (seq or 1) - 1, 1) if found else []
        if rows:
            return {name: rows[0]["state"].get(name) for name in names}
    return {str(a.get("name")): a.get("default") for a in definition["attributes"]}


def _shown(found: Shown, tried: Trial) -> dict[str, Any]:
    error = tried.played.error
    return {
        "shown": found,
        "path": trying.write_path(tried.played.steps),
        "steps": _steps(found.definition, tried.played),
        "fields": values.fields(found.definition, tried.state, tried.typed),
        "now": tried.played.last,
        "rules": _rules(found.definition, tried.played.last),
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
                "status": after.status,
            }
        )
        before = after.state
    return lines


def _step_title(definition: Mapping[str, Any], step: Step) -> str:
    if step.kind == "start":
        return _("Start")
    if step.rule == REPAIR:
        return _("Repair")
    title = rule_title(definition["triggers"][step.rule])
    return _("%(rule)s: the time has come") % {"rule": title} if step.kind == "due" else title


def _rules(definition: Mapping[str, Any], now: Situation | None) -> list[dict[str, Any]]:
    """Return one line per rule: whether its condition holds, what keeps it from it, what can be done."""
    if now is None:
        return []
    lines = []
    for place, trigger in enumerate(definition["triggers"]):
        held = now.held[place]
        lines.append(
            {
                "place": place,
                "title": rule_title(trigger) or _("Final"),
                "predicate": trigger.get("predicate", ""),
                "final": bool(trigger.get("final")),
                "held": held,
                "pending": place in now.pending and place not in now.parked,
                "waiting": now.waiting.get(place),
                "failed": now.errors.get(place, ""),
                "usual": isinstance(trigger.get("id"), int),
                "obstacles": _obstacles(definition, trigger, now)
                if held != "t" and place < MOST_EXPLAINED
                else [],
            }
        )
    return lines


def _obstacles(definition: Mapping[str, Any], trigger: Mapping[str, Any], now: Situation) -> list[str]:
    with trying.limited():
        explained = api.explain(definition, str(trigger.get("predicate", "")), now.state)
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
