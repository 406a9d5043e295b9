"""Scenarios on the pages: the list with what each does on a definition, and a trial saved as one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flows import api
from flows.definition import scenarios as scenario_rules
from flows.definition.coverage import Coverage
from flows.definition.scenarios import Outcome, Scenario
from flows.designer.draft.content import design_of
from flows.designer.draft.current import Shown, proposed_definition
from flows.designer.draft.tabs import design_page
from flows.designer.trial import path as trying
from flows.designer.trial.path import REPAIR, Played, Step, limited
from flows.errors import Refused, TooSlow, UnknownScenario
from flows.queries.base import snapshot
from pages.guard import page
from pages.urlparams import number

SECONDS = 4.0
LONGEST_STORY = 4_000


@require_safe
@page
def scenarios(request: HttpRequest, flow_id: int | None = None, name: str | None = None) -> HttpResponse:
    """Return the list of a flow's scenarios, each run on the draft, on what runs, or on `?version=`.

    With `?part=`, it is without the page around it: other pages show it in theirs.
    """
    version = number(request.GET.get("version"))
    with snapshot():
        design = design_of(request, flow_id, name)
        context = design_page(request, design, "try")
        tried = proposed_definition(design.name, version)
        found = api.trials.list_scenarios(design.name)
    outcomes, covered, error = _run(design.name, tried, found)
    context |= {
        "tried": tried,
        "version": version,
        "error": error,
        "rows": list(zip(found, outcomes, strict=True)),
        "deviating": sum(one is not None and not one.ok for one in outcomes),
        "not_run": outcomes.count(None),
        "covered": covered,
    }
    template = "parts/scenario_list.html" if "part" in request.GET else "scenarios.html"
    return render(request, f"admin/flows/designer/{template}", context)


def _run(flow: str, tried: Shown, found: list[Scenario]) -> tuple[list[Outcome | None], Coverage | None, str]:
    """Return the result of each scenario, the rules that they exercise, and why none can be run."""
    try:
        with limited():
            outcomes = list(api.trials.run_scenarios(tried.definition, found, seconds=SECONDS))
            return (
                outcomes,
                api.conditions.coverage(tried.definition, outcomes, flow=flow) if found else None,
                "",
            )
    except (Refused, TooSlow) as error:
        return [None] * len(found), None, error.sentence


@dataclass(frozen=True)
class Opened:
    """The scenario that a trial continues: its name, and the revision that was opened."""

    name: str = ""
    revision: int = 0
    story: str = ""


def opened(request: HttpRequest, flow: str) -> Scenario | None:
    """Return the scenario that the address or the form of the trial names."""
    name = request.POST.get("scenario") or request.GET.get("scenario") or ""
    if not name or "\0" in name:
        return None
    try:
        with limited():
            return api.trials.read_scenario(flow, name)
    except UnknownScenario:
        return None


def continued(request: HttpRequest, scenario: Scenario | None) -> Opened:
    """Return which scenario the trial continues; the revision is the one that was opened, not the newest."""
    if scenario is None:
        return Opened()
    sent = None if request.POST.get("do") == "save" else number(request.POST.get("scenario_revision"))
    return Opened(scenario.name, scenario.revision if sent is None else sent, scenario.story)


def as_path(definition: Mapping[str, Any], scenario: Scenario) -> tuple[list[Step], str]:
    """Return the steps of a scenario as those of a trial, and why the one after them cannot be one."""
    steps: list[Step] = []
    try:
        with limited():
            path, missing = api.trials.scenario_path(definition, scenario)
    except (Refused, TooSlow) as error:
        return steps, error.sentence
    for done, tried in zip(scenario.steps, path, strict=False):
        kind: trying.Kind = done.do if done.do in ("start", "due") else "complete"
        place = tried.get("trigger", tried.get("timer", 0))
        steps.append(Step(kind, place, None if kind == "due" else tried["changes"]))
    return steps, missing


def save(request: HttpRequest, flow: str, definition: Mapping[str, Any], played: Played) -> Scenario:
    """Save what happened in a trial as a scenario. Raises WedError."""
    if not played.situations:
        raise Refused(_("Start an instance first; what happens then is saved."))
    name = request.POST.get("name", "").strip()
    before = request.POST.get("scenario") == name
    scenario = Scenario(
        flow,
        name,
        list(_steps(definition, played)),
        request.POST.get("story", "").strip()[:LONGEST_STORY],
        scenario_rules.attribute_numbers(definition),
        (number(request.POST.get("scenario_revision")) or 0) if before else 0,
    )
    with limited():
        return api.trials.save_scenario(scenario, actor=request.user.get_username())


def _steps(definition: Mapping[str, Any], played: Played) -> Iterator[scenario_rules.Step]:
    """Return the steps of a trial with what happened as what is expected."""
    before = None
    for step, after in zip(played.steps, played.situations, strict=True):
        expected = scenario_rules.observed(definition, before, after)
        made = scenario_rules.Step("start", None, step.changes or {}, expected)
        if step.kind != "start" and step.rule == REPAIR:
            made = replace(made, do="repair")
        elif step.kind != "start":
            made = replace(
                made, do=step.kind, rule=scenario_rules.rule_name(definition["triggers"][step.rule])
            )
        yield made
        before = after


def delete(request: HttpRequest, flow: str) -> None:
    """Delete the scenario that the button names. Raises WedError."""
    with limited():
        api.trials.delete_scenario(
            flow, request.POST.get("scenario", ""), number(request.POST.get("scenario_revision")) or 0
        )
