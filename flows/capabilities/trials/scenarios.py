"""Scenarios of a flow: save, list, read, delete, and run them on a definition that need not be published."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from flows.capabilities.trials.api import situation_of
from flows.definition import AnyDefinition, stand_ins
from flows.definition import scenarios as scenario_rules
from flows.definition.scenarios import Deviation, NoSuchRule, Outcome, Scenario, Step
from flows.definition.shape import shaped
from flows.errors import WedError
from flows.statements import JSON, designed, read_as, rows, typed_error, value
from flows.types import Situation


def save_scenario(scenario: Scenario, *, actor: str = "", conn: Any = None) -> Scenario:
    """Save a scenario that was made from its `revision`; 0 is a new one.

    Raises StaleScenario where another was saved under this name, UnknownScenario, BadScenario, ScenarioLimit,
    BadName.
    """
    content = {
        "story": scenario.story,
        "attributes": scenario.attributes,
        "steps": [_written(step) for step in scenario.steps],
    }
    call = "select wedsql.save_scenario(%s, %s, %s, %s, %s)"
    params = (scenario.flow, scenario.name, scenario.revision, JSON(content), actor)
    return _read(value(conn, call, params))


def read_scenario(flow: str, name: str, *, conn: Any = None) -> Scenario:
    """Return a scenario. Raises UnknownScenario."""
    return _read(value(conn, "select wedsql.read_scenario(%s, %s)", (flow, name)))


def list_scenarios(flow: str, *, conn: Any = None) -> list[Scenario]:
    """Return the scenarios of a flow, by their names. Raises UnknownFlow where nothing has this name."""
    found = [_read(each) for (each,) in rows(conn, "select wedsql.list_scenarios(%s)", (flow,))]
    return designed(flow, found, conn)


def delete_scenario(flow: str, name: str, revision: int, *, conn: Any = None) -> None:
    """Delete a scenario. Raises UnknownScenario, StaleScenario."""
    value(conn, "select wedsql.delete_scenario(%s, %s, %s)", (flow, name, revision))


def run_scenario(definition: AnyDefinition, scenario: Scenario, *, conn: Any = None) -> Outcome:
    """Try the path of a scenario, up to the first step that is not as expected; nothing is stored.

    Raises PredicateRefused, PredicateType, BadDefinition where no path of the definition can be tried.
    """
    given = shaped(definition)
    steps, missing = scenario_path(given, scenario, conn=conn)
    situations, error = try_path(definition, steps, flow=scenario.flow, conn=conn)
    for n, after in enumerate(situations):
        found = scenario_rules.deviation(given, scenario, n, after)
        if found is not None:
            return Outcome(scenario, situations[: n + 1], found)
    reason = error.sentence if error else missing
    return Outcome(scenario, situations, Deviation(len(situations), reason) if reason else None)


def run_scenarios(
    definition: AnyDefinition,
    scenarios: Iterable[Scenario],
    *,
    seconds: float | None = None,
    conn: Any = None,
) -> Iterator[Outcome | None]:
    """Run scenarios one after another; after `seconds` the others are None: they were not run."""
    end = None if seconds is None else time.monotonic() + seconds
    for scenario in scenarios:
        late = end is not None and time.monotonic() > end
        yield None if late else run_scenario(definition, scenario, conn=conn)


def try_path(
    definition: AnyDefinition, path: Sequence[Mapping[str, Any]], *, flow: str = "", conn: Any = None
) -> tuple[list[Situation], WedError | None]:
    """Try several steps; return the situations after them, and the error of the one that was rejected.

    A step has "changes" and, except for the start, the place of a rule as "trigger" (complete it) or "timer"
    (let its time come). Raises PredicateRefused, PredicateType, BadDefinition.
    """
    found = value(conn, "select wedsql.try_path(%s, %s, %s)", (flow, JSON(definition), JSON(path)))
    error = found.pop()["error"] if found and "error" in found[-1] else None
    return [situation_of(one) for one in found], typed_error(**error) if error else None


def scenario_path(
    definition: Mapping[str, Any], scenario: Scenario, *, conn: Any = None
) -> tuple[list[dict[str, Any]], str]:
    """Return the steps that can be tried, and why the one after them cannot.

    A simulated step gets the first result of its stand-in on the state that the steps before it reach.
    """
    shaped(definition)
    steps: list[dict[str, Any]] = []
    try:
        for step in scenario_rules.path(definition, scenario):
            if step.pop("simulate", False):
                situations, error = try_path(definition, steps, flow=scenario.flow, conn=conn)
                if error or not situations:
                    break
                transition = definition["triggers"][step["trigger"]].get("transition") or ""
                step["changes"] = stand_ins.results(scenario.flow, transition, situations[-1].state)[0]
            steps.append(step)
    except (NoSuchRule, stand_ins.StandInFailed) as missing:
        return steps, str(missing)
    return steps, ""


def _written(step: Step) -> dict[str, Any]:
    named = {} if step.rule is None else {"rule": step.rule}
    changes = {} if step.do in ("due", "simulate") else {"changes": step.changes}
    return {"do": step.do, "expected": step.expected} | named | changes


def _read(found: dict[str, Any]) -> Scenario:
    content = found.pop("content")
    steps = [Step(**step) for step in content.pop("steps")]
    kept = {name: found[name] for name in ("flow", "name", "revision", "changed_at", "changed_by")}
    return read_as(Scenario, kept | content | {"steps": steps})
