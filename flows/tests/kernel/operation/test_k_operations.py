"""When each operation on an instance is refused: one test for each situation, over all operations.

docs/repairing.md describes the operations. What each does is shown by the tests with its number:
test_r1_ in test_k_operate_job.py and test_k_repair.py; r2, r4, r12, r14 in test_k_forward.py; r3, r10 in
test_k_evolve_cancel.py; r5 in test_k_skip.py; r6, r7 in test_k_roll_back.py; r8 in test_k_compensation.py;
r9 in test_k_replayed.py; r11 in test_k_suspend.py; r13 in test_k_operate_job.py and test_k_reassign.py;
r15 in test_k_migrate.py; r16 in test_k_bulk_repair.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flows import api
from flows.errors import WedError
from flows.tests.kit import Kit, broken

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

OPERATIONS: dict[str, tuple[str, ...]] = {
    "R1 retry": ("job",),
    "R2 patch": ("changes",),
    "R3 rematch": (),
    "R4 complete": ("job",),
    "R5 skip": ("job",),
    "R6 rollback": ("seq",),
    "R6 skip_compensation": (),
    "R7 compensate": ("seq",),
    "R8 abort": (),
    "R9 replay": ("seq",),
    "R10 cancel": (),
    "R11 suspend": (),
    "R11 resume": (),
    "R12 accept": (),
    "R13 release": ("job",),
    "R13 withdraw": ("job",),
    "R13 extend": ("job", "seconds"),
    "R13 priority": ("job", "priority"),
    "R13 reassign": ("job", "worker"),
    "R14 branch": ("seq",),
    "R15 migrate": (),
    "undo": (),
    "merge_late": ("late",),
    "discard_late": ("late",),
}
ELSEWHERE = {"hand_over": "flows/capabilities/moves/tests, as it needs another installation"}
OF_JOB = [name for name, needs in OPERATIONS.items() if "job" in needs]


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.rows("set statement_timeout = '60s'")  # what is not refused may not end
    kit.attrs("a", "b")
    undo = {"compensation": "transition", "compensated_by": "tr_back", "class": "compensatable"}
    kit.trig("tr_x", "a = '1'", backoff="1 hour", max_attempts=1, timeout="1 hour", **undo)
    kit.trig("tr_y", "b = '1'", backoff="1 hour")
    kit.final("a = 'end'")
    return kit


def refusals(kit: Kit, wid: int, transition: str = "", reason: str = "Why.", seen: int | None = None,
             **given: Any) -> dict[str, str]:  # fmt: skip
    """Return the operations that are refused, each with its SQLSTATE; none of them changes anything."""
    job = next((each.id for each in kit.pending(wid) if each.trname == transition), 10**15)
    values = {"job": job, "changes": {"b": "2"}, "seq": 2, "seconds": 9, "worker": "ann", "late": 10**15}
    values["priority"] = 5
    found = {}
    for name, needs in OPERATIONS.items():
        arguments = {each: (values | given)[each] for each in needs}
        try:
            with kit.conn.transaction(force_rollback=True):
                operation = name.split()[-1]
                api.repairs.repair(wid, operation, arguments, reason, expected_seq=seen, conn=kit.conn)
        except WedError as error:
            found[name] = error.code
    assert broken(kit) == []
    return found


def codes(**names: str) -> dict[str, str]:
    """Return the operations by the SQLSTATE with which they are refused, given as lists.

    Without a compensation, a repair or a late result there is nothing to skip, undo or decide about.
    """
    found = {"R6 skip_compensation": "WD105", "R11 resume": "WD105"}
    found |= {"undo": "WD528", "merge_late": "WD543", "discard_late": "WD543"}
    for code, operations in names.items():
        found |= dict.fromkeys(operations.split(", "), code)
    return found


def ran(kit: Kit) -> int:
    """Return an instance with one step of tr_x, and jobs of both transitions."""
    wid = kit.start(a="1", b="1")
    kit.run("tr_x", wid, a="1")
    return wid


def test_every_operation_is_here(shop: Kit) -> None:
    tried = [name.split()[-1] for name in OPERATIONS]
    assert sorted([*tried, *ELSEWHERE]) == sorted(api.operations.of_repair(conn=shop.conn))


def test_refused_without_a_reason(shop: Kit) -> None:
    assert refusals(shop, ran(shop), "tr_y", " ") == dict.fromkeys(OPERATIONS, "WD009")


def test_refused_where_there_is_no_such_instance(shop: Kit) -> None:
    assert refusals(shop, 2_000_000_000) == dict.fromkeys(OPERATIONS, "WD104")


def test_refused_where_the_instance_moved_since_it_was_seen(shop: Kit) -> None:
    wid = ran(shop)
    assert refusals(shop, wid, "tr_y", seen=shop.instance(wid).seq - 1) == dict.fromkeys(OPERATIONS, "WD108")


UNDOING = "R6 rollback, R7 compensate, R8 abort, R9 replay"
HELD = f"R1 retry, R4 complete, R5 skip, R13 withdraw, R13 reassign, {UNDOING}"
NO_EXCEPTION = "R2 patch, R12 accept"


def test_refused_while_it_runs(shop: Kit) -> None:
    found = refusals(shop, ran(shop), "tr_y")
    assert found == codes(WD212=f"R1 retry, R13 release, {NO_EXCEPTION}"), "what is ready is not retried"


def test_refused_while_a_worker_holds_the_job(shop: Kit) -> None:
    wid = ran(shop)
    shop.lease("tr_y")
    assert refusals(shop, wid, "tr_y") == codes(WD203=HELD, WD212=NO_EXCEPTION)


def test_refused_while_a_session_locks_the_job(shop: Kit) -> None:
    wid, session = ran(shop), shop.connect()
    with session.transaction(force_rollback=True):
        shop.take("tr_y", wid, conn=session)
        assert refusals(shop, wid, "tr_y") == codes(WD203=f"{HELD}, R13 release", WD212=NO_EXCEPTION)


def test_refused_where_the_job_is_gone(shop: Kit) -> None:
    assert refusals(shop, ran(shop)) == codes(WD205=", ".join(OF_JOB), WD212=NO_EXCEPTION)


def test_refused_where_there_is_no_such_step(shop: Kit) -> None:
    found = refusals(shop, ran(shop), "tr_y", seq=99)
    none = "R6 rollback, R7 compensate, R9 replay"
    assert found == codes(WD110=none, WD104="R14 branch", WD212=f"R1 retry, R13 release, {NO_EXCEPTION}")


def test_refused_for_a_step_of_no_transition(shop: Kit) -> None:
    found = refusals(shop, ran(shop), "tr_y", seq=1)
    assert found == codes(WD110="R7 compensate", WD212=f"R1 retry, R13 release, {NO_EXCEPTION}")


def stuck(kit: Kit) -> int:
    wid = kit.start(a="1")
    kit.run("tr_x", wid, a="odd")
    return wid


def test_refused_while_it_is_an_exception(shop: Kit) -> None:
    assert refusals(shop, stuck(shop), "_EXCPT") == codes(WD212=", ".join(OF_JOB))


def test_refused_while_a_worker_repairs_the_exception(shop: Kit) -> None:
    wid = stuck(shop)
    shop.lease("_EXCPT")
    of_job = "R1 retry, R4 complete, R5 skip, R13 withdraw, R13 extend, R13 priority, R13 reassign"
    assert refusals(shop, wid, "_EXCPT") == codes(WD212=of_job, WD203=f"{UNDOING}, {NO_EXCEPTION}")


def test_refused_while_the_job_is_parked(shop: Kit) -> None:
    wid = ran(shop)
    shop.fail("tr_x", wid)
    assert refusals(shop, wid, "tr_x") == codes(WD212="R13 release, R13 extend")


def test_refused_while_it_is_suspended(shop: Kit) -> None:
    wid = ran(shop)
    api.operations.suspend(wid, "Wait.", conn=shop.conn)
    expected = codes(WD105=", ".join([*OF_JOB, NO_EXCEPTION, "R3 rematch, R11 suspend, R15 migrate"]))
    del expected["R11 resume"]
    assert refusals(shop, wid, "tr_y") == expected


def test_refused_while_it_is_being_compensated(shop: Kit) -> None:
    wid = ran(shop)
    api.compensations.roll_back(wid, 1, "Back.", conn=shop.conn)
    found = refusals(shop, wid, "tr_back")
    late = {"merge_late": "WD543", "discard_late": "WD543"}
    assert {name: code for name, code in found.items() if code != "WD105"} == {
        "R1 retry": "WD212", "R13 release": "WD212"} | late  # fmt: skip
    allowed = {"R6 skip_compensation", "R13 extend", "R13 priority", "R14 branch"}
    assert set(OPERATIONS) - set(found) == allowed


@pytest.mark.parametrize("end", ["final", "cancelled", "aborted"])
def test_refused_once_it_has_ended(shop: Kit, end: str) -> None:
    wid = shop.start(a="1")
    if end == "final":
        shop.run("tr_x", wid, a="end")
    else:
        {"cancelled": api.instances.cancel, "aborted": api.compensations.abort}[end](
            wid, "No.", conn=shop.conn
        )
    rest = set(OPERATIONS) - {"R14 branch", "merge_late", "discard_late"}
    assert refusals(shop, wid, seq=1) == codes(WD105=", ".join(rest)), "only a branch begins"


def test_each_operation_of_the_table_has_tests() -> None:
    """R1 to R16, each by the name of a test; what is refused is here, or in a test of that name."""
    flows = Path(__file__).parents[3]
    written = "".join(path.read_text(encoding="utf-8") for path in flows.rglob("test_k_*.py"))
    assert [n for n in range(1, 17) if f"def test_r{n}_" not in written] == []
