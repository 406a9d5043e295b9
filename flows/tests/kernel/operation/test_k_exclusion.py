"""Mutual exclusion (X3): jobs of a group or lock are performed one at a time; patterns 17, 39 and 40."""

from __future__ import annotations

import random
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows import api
from flows.capabilities.reasons import sentences
from flows.engine import connection
from flows.tests.kit import Connection, Kit, refused
from flows.types import ClaimedJob

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="its sessions take jobs in each way")]
WAYS = ["take", "hold", "lease"]


@pytest.fixture
def desk(kit: Kit) -> Kit:
    """A parcel that is weighed, labelled and packed in any order, but one after the other."""
    kit.attrs("weighed", "labelled", "packed")
    kit.trig("tr_weigh", "weighed is null", mutex="desk")
    kit.trig("tr_label", "labelled is null", mutex="desk")
    kit.trig("tr_pack", "packed is null", mutex="desk")
    kit.final("weighed is not null and labelled is not null and packed is not null")
    return kit


@pytest.fixture
def shop(kit: Kit) -> Kit:
    """Orders of which one at a time is printed, and one of each customer is paid."""
    kit.attrs("customer", "printed", "paid")
    kit.trig("tr_print", "printed is null", lock="printer", max_attempts=2, backoff="1 minute")
    kit.trig("tr_pay", "paid is null and customer is not null", lock="account {customer}")
    kit.final("printed is not null and (paid is not null or customer is null)")
    return kit


class Holder:
    """A session that gets jobs in one of the ways of a worker."""

    def __init__(self, kit: Kit, way: str) -> None:
        self.kit, self.way, self.conn = kit, way, kit.connect()
        self.jobs: list[ClaimedJob] = []

    def get(self, *transitions: str, limit: int = 9) -> list[int]:
        """Get jobs, and return their instances."""
        names = list(transitions)
        if self.way == "lease":
            self.jobs = api.jobs.lease_many(self.kit.name, names, limit, "tester", conn=self.conn)
        elif self.way == "hold":
            found = self.kit.rows("select * from {f}.hold(%s, %s, 'tester')", [names, limit], self.conn)
            self.jobs = [ClaimedJob(row[0], self.kit.name, *row[1:]) for row in found]
        else:
            self.kit.rows("begin", conn=self.conn)
            self.jobs = api.jobs.take_many(self.kit.name, names, limit, conn=self.conn)
        return sorted(job.wid for job in self.jobs)

    def complete(self, **changes: Any) -> None:
        """Complete the jobs and commit."""
        for job in self.jobs:
            if self.way == "hold":
                query = "select {f}.complete_held(%s, %s, %s)"
                self.kit.rows(query, [job.wid, job.id, connection.JSON(changes)], self.conn)
                self.kit.one("select pg_advisory_unlock(%s, -1)", [job.wid], self.conn)  # no longer busy
            else:
                assert api.jobs.complete(job, changes, conn=self.conn).ok
        self.end("commit")

    def end(self, how: str = "rollback") -> None:
        """End the transaction in which jobs were taken."""
        if self.way == "take":
            self.kit.rows(how, conn=self.conn)


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def free(kit: Kit, *transitions: str) -> list[int]:
    """Return the instances of which another worker could take a job now."""
    other = Holder(kit, "take")
    found = other.get(*transitions)
    other.end()
    offered = {job.wid for job in api.jobs.offer(kit.name, list(transitions), conn=kit.conn)}
    assert set(found) <= offered
    return found


def kill(kit: Kit, session: Connection) -> None:
    kit.one("select pg_terminate_backend(%s, 5000)", [session.info.backend_pid])


@pytest.mark.parametrize("other", WAYS)
def test_at_most_one_job_of_a_group_is_held_in_an_instance(desk: Kit, way: str, other: str) -> None:
    first, second = desk.start(), desk.start()
    one, two = Holder(desk, way), Holder(desk, other)
    assert one.get("tr_label", limit=1) == [], "the older job of the group goes first"
    one.end()
    assert one.get("tr_weigh", limit=1) == [first]
    assert two.get("tr_weigh", "tr_label", "tr_pack") == [second], "other instances have groups of their own"
    one.complete(weighed="1")
    two.complete(weighed="1")
    assert two.get("tr_label", "tr_pack", limit=1) == [first]
    two.complete(labelled="1")
    assert two.get("tr_pack", limit=1) == [first]
    two.complete(packed="1")
    assert (desk.status(first), desk.status(second)) == ("F", "R")


