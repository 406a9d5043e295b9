"""Replays finished instances of the history on a definition that need not be published."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from flows.capabilities.drafts.api import running_definition
from flows.capabilities.trials.scenarios import run_scenario
from flows.definition import AnyDefinition
from flows.definition.scenarios import Deviation, Scenario, Step, attribute_numbers
from flows.statements import rows

LONGEST = 100
_FINISHED = """
    select i.wid, i.started_at from wedsql.instance i join wedsql.flow f on f.id = i.flow_id
    where f.name = %s and i.finished_at is not null and i.status = 'F' order by i.finished_at desc limit %s"""
# The condition on tstmp excludes the partitions of earlier months.
_STEPS = """
    select t.trw, t.tgid, t.actor = 'kernel' and t.tgid > 0, t.fired, t.trf, t.before is null, t.status::text,
           case when t.before is null then t.state else
             (select coalesce(jsonb_object_agg(k, t.state -> k), '{}') from jsonb_object_keys(t.before) k) end
    from wedsql.wed_trace t
    where t.wid = %s and t.tstmp >= %s::timestamptz - interval '1 day' order by t.seq limit %s"""


@dataclass(frozen=True, slots=True)
class Replayed:
    """One finished instance on another definition: the first step, from 0, at which its path differs.

    `steps` is the number of steps that were compared, `whole` whether they are all that the instance had.
    """

    wid: int
    steps: int
    whole: bool
    deviation: Deviation | None


class _Row(NamedTuple):
    """A row of the history; `changes` are the written values."""

    written_by: str
    tgid: int | None
    automatic: bool
    fired: list[int]
    names: list[str]
    first: bool
    status: str
    changes: dict[str, Any]


def replay(
    flow: str,
    definition: AnyDefinition,
    *,
    last: int = 1000,
    seconds: float | None = None,
    conn: Any = None,
) -> Iterator[Replayed]:
    """Replay the instances of a flow that finished last, until `seconds` have passed; nothing is stored.

    The same results are given to the same rules; what fires and the status are compared. Raises
    PredicateRefused, PredicateType, BadDefinition.
    """
    end = None if seconds is None else time.monotonic() + seconds
    finished = rows(conn, _FINISHED, (flow, last))
    if not finished:  # also where the flow is not published yet
        return
    found = rows(conn, "select * from wedsql.attributes_set(%s)", (flow,))
    computed = {int(trigger): [*names] for trigger, names in found}
    numbers = attribute_numbers(running_definition(flow, conn=conn)[1])
    known = _known(definition, numbers)
    for wid, started in finished:
        if end is not None and time.monotonic() > end:
            return
        history = [_Row(*row) for row in rows(conn, _STEPS, (wid, started, LONGEST + 1))]
        steps = _steps(history[:LONGEST], known, computed)
        if steps:
            run = run_scenario(definition, Scenario(flow, str(wid), steps, "", numbers), conn=conn)
            counted = len(steps) + sum(bool(row.automatic) for row in history)
            yield Replayed(wid, len(steps), counted == len(history), run.deviation)


def _known(definition: Mapping[str, Any], numbers: Mapping[str, int]) -> set[str]:
    """Return the attributes of the history that the definition has; the values of others are left out."""
    has = {one.get("id") for one in definition["attributes"]}
    return {one["name"] for one in definition["attributes"]} | {
        name for name in numbers if numbers[name] in has
    }


def _steps(history: Sequence[_Row], known: set[str], computed: Mapping[int, Sequence[str]]) -> list[Step]:
    """Return the steps of an instance up to the first that is no start, result, repair or single time.

    `computed` has the attributes that the database sets with the results of triggers.
    """
    steps: list[Step] = []
    for row in history:
        if row.automatic and steps:  # performed again with the step before it, whose status is the last one
            steps[-1] = replace(steps[-1], expected={**steps[-1].expected, "status": row.status})
            continue
        given = known - {*computed.get(row.tgid or 0, ())}
        step = _step(row, {name: value for name, value in row.changes.items() if name in given})
        if step is None or (step.do == "start") != (not steps):
            break
        steps.append(step)
    return steps


def _step(row: _Row, changes: dict[str, Any]) -> Step | None:
    fired = [
        {"id": tgid, "transition": name} if name else {"id": tgid}
        for tgid, name in zip(row.fired, row.names, strict=False)
    ]
    expected = {"status": row.status, "fired": fired}
    if row.first:
        return Step("start", None, changes, expected)
    if row.written_by in ("_EXCPT", "_RECOVER:patch"):
        return Step("repair", None, changes, expected)
    if row.tgid:
        return Step("complete", {"id": row.tgid, "transition": row.written_by}, changes, expected)
    if row.written_by == "_REMATCH" and len(fired) == 1:
        return Step("due", fired[0], {}, expected)
    return None
