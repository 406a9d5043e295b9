"""What a call does while a definition changes follows the definition that there is when it goes on (K-14)."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from flows.tests.kit import Connection, Kit, broken
from testkit.waiting import until

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

READS = re.compile(r"\b(v_\w+) wedsql\.flow := wedsql\._flow\(")
LOCKS = re.compile(r"lock table|for (no key )?update|_lock_definition|_begin_change|_hold\(|_hold_instance")
# Functions that read a flow's row before a lock, and why its options are not what they act on.
NOTHING_OF_IT = {
    "save_case_rules": "only the number", "save_policies": "only the number and the name",
    "request_index": "only the number and the name", "propose_approval_rules": "only the number and the name",
    "save_approval_rules": "only the number", "withdraw": "only the number", "rename_flow": "only the name",
    "publish": "its options are read again", "delegate_approvals": "only the number",
}  # fmt: skip


def test_whatever_acts_on_options_of_a_flow_reads_them_behind_its_lock(kit: Kit) -> None:
    found = {}
    functions = kit.rows("select proname, prosrc from pg_proc where pronamespace = 'wedsql'::regnamespace")
    for each in functions:
        declared = READS.search(each.prosrc)
        locked = LOCKS.search(each.prosrc, declared.end()) if declared else None
        if declared is None or locked is None:
            continue
        name, rest = declared[1], each.prosrc[locked.end() :]
        again = re.search(rf"{name} := |into {name}\b", rest)
        used = {*re.findall(rf"\b{name}\)?\.(\w+)", rest)} - {"id", "name"}
        passed = re.search(rf"[(, ]{name}[,)]", rest)
        if (used or passed) and not again:
            found[each.proname] = used
    assert {*found} <= {*NOTHING_OF_IT}, "read the row by wedsql._locked_flow"


KEYED = "update wedsql.flow set worker_keys = true where name = {n}"


def lease(kit: Kit, conn: Connection, _wid: int) -> Any:
    return len(kit.rows("select * from wedsql.lease({n}, array['tr_x'], 1, 'me')", conn=conn))


def lease_second(kit: Kit, conn: Connection, wid: int) -> Any:
    """Lease a job while another worker has one of what is a group then."""
    return len(kit.rows("select * from wedsql.lease({n}, array['tr_y'], 1, 'me')", conn=conn))


def signal(kit: Kit, conn: Connection, _wid: int) -> Any:
    sent = """select outcome from wedsql.signal({n}, 'ord', '{"a": "1"}', p_key => 'k')"""
    return kit.one(sent, conn=conn)


def retire(kit: Kit, conn: Connection, wid: int) -> Any:
    return kit.one("select wedsql.retire({n}, array[%s])", [wid], conn)


def drop(kit: Kit, conn: Connection, _wid: int) -> Any:
    conn.execute("set role wed_web")
    return kit.one("select wedsql.drop_flow({n}, true)", conn=conn)


def fail(kit: Kit, conn: Connection, wid: int) -> Any:
    with conn.transaction():
        job = kit.pending(wid)[0]
        kit.lock(conn, wid, job.tgid)
        return len(
            kit.rows(
                "select * from wedsql.fail_many({n}, array[%s], array[%s]::bigint[], array[null::bigint],"
                " array['no'])",
                [wid, job.id],
                conn,
            )
        )


def running(kit: Kit) -> int:
    return kit.start(a="1")


def ended(kit: Kit) -> int:
    wid = kit.start(a="end")
    kit.rows("update wedsql.instance set finished_at = now() - interval '10 days' where wid = %s", [wid])
    return wid


def first_leased(kit: Kit) -> int:
    wid = running(kit)
    kit.lease("tr_x")
    return wid


CASES: dict[str, tuple[Callable[[Kit], int], str, Callable[[Kit, Connection, int], Any], Any]] = {
    "lease, keys are needed": (running, KEYED, lease, "WD570"),
    "lease, a group is made": (first_leased, "update {f}.wed_trig set mutex = 'm' where not cfinal",
                               lease_second, 0),
    "fail, keys are needed": (running, KEYED, fail, "WD570"),
    "signal, it starts no longer": (running, "update wedsql.flow set start_by = null where name = {n}",
                                    signal, "WD560"),
    "signal, it starts now": (running, "update wedsql.flow set start_by = '{ord,other}' where name = {n}",
                              signal, "started"),
    "retention is longer": (ended, "update wedsql.flow set retention = '1 year' where name = {n}", retire, 0),
    "retention is none": (ended, "update wedsql.flow set retention = null where name = {n}", retire, 0),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_call_that_waited_follows_the_definition_that_was_committed(kit: Kit, case: str) -> None:
    reach, change, call, expected = CASES[case]
    kit.attrs("a", "b")
    kit.trig("tr_x", "a = '1'")
    kit.trig("tr_y", "a = '1'")
    kit.final("a = 'end'")
    kit.policy(retention="1 day", start_by=["ord"])
    wid = reach(kit)
    one, two = kit.connect(), kit.connect()
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(call(kit, two, wid))
        except psycopg.Error as error:
            found.append(error.sqlstate)

    thread = threading.Thread(target=run)
    with one.transaction():
        kit.rows(change, conn=one)
        thread.start()
        blocked = "select cardinality(pg_blocking_pids(%s)) > 0"
        until(lambda: kit.one(blocked, [two.info.backend_pid]), 30, "it does not wait")
    thread.join()
    assert found == [expected] and broken(kit) == []