@pytest.mark.parametrize("other", WAYS)
def test_a_lock_is_held_by_one_job_of_all_instances_in_turn(shop: Kit, way: str, other: str) -> None:
    wids = [shop.start() for _ in range(3)]
    one, two = Holder(shop, way), Holder(shop, other)
    for wid in wids:
        assert one.get("tr_print") == [wid], "first come, first served, one at a time"
        assert two.get("tr_print") == []
        two.end()
        one.complete(printed="1")
    assert [shop.status(wid) for wid in wids] == ["F", "F", "F"]


def test_the_name_of_a_lock_has_values_of_the_instance(shop: Kit) -> None:
    ann, bob, more = shop.start(customer="ann"), shop.start(customer="bob"), shop.start(customer="ann")
    assert free(shop, "tr_pay") == [ann, bob]
    worker = Holder(shop, "lease")
    assert worker.get("tr_pay", limit=1) == [ann]
    assert free(shop, "tr_pay") == [bob]
    worker.complete(paid="1")
    assert free(shop, "tr_pay") == [bob, more]


def test_a_lock_without_a_value_is_none(kit: Kit) -> None:
    kit.attrs("room")
    kit.trig("tr_clean", "true", lock="room {room}")
    with kit.conn.transaction():
        wids = [kit.start(), kit.start(), kit.start(room="{room}"), kit.start(room="{room}")]
    assert free(kit, "tr_clean") == wids[:3], "a value is no pattern"
    assert [job.lock for wid in wids for job in kit.pending(wid)][:2] == [None, None]


def test_a_dead_holder_frees_its_lock(shop: Kit, way: str) -> None:
    first, second = shop.start(), shop.start()
    holder = Holder(shop, way)
    assert holder.get("tr_print") == [first]
    assert free(shop, "tr_print") == []
    kill(shop, holder.conn)
    if way == "lease":
        assert free(shop, "tr_print") == [], "a lease outlives its session"
        shop.reap("10 minutes")
        assert free_later(shop, "10 minutes") == [second], "the first one waits for its next attempt"
        assert free_later(shop, "20 minutes") == [first], "and is before the second one then"
    else:
        assert free(shop, "tr_print") == [first]


def free_later(kit: Kit, offset: str) -> list[int]:
    other = Holder(kit, "take")
    kit.clock(offset, other.conn)
    found = other.get("tr_print")
    other.end()
    return found


def test_a_failed_job_frees_its_lock_until_its_next_attempt(shop: Kit, way: str) -> None:
    first, second = shop.start(), shop.start()
    holder = Holder(shop, way)
    assert holder.get("tr_print") == [first]
    api.jobs.fail(holder.jobs[0], "paper jam", conn=holder.conn)
    holder.end("commit")
    if way == "hold":
        assert free(shop, "tr_print") == [], "the session has it until it takes other jobs"
    assert holder.get("tr_print") == [second]
    assert free_later(shop, "10 minutes") == [], "held, though the first one is ready again"
    holder.end()


@pytest.mark.parametrize("ending", ["cancel", "suspend", "park", "withdraw", "skip", "abort"])
def test_a_job_that_ends_otherwise_frees_its_lock(shop: Kit, ending: str) -> None:
    first, second = shop.start(), shop.start()
    assert free(shop, "tr_print") == [first]
    (job,) = shop.pending(first)
    match ending:
        case "cancel":
            api.instances.cancel(first, "no", conn=shop.conn)
        case "suspend":
            api.operations.suspend(first, "wait", conn=shop.conn)
        case "park":
            for offset in ("0", "5 minutes"):
                shop.clock(offset)
                shop.fail("tr_print", first)
            shop.clock("0")
            assert shop.status(first) == "E"
        case "withdraw":
            api.operations.withdraw_job(first, job.id, "no", conn=shop.conn)
        case "skip":
            shop.rows("select wedsql.repair(%s, 'skip', %s, 'no', 'me')",
                      [first, connection.JSON({"job": job.id})])  # fmt: skip
        case "abort":
            shop.rows("select wedsql.repair(%s, 'abort', '{}', 'no', 'me')", [first])
    assert free(shop, "tr_print") == [second]


def test_a_retried_or_resumed_job_has_its_place_again(shop: Kit) -> None:
    first, second = shop.start(), shop.start()
    api.operations.suspend(first, "wait", conn=shop.conn)
    holder = Holder(shop, "lease")
    assert holder.get("tr_print") == [second]
    api.operations.resume(first, "go", conn=shop.conn)
    assert free(shop, "tr_print") == [], "the lock is held"
    holder.complete(printed="1")
    assert free(shop, "tr_print") == [first]


