"""The history equals the state after a change of attributes, whatever the status of an instance is (I3)."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.filters.fields import STATUSES as BY_NAME
from flows.tests.kit import Kit, broken
from flows.tests.statuses import STATUSES
from testkit.cases import pairs

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

A, B = {"name": "a"}, {"name": "b"}
TRIGGERS: list[dict[str, Any]] = [
    {"transition": "tr_x", "predicate": "a = '1'", "max_attempts": 1, "compensation": "transition",
     "compensated_by": "tr_undo", "class": "compensatable"},
    {"predicate": "a = 'end'", "final": True},
]  # fmt: skip
CHANGES: dict[str, list[dict[str, Any]]] = {
    "removed": [A],
    "added": [A, B, {"name": "c"}],
    "added with a value": [A, B, {"name": "c", "default": "new"}],
    "removed and added": [A, {"name": "c"}],
    "removed and added with a value": [A, {"name": "c", "default": "new"}],
    "renamed": [A, {"name": "c", "was": "b"}],
    "of another type": [A, {"name": "b", "type": "integer"}],
    "renamed and its name given again": [A, {"name": "c", "was": "b"}, {"name": "b", "default": "9"}],
}


def go_on(kit: Kit, wid: int) -> None:
    """Do what is next for the instance, after a row of the history that only records something."""
    status = kit.status(wid)
    if status in "RX":
        job = kit.pending(wid)[0]
        api.operations.prioritize_job(wid, job.id, 3, "x", conn=kit.conn)
        kit.run(job.trname, wid, a="3")
    elif status == "S":
        api.operations.resume(wid, "Go on.", conn=kit.conn)
        assert broken(kit) == []
        go_on(kit, wid)
    elif status == "M":
        sent = api.moves.list(wid=wid, conn=kit.conn)[0]
        api.moves.take_back(sent.id, "It goes on here.", conn=kit.conn)
        assert broken(kit) == []
        go_on(kit, wid)
    elif status == "E":
        api.repairs.repair(wid, "patch", {"changes": {"a": "end"}}, "x", conn=kit.conn)


def test_each_status_is_tried() -> None:
    assert {name[0] for name in STATUSES} == {*BY_NAME.values()}


@pytest.mark.parametrize(("status", "change"), pairs(STATUSES, CHANGES, 4))
def test_the_history_equals_the_state_after_a_change_of_attributes(
    kit: Kit, status: str, change: str
) -> None:
    kit.publish({"attributes": [A, B], "triggers": TRIGGERS})
    wid = STATUSES[status](kit)
    assert broken(kit) == []
    kit.publish({"attributes": CHANGES[change], "triggers": TRIGGERS})
    assert broken(kit) == []
    last = kit.trace(wid)[-1]
    if kit.status(wid) not in "FCAM":  # one that is away gets its step when it is back
        assert last.state == kit.state(wid), "also of a living instance that no re-match reaches"
    go_on(kit, wid)
    assert broken(kit) == []
    kit.publish({"attributes": [A, B], "triggers": TRIGGERS})
    assert broken(kit) == []
