"""To which instances an operation on many applies, and what it does to one whose only job is of each kind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from flows import api
from flows.capabilities.bulk.api import BulkRequest
from flows.capabilities.bulk.queries import applicable, over, selected
from flows.filters import parse
from flows.tests.pages import unique
from flows.types import Failure
from monitor.bulk.choices import ALL, REPAIRS
from monitor.tests.conftest import Parcels

FIRST = {
    "transition": "tr_work", "max_attempts": 1,
    "compensation": "transition", "compensated_by": "tr_undo", "class": "compensatable",
}  # fmt: skip
# The rules that fire a job of each kind.
KINDS: dict[str, list[dict[str, Any]]] = {
    "ready": [FIRST],
    "leased": [FIRST],
    "parked": [FIRST],
    "task": [{"transition": "tr_task", "performer": "person", "role": "Clerk"}],
    "task that a person has": [{"transition": "tr_task", "performer": "person", "role": "Clerk"}],
    "task besides a job": [FIRST, {"transition": "tr_task", "performer": "person", "role": "Clerk"}],
    "signal": [{"transition": "tr_signal", "signal": True}],
    "children": [{"transition": "tr_child", "child": "{flow}", "child_set": ["kind = 'child'"]}],
    "none": [],
    "stepped": [FIRST],
    "suspended": [FIRST],
    "suspended after a step": [FIRST],
    "compensating": [FIRST],
    "compensation that a worker has": [FIRST],
    "ended": [FIRST],
}
ARGUMENTS: dict[str, dict[str, Any]] = {"patch": {"changes": {"note": "x"}}, "rollback": {"steps": 1}}
PERFORM = "select wedsql._bulk_perform(jsonb_populate_record(null::wedsql.bulk, %s), %s, 'x')"


@pytest.fixture
def kinds(parcels: Parcels, site: None) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield a flow with an instance for each kind of job."""
    flow, session = unique(), parcels.connection
    rules = [
        {"name": f"r_{place}_{n}", "predicate": f"kind = '{kind}'", **rule,
         **({"child": flow} if "child" in rule else {})}
        for place, (kind, given) in enumerate(KINDS.items()) for n, rule in enumerate(given)
    ]  # fmt: skip
    api.flows.create(flow, conn=session)
    attributes = [{"name": "kind"}, {"name": "note"}]
    final = {"predicate": "kind = 'child' or note = 'end'", "final": True}
    api.flows.publish(flow, {"attributes": attributes, "triggers": [*rules, final]}, conn=session)
    wids = {kind: api.instances.start(flow, {"kind": kind}, conn=session) for kind in KINDS if kind != "none"}
    wids["none"] = api.instances.start(flow, {"kind": "signal"}, conn=session)
    api.repairs.repair(
        wids["none"], "skip", {"job": job_of(session, wids["none"])}, "x", actor="x", conn=session
    )
    leased = api.jobs.lease_many(
        flow, ["tr_work"], 9, "w", job_ids=[job_of(session, wids[one]) for one in ("leased", "parked")],
        conn=session,
    )  # fmt: skip
    api.jobs.fail_many(flow, [Failure(one, "x") for one in leased if one.wid == wids["parked"]], conn=session)
    api.tasks.take(job_of(session, wids["task that a person has"]), "ana", ["r:Clerk"], conn=session)
    for kind in ("stepped", "suspended after a step", "compensating", "compensation that a worker has"):
        given = {"job": job_of(session, wids[kind]), "changes": {"kind": "ready"}}
        api.repairs.repair(wids[kind], "complete", given, "x", actor="x", conn=session)
    for kind in ("compensating", "compensation that a worker has"):
        api.repairs.repair(wids[kind], "abort", {}, "x", actor="x", conn=session)
    undoing = job_of(session, wids["compensation that a worker has"])
    api.jobs.lease_many(flow, ["tr_undo"], 1, "w", job_ids=[undoing], conn=session)
    for kind in ("suspended", "suspended after a step"):
        api.operations.suspend(wids[kind], "x", conn=session)
    api.instances.cancel(wids["ended"], "x", conn=session)
    yield flow, wids
    session.execute("select wedsql.drop_flow(%s, true)", [flow])


def job_of(session: psycopg.Connection[Any], wid: int) -> int:
    row = session.execute("select max(id) from wedsql.job_pool where wid = %s and tgid > 0", [wid]).fetchone()
    assert row is not None
    return int(row[0])


def transition_of(session: psycopg.Connection[Any], wid: int) -> str:
    """Return the transition of a job that is not held, else another one."""
    row = session.execute(
        "select max(trname) from wedsql.job_pool where wid = %s and tgid > 0 and state <> 'L'", [wid]
    ).fetchone()
    return (row and row[0]) or "tr_none"


def is_refused(session: psycopg.Connection[Any], operation: str, wid: int) -> bool:
    """Return whether the operation is refused for one instance; nothing of it remains."""
    if operation in REPAIRS:
        transition = transition_of(session, wid) if operation in ("complete", "skip") else ""
        arguments = ARGUMENTS.get(operation, {})
        request = BulkRequest(operation, "x", transition=transition, arguments=arguments)
        (found,) = api.bulk.preview(request, [wid], actor="x", conn=session)
        return found.refusal is not None
    given = {"operation": operation, "transition": "", "priority": 1, "assignee": "w", "actor": "x"}
    try:
        with session.transaction(force_rollback=True):
            session.execute(PERFORM, [json.dumps(given), wid])
    except psycopg.Error as error:
        assert (error.sqlstate or "").startswith("WD"), error
        return True
    return False


@pytest.mark.parametrize("operation", ALL)
def test_it_applies_to_those_of_which_none_is_certain_to_be_refused(
    operation: str, kinds: tuple[str, dict[str, int]], parcels: Parcels
) -> None:
    flow, wids = kinds
    names = {wid: kind for kind, wid in wids.items()}
    found = selected(over(parse(f"flow:{flow} id:{min(wids.values())}..{max(wids.values())}"), None))
    assert set(wids.values()) <= set(found.wids)
    applies = applicable(operation).among(found) & set(wids.values())
    done = {wid for wid in names if not is_refused(parcels.connection, operation, wid)}
    # Steps that no transition made are not undone.
    unsure = {"none", "parked", "suspended"} if operation == "rollback" else set()
    assert {names[wid] for wid in applies} - unsure == {names[wid] for wid in done}
    assert applicable(operation).count(found) == len(applicable(operation).among(found))