def test_the_holder_excludes_an_older_job_that_is_ready_again(shop: Kit, way: str) -> None:
    first, second = shop.start(), shop.start()
    api.operations.suspend(first, "wait", conn=shop.conn)
    holder = Holder(shop, way)
    assert holder.get("tr_print") == [second]
    api.operations.resume(first, "go", conn=shop.conn)
    for other in WAYS:
        session = Holder(shop, other)
        assert session.get("tr_print") == []
        session.end()
    if way == "take":
        assert api.jobs.take_many(shop.name, ["tr_print"], 9, conn=holder.conn) == [], "nor with itself"
    holder.complete(printed="1")
    assert free(shop, "tr_print") == [first]


def test_locks_of_flows_are_their_own_unless_shared(kit: Kit, shop: Kit) -> None:
    other = f"{kit.name}_x"
    api.flows.create(other, conn=kit.conn)
    try:
        triggers = [
            {"transition": "tr_own", "predicate": "true", "lock": "printer"},
            {"transition": "tr_all", "predicate": "true", "lock": "/printer"},
        ]
        api.flows.publish(other, {"attributes": [{"name": "a"}], "triggers": triggers}, conn=kit.conn)
        kit.rows("update {f}.wed_trig set lock = '/printer' where trname = 'tr_pay'")
        ours, theirs = shop.start(customer="ann"), api.instances.start(other, {}, conn=kit.conn)
        holder = Holder(shop, "lease")
        assert holder.get("tr_print", "tr_pay", limit=1) == [ours]
        jobs = api.jobs.lease_many(other, ["tr_own", "tr_all"], 9, "tester", conn=kit.conn)
        assert [job.transition for job in jobs] == ["tr_own"]
        api.jobs.release(jobs[0], conn=kit.conn)
        assert holder.get("tr_print", "tr_pay", limit=1) == [ours] and holder.jobs[0].transition == "tr_pay"
        assert api.jobs.lease_many(other, ["tr_all"], 9, "tester", conn=kit.conn) == []
        assert theirs
    finally:
        api.flows.drop(other, force=True, conn=kit.conn)


def test_a_client_of_the_paper_cannot_write_while_another_has_the_lock(shop: Kit) -> None:
    first, second = shop.start(), shop.start()
    holder = Holder(shop, "lease")
    assert holder.get("tr_print") == [first]
    (job,) = shop.pending(second)
    paper = shop.connect()
    with refused("WD213"), paper.transaction():
        assert shop.lock(paper, second, job.tgid)
        shop.rows("update {f}.wed_flow set printed = '1' where wid = %s", [second], paper)
    holder.complete(printed="1")
    with paper.transaction():
        assert shop.lock(paper, second, job.tgid)
        shop.rows("update {f}.wed_flow set printed = '1' where wid = %s", [second], paper)
    assert shop.status(second) == "F"


