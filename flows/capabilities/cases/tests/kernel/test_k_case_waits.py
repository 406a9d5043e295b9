"""Cases that are put aside until the state is as a person awaits it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from flows import api
from flows.capabilities.cases.api import Case
from flows.capabilities.cases.tests.kernel.test_k_case_people import desk, kinds, open_case, stuck
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel
__all__ = ["desk"]


@pytest.fixture
def reaper(desk: Kit) -> psycopg.Connection[object]:
    return desk.connect("wed_reaper")


def wait(desk: Kit, case: Case, condition: str) -> Case:
    return api.cases.wait(case.number, None, "ann", "The map is asked.", condition=condition, conn=desk.conn)


def patch(desk: Kit, case: Case, **changes: object) -> None:
    api.repairs.repair(case.wid, "patch", {"changes": changes}, "A test.", actor="bob", conn=desk.conn)


def test_a_case_waits_until_the_state_is_as_awaited(desk: Kit, reaper: psycopg.Connection[object]) -> None:
    case, other = stuck(desk), stuck(desk)
    waiting = wait(desk, case, "place = 'far' and amount < 0")
    assert (waiting.state, waiting.owner, waiting.waits_for) == (
        "waiting", "ann", "place = 'far' and amount < 0"
    )  # fmt: skip
    wait(desk, other, "place = 'far'")
    assert api.cases.next(None, "bob", conn=desk.conn, flows=[desk.name]) is None
    api.cases.end_waits(conn=reaper)
    patch(desk, case, place="near")
    api.cases.end_waits(conn=reaper)
    assert open_case(desk, case.wid).state == "waiting", "not yet"
    patch(desk, case, place="far")
    assert api.cases.end_waits(conn=reaper) >= 1
    found = open_case(desk, case.wid)
    assert (found.state, found.owner, found.waits_for, found.waits_until_at) == ("new", "", "", None)
    last = api.cases.read(case.number, conn=desk.conn).history[-1]
    assert (last.kind, last.actor) == ("awaited", "kernel")
    assert last.detail == {"condition": "place = 'far' and amount < 0", "holds": True}
    assert open_case(desk, other.wid).state == "waiting"
    claimed = api.cases.next(None, "bob", conn=desk.conn, flows=[desk.name])
    assert claimed is not None and claimed.number == case.number


def test_only_cases_whose_instance_moved_are_examined(desk: Kit, reaper: psycopg.Connection[object]) -> None:
    cases = [stuck(desk) for _ in range(3)]
    for case in cases:
        wait(desk, case, "place = 'far'")
    awaited = "select count(*) from wedsql.repair_case where flow_id = %s and state = 'waiting'"
    pending = f"{awaited} and waits_for <> '' and waits_seq is distinct from seq"
    assert desk.rows(pending, [desk.id]) == [(0,)]
    for case in cases:
        patch(desk, case, place="far")
    assert desk.rows(pending, [desk.id]) == [(3,)]
    assert api.cases.end_waits(2, conn=reaper) >= 2 and desk.rows(pending, [desk.id]) == [(1,)]
    with desk.connect().transaction() as held:
        lock = "select from wedsql.repair_case where flow_id = %s for update"
        held.connection.execute(lock, [desk.id])
        api.cases.end_waits(conn=reaper)  # does not wait for a person who works on the case
        assert desk.rows(pending, [desk.id]) == [(1,)]
    api.cases.end_waits(conn=reaper)
    assert desk.rows(awaited, [desk.id]) == [(0,)]


def test_a_wait_also_ends_by_its_time_by_a_claim_and_when_its_attribute_is_removed(
    desk: Kit, reaper: psycopg.Connection[object]
) -> None:
    case, conn = stuck(desk), desk.conn
    soon = datetime.now(UTC) + timedelta(hours=2)
    api.cases.wait(case.number, soon, "ann", condition="place = 'far'", conn=conn)
    desk.clock("3 hours")
    assert (open_case(desk, case.wid).state, open_case(desk, case.wid).waits_for) == ("new", "")
    desk.clock("0 hours")
    api.cases.claim(case.number, "bob", conn=conn)
    patch(desk, case, place="far")
    api.cases.end_waits(conn=reaper)
    assert open_case(desk, case.wid).state == "claimed" and "awaited" not in kinds(desk, case)
    api.cases.wait(case.number, None, "bob", condition="place = 'home'", conn=conn)
    desk.rows("delete from {f}.wed_attr where aname = 'place'")
    patch(desk, case, amount=-3)
    api.cases.end_waits(conn=reaper)
    assert open_case(desk, case.wid).state == "new"
    assert api.cases.read(case.number, conn=conn).history[-1].detail["holds"] is False


def test_a_condition_that_cannot_be_awaited_is_rejected(desk: Kit) -> None:
    case = stuck(desk)
    for condition, code in (
        ("place = 'here'", "WD514"), ("nowhere = 1", "WD005"), ("place", "WD006"),
        ("now() > '2026-01-01'", "WD005"),
        ("x" * 5000, "WD514"), ("", "WD514"), ("place = 'a') or (true", "WD005"),
    ):  # fmt: skip
        with refused(code), desk.conn.transaction():
            wait(desk, case, condition)
    assert open_case(desk, case.wid).state == "new"


def test_a_condition_that_fails_on_the_state_keeps_the_case_waiting(
    desk: Kit, reaper: psycopg.Connection[object]
) -> None:
    case = stuck(desk)
    wait(desk, case, "10 / (amount + 3) = 5")
    patch(desk, case, amount=-3)
    api.cases.end_waits(conn=reaper)
    assert open_case(desk, case.wid).state == "waiting"
    patch(desk, case, amount=-9)
    api.cases.end_waits(conn=reaper)
    assert open_case(desk, case.wid).state == "waiting"
