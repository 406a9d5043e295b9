"""Hostile arguments get an error of the product's own, whatever the call."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from flows import api
from flows.errors import WrongType
from flows.tests.kit import Kit, refused
from flows.types import ClaimedJob, Failure

pytestmark = pytest.mark.kernel
Call = Callable[[Kit, ClaimedJob], Any]
BEYOND = [2**31, 2**63, -(2**63) - 1, 10**40]
LONE = "half \ud83d a character"


@pytest.fixture
def one(kit: Kit) -> Kit:
    """A flow with one transition and one instance."""
    kit.attrs("a", "b")
    kit.attr("n", "0", "integer")
    kit.trig("tr_x", "a is null", mode="lease")
    kit.start()
    return kit


CALLS: list[tuple[str, Call]] = [
    ("cancel", lambda kit, job: api.instances.cancel(job.wid, "why", conn=kit.conn)),
    ("extend", lambda kit, job: api.jobs.extend(job, timedelta(seconds=1), conn=kit.conn)),
    ("release", lambda kit, job: api.jobs.release(job, conn=kit.conn)),
    ("complete", lambda kit, job: kit.complete(job, {})),
    ("fail", lambda kit, job: api.jobs.fail_many(kit.name, [Failure(job, "x")], conn=kit.conn)),
    ("rematch", lambda kit, job: api.instances.rematch(kit.name, [job.wid], conn=kit.conn)),
    ("offer", lambda kit, job: api.jobs.offer(kit.name, ["tr_x"], job.wid, conn=kit.conn)),
    ("take", lambda kit, job: api.jobs.take_many(kit.name, ["tr_x"], job.wid, conn=kit.conn)),
    ("heartbeat", lambda kit, job: api.workers.heartbeat(job.id, True, conn=kit.conn)),
    ("register", lambda kit, job: api.workers.register("k", "n", "h", job.wid, [], conn=kit.conn)),
    ("unregister", lambda kit, job: api.workers.unregister(job.id, conn=kit.conn)),
    ("reap", lambda kit, job: api.maintenance.reap(job.wid, conn=kit.conn)),
]


@pytest.mark.parametrize("number", BEYOND)
@pytest.mark.parametrize("call", [call for _, call in CALLS], ids=[name for name, _ in CALLS])
def test_a_number_out_of_range(one: Kit, call: Call, number: int) -> None:
    job = one.lease("tr_x")._replace(wid=number, id=max(number, 2**63), claim=number)
    with refused("WD003") as why:
        call(one, job)
    assert "out of range" in why.message


def test_fewer_jobs_than_none(one: Kit) -> None:
    with refused("WD003"):
        api.jobs.offer(one.name, ["tr_x"], -1, conn=one.conn)


@pytest.mark.parametrize(
    "call",
    [
        lambda kit: api.instances.start(kit.name, {}, key=LONE, conn=kit.conn),
        lambda kit: api.instances.start(kit.name, {}, actor=LONE, conn=kit.conn),
        lambda kit: api.flows.check_predicate(kit.name, LONE, conn=kit.conn),
        lambda kit: kit.complete(kit.lease("tr_x"), set_text=LONE),
        lambda kit: api.flows.definition(LONE, conn=kit.conn),
    ],
)
def test_half_a_character(one: Kit, call: Callable[[Kit], Any]) -> None:
    with pytest.raises(WrongType, match="half of a character"):
        call(one)


@pytest.mark.parametrize(
    ("text", "message", "state"),
    [
        ("n = 1 / 0", "division by zero", "22012"),
        ("n = a + 1", "operator does not exist", "42883"),
        ("a = 'x'::integer::text", "invalid input syntax", "22P02"),
        ("n = case when b then 1 else 2 end", "must be type boolean", "42804"),
    ],
)
def test_a_set_string_that_cannot_be_computed(one: Kit, text: str, message: str, state: str) -> None:
    with refused("WD211") as why, one.step():
        job = one.take("tr_x")
        one.complete(job, set_text=text)
    assert message in why.message and state in why.detail
    assert one.state(job.wid) == {"a": None, "b": None, "n": 0}


def test_a_policy_that_does_not_exist(one: Kit) -> None:
    with refused("WD009") as why:
        api.flows.create("fresh", final_when_pending="perhaps", conn=one.conn)
    assert "perhaps" in why.message and "defer" in why.hint
    assert one.one("select count(*) from wedsql.flow where name = 'fresh'") == 0


def test_columns_of_the_lexer_keep_their_values(kit: Kit) -> None:
    """Rendered conditions are executed; a role that may write triggers must not be able to replace them."""
    kit.attrs("a")
    number = kit.numbered_trig("tr_x", "a = '1' or a = '2'")
    made = kit.rows("select canonical, reads, disjuncts from wedsql.trig where tgid = %s", [number])
    kit.rows("set role wed_web")
    for change in ("canonical = 'pg_sleep(9)'", "reads = '{}'", "disjuncts = '{pg_sleep(9) is null}'"):
        kit.rows(f"update wedsql.trig set {change} where tgid = {number}")
    kit.rows("reset role")
    assert kit.rows("select canonical, reads, disjuncts from wedsql.trig where tgid = %s", [number]) == made
