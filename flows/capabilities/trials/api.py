"""Try a definition that need not be published on an invented instance; nothing is stored.

Triggers are named by their places in the definition, from 0. The kernel's own functions settle each step.
"""

from __future__ import annotations

import re
from typing import Any

from flows.definition import AnyDefinition
from flows.definition.shape import shaped
from flows.errors import WedError
from flows.statements import JSON, State, rows, value
from flows.types import AutomaticStep, Explanation, Part, Situation
from flows.types.definitions import obstacles

# The name under which the kernel has the definition during a step.
_INTERNAL_NAME = re.compile(r"\bwed_trial_\d+\b")


def try_start(
    definition: AnyDefinition, state: State | None = None, *, flow: str = "", conn: Any = None
) -> Situation:
    """Start an instance. Raises NoMatch, WrongType, UnknownAttribute, ConditionError, PredicateRefused ...

    `flow` is the flow whose definition it will be: conditions that it has already are not parsed again.
    """
    return _step(conn, flow, definition, None, state or {}, None, None)


def try_complete(
    definition: AnyDefinition,
    situation: Situation,
    trigger: int,
    changes: State | None = None,
    *,
    flow: str = "",
    conn: Any = None,
) -> Situation:
    """Complete the job of a trigger; of REPAIR, the exception. Raises FinalPending, WriteSet, NoLock ..."""
    return _step(conn, flow, definition, situation, changes or {}, trigger, None)


def try_due(
    definition: AnyDefinition, situation: Situation, trigger: int, *, flow: str = "", conn: Any = None
) -> Situation:
    """Let the time come for which a trigger waits."""
    return _step(conn, flow, definition, situation, {}, None, trigger)


def explain(definition: AnyDefinition, predicate: str, state: State, *, conn: Any = None) -> Explanation:
    """Return the value of a condition on a state, and which of its parts keep it from being true.

    Raises PredicateRefused, PredicateType.
    """
    found = rows(
        conn,
        'select path, kind, "position", length, reads, value from wedsql.explain_condition(%s, %s, %s)',
        (JSON(definition), predicate, JSON(state)),
    )
    parts = {
        path: Part(
            kind, position, predicate[position - 1 :][:length], truth, {n: state.get(n) for n in reads}
        )
        for path, kind, position, length, reads, truth in found
    }
    return Explanation(parts[""].value, [parts[path] for path, _wanted in obstacles(parts, "", "t")])


def nearest(definition: AnyDefinition, state: State, *, conn: Any = None) -> list[tuple[int, Explanation]]:
    """Return the triggers whose conditions do not hold on a state, those with the fewest obstacles first."""
    explained = [
        (place, explain(definition, trigger["predicate"], state, conn=conn))
        for place, trigger in enumerate(shaped(definition)["triggers"])
    ]
    return sorted(
        ((place, one) for place, one in explained if one.value != "t"),
        key=lambda each: len(each[1].obstacles),
    )


def _step(
    conn: Any,
    flow: str,
    definition: AnyDefinition,
    situation: Situation | None,
    changes: State,
    *event: int | None,
) -> Situation:
    before = None if situation is None else JSON(situation.stored)
    given = (flow, JSON(definition), before, JSON(changes), *event)
    try:
        return situation_of(value(conn, "select wedsql.try_step(%s, %s, %s, %s, %s, %s)", given))
    except WedError as error:
        raise (error.renamed(_INTERNAL_NAME, flow) if flow else error) from error


def situation_of(found: dict[str, Any]) -> Situation:
    """Return the situation that the kernel found after a step."""
    return Situation(
        state=found["state"],
        status=found["status"],
        reason=found["reason"],
        held=found["held"],
        fired=found["fired"],
        pending=[job["trigger"] for job in found["jobs"]],
        parked=[job["trigger"] for job in found["jobs"] if job["parked"]],
        waiting={timer["trigger"]: timer["due_at"] for timer in found["timers"]},
        withdrawn=found["withdrawn"],
        errors={error["trigger"]: error["message"] for error in found["errors"]},
        stored=found,
        automatic=[
            AutomaticStep(
                step["trigger"], step.get("changes", {}), step.get("fired", []), step.get("error", "")
            )
            for step in found["automatic"]
        ],
    )