def test_a_job_that_waits_for_a_signal_holds_nothing_up(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("answer", "a is null", signal=True, mutex="m", lock="l")
    kit.trig("tr_b", "b is null", mutex="m", lock="l")
    wid = kit.start()
    assert free(kit, "tr_b") == [wid]


def test_a_lock_names_attributes_of_the_flow(shop: Kit) -> None:
    for lock, code, place in (
        ("room {rom}", "WD002", "lock"), ("{", "WD009", "lock"), ("a {customer}}", "WD009", "lock"),
        ("{}", "WD009", "lock"), ("", "WD009", "lock"),
    ):  # fmt: skip
        with refused(code) as why:
            shop.trig("tr_x", "true", lock=lock)
        assert why.facts["column"] == place
    shop.rows("update {f}.wed_attr set aname = 'client' where aname = 'customer'")
    assert shop.one("select lock from {f}.wed_trig where trname = 'tr_pay'") == "account {client}"
    shop.attrs("room")
    shop.trig("tr_clean", "true", lock="room {room}")
    with refused("WD007"):
        shop.rows("delete from {f}.wed_attr where aname = 'room'")


def test_a_waiting_job_says_which_job_has_the_lock(shop: Kit) -> None:
    first, second, third = shop.start(), shop.start(), shop.start()

    def waits(wid: int) -> tuple[Any, ...]:
        (job,) = api.reasons.explain_instance(wid, conn=shop.conn).jobs
        return job.waits_for, job.facts.get("lock"), job.facts.get("instance"), job.facts.get("holder")

    assert waits(first)[0] == "no_worker"
    assert waits(second) == waits(third) == ("lock_queue", "printer", first, None)
    holder = Holder(shop, "lease")
    assert holder.get("tr_print") == [first]
    assert waits(third) == ("lock", "printer", first, "tester")
    api.jobs.release(holder.jobs[0], conn=shop.conn)
    holder = Holder(shop, "take")
    assert holder.get("tr_print") == [first]
    assert waits(third)[:3] == ("lock", "printer", first)
    holder.end()


def test_a_waiting_job_says_why_the_first_one_is_not_taken(shop: Kit) -> None:
    first, second, third = shop.start(), shop.start(), shop.start()
    (job,) = (each for each in shop.pending(first) if each.trname == "tr_print")
    api.operations.reassign_job(first, job.id, "ghost", "The old printer.", actor="olga", conn=shop.conn)
    for wid in (second, third):
        (waiting,) = api.reasons.explain_jobs(wid, conn=shop.conn)
        head = waiting.facts["first"]
        assert (waiting.waits_for, head["for"], head["to"], head["by"]) == (
            "lock_queue", "no_assignee", "ghost", "olga",
        )  # fmt: skip
        said = sentences.waiting(waiting)
        assert f"instance {first} goes first" in said and "assigned to ghost, by olga" in said
    waits = api.reasons.explain_waits([(first, job.id), (second, waiting.id)], conn=shop.conn)
    assert {number: each["for"] for number, each in waits.items()} == {job.id: "no_assignee"}
    api.operations.suspend(first, "Wait.", conn=shop.conn)
    (waiting,) = api.reasons.explain_jobs(third, conn=shop.conn)
    assert (waiting.waits_for, waiting.facts["first"]["for"]) == ("lock_queue", "no_worker")


def test_a_session_that_did_not_take_the_lock_finishes_nothing(shop: Kit) -> None:
    """The settings of a session give it nothing: the lock must come from take or hold."""
    first, second = shop.start(), shop.start()
    holder = Holder(shop, "take")
    assert holder.get("tr_print") == [first]
    (job,) = shop.pending(second)
    other = shop.start(customer="ann")
    forger = Holder(shop, "take")
    assert forger.get("tr_pay") == [other]
    shop.rows("select set_config('wedsql.took_jobs', %s, true)", [f",{job.id},"], forger.conn)
    query = "select sqlstate from {f}.complete_many(%s, %s, array[null::bigint], %s)"
    changes = [connection.JSON({"printed": "1"})]
    assert shop.one(query, ([second], [job.id], changes), forger.conn) == "WD201"
    forger.end()
    holder.end()


def test_eight_sessions_on_one_lock_are_never_two_at_a_time(kit: Kit) -> None:
    """In every way of holding, with failures; each gets the oldest one that is ready."""
    kit.attr("n", "0", "integer")
    kit.trig("tr_x", "n < 3", lock="one", backoff="0", max_attempts=1000, max_firings=1000)
    kit.final("n = 3")
    kit.rows("create table {f}.inside (id integer primary key)")
    wids = [kit.start() for _ in range(12)]

    def work(seed: int) -> int:
        choose, conn, done = random.Random(seed), kit.connect(), 0  # noqa: S311
        while kit.one("select count(*) from wedsql.job_pool where wid = any (%s)", [wids], conn):
            holder = Holder(kit, choose.choice(WAYS))
            holder.conn.close()
            holder.conn = conn
            if holder.get("tr_x", limit=3):
                (job,) = holder.jobs
                watch = kit.connect()
                kit.rows("insert into {f}.inside values (1)", conn=watch)  # fails if another one is inside
                kit.rows("delete from {f}.inside", conn=watch)
                watch.close()
                if choose.random() < 0.2:
                    api.jobs.fail(job, "no", conn=conn)
                    holder.end("commit")
                else:
                    holder.complete(n=job.state["n"] + 1)
                    done += 1
            else:
                holder.end()
        return done

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(work, range(8))) == 36
    assert {kit.status(wid) for wid in wids} == {"F"}


PAGE = (Path(__file__).parents[4] / "docs/exclusion.md").read_text()


def test_the_example_of_the_page(kit: Kit) -> None:
    definition = yaml.safe_load(re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1])  # type: ignore[index]
    kit.publish({key: definition[key] for key in ("attributes", "triggers")})
    first, second = kit.start(customer="ann"), kit.start(customer="ann")
    clerk, other = Holder(kit, "lease"), Holder(kit, "lease")
    names = ["tr_weigh", "tr_pack", "tr_print", "tr_book"]
    assert clerk.get("tr_weigh", limit=1) == [first]
    assert [(job.wid, job.transition) for _ in names for job in _leased(kit, names)] == [
        (first, "tr_print"), (first, "tr_book"), (second, "tr_weigh")
    ]  # fmt: skip
    assert other.get(*names) == []
    found = [
        (one.lock, one.wid, one.transition, one.holder) for one in api.locks.list(kit.name, conn=kit.conn)
    ]
    assert found == [
        ("account ann", first, "tr_book", "tester"), ("account ann", second, "tr_book", None),
        ("printer", first, "tr_print", "tester"), ("printer", second, "tr_print", None),
    ]  # fmt: skip


def _leased(kit: Kit, names: list[str]) -> list[ClaimedJob]:
    return api.jobs.lease_many(kit.name, names, 1, "tester", conn=kit.conn)
