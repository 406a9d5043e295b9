"""Automatic transitions (X6): the kernel performs them in the commit that fires them, up to a fix-point."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, broken, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="automatic jobs are not taken")]


def database(sets: str) -> dict[str, Any]:
    return {"sets": sets, "performer": "database"}


@pytest.fixture
def gate(kit: Kit) -> Kit:
    """A task between two gateways: a fork, a parallel join of its two branches, an exclusive choice."""
    for edge in ("e1", "e2", "e3", "e4", "e5", "e6", "e7", "ended"):
        kit.attr(edge, kind="integer", default="0")
    kit.attr("amount", kind="integer", default="0")
    kit.trig("work", "e1 > 0")
    kit.trig("fork", "e2 > 0", **database("e2 = e2 - 1, e3 = e3 + 1, e4 = e4 + 1"))
    kit.trig("left", "e3 > 0")
    kit.trig("right", "e4 > 0", **database("e4 = e4 - 1, e5 = e5 + 1"))
    kit.trig("joined", "e5 > 0 and e6 > 0", **database("e5 = e5 - 1, e6 = e6 - 1, e7 = e7 + 1"))
    kit.trig(
        "choose",
        "e7 > 0",
        **database(
            "e7 = e7 - 1, e1 = case when amount > 10 then e1 + 1 else e1 end,"
            " ended = case when amount > 10 then ended else ended + 1 end"
        ),
    )
    kit.final("ended > 0 and e1 + e2 + e3 + e4 + e5 + e6 + e7 = 0")
    return kit


def test_a_chain_of_gateways_is_one_commit_with_a_row_each(gate: Kit) -> None:
    wid = gate.start(e1=1)
    result = gate.run("work", wid, e1=0, e2=1)
    assert (result.status, result.fired) == ("R", ["fork"])
    assert gate.story(wid) == [
        ("_INIT", ["work"], "R"),
        ("work", ["fork"], "R"),
        ("fork", ["left", "right"], "R"),
        ("right", [], "R"),
    ]
    assert gate.jobs(wid) == ["left"]
    rows = gate.rows("select * from wedsql.wed_trace where wid = %s order by seq", [wid])
    assert len({row.tx_at for row in rows[1:]}) == 1 and [row.cause_seq for row in rows[1:]] == [1, 2, 3]
    assert rows[2].before == {"e2": 1, "e3": 0, "e4": 0} and rows[2].actor == "kernel"
    assert gate.run("left", wid, e3=0, e6=1).status == "F"
    assert [step[0] for step in gate.story(wid)[4:]] == ["left", "joined", "choose"]
    assert gate.story(wid)[-1] == ("choose", [], "F")
    assert broken(gate) == []


def test_a_start_a_loop_and_a_choice_by_data(gate: Kit) -> None:
    wid = gate.start(e2=1, amount=11)
    assert gate.jobs(wid) == ["left"]
    assert gate.run("left", wid, e3=0, e6=1).status == "R"
    assert gate.jobs(wid) == ["work"]
    assert gate.run("work", wid, e1=0, e2=1, amount=3).status == "R"
    assert gate.run("left", wid, e3=0, e6=1).status == "F"
    assert broken(gate) == []


def test_an_endless_loop_ends_at_the_firing_limit_with_its_history(kit: Kit) -> None:
    kit.attr("n", kind="integer", default="0")
    kit.trig("start_it", "n = 0")
    kit.trig("again", "n > 0", **database("n = n + 1"), max_firings=5)
    kit.final("n < 0")
    wid = kit.start()
    assert kit.run("start_it", wid, n=1).status == "E"
    assert kit.instance(wid).reason == "LOOP" and kit.state(wid)["n"] == 6
    assert len(kit.story(wid)) == 7
    assert broken(kit) == []


def test_one_whose_condition_no_longer_holds_is_withdrawn(kit: Kit) -> None:
    kit.attr("n", kind="integer", default="0")
    kit.trig("first", "n = 1", **database("n = 2"))
    kit.trig("second", "n = 1", **database("n = 3"))
    kit.trig("begin", "n = 0")
    kit.final("n = 2")
    wid = kit.start()
    assert kit.run("begin", wid, n=1).status == "F"
    assert [step[0] for step in kit.story(wid)] == ["_INIT", "begin", "first"]


def test_a_set_that_fails_parks_its_job_and_keeps_the_result(kit: Kit) -> None:
    kit.attr("n", kind="integer", default="0")
    kit.attr("share", kind="integer")
    kit.trig("begin", "n = 0")
    kit.trig("divide", "n > 0 and share is null", **database("share = 100 / (n - 1)"))
    kit.final("share is not null")
    wid = kit.start()
    assert kit.run("begin", wid, n=1).status == "E"
    assert kit.state(wid)["n"] == 1 and kit.instance(wid).reason == "ATTEMPTS"
    (job,) = [job for job in kit.pending(wid) if job.tgid > 0]
    assert (job.state, job.last_state) == ("K", "WD211") and "division" in job.last_error
    assert broken(kit) == []
    api.repairs.repair(wid, "retry", {"job": job.id}, "Again.", actor="olga", conn=kit.conn)
    assert kit.reap()["automatic"] == 1 and kit.status(wid) == "E", "it fails again"
    api.repairs.repair(wid, "patch", {"changes": {"n": 3}}, "Three.", actor="olga", conn=kit.conn)
    assert (kit.status(wid), kit.state(wid)["share"]) == ("F", 50)
    assert broken(kit) == []


def test_a_pending_job_whose_trigger_becomes_automatic_is_performed_by_the_reaper(kit: Kit) -> None:
    kit.attr("n", kind="integer", default="0")
    tgid = kit.numbered_trig("count", "n < 3")
    kit.final("n = 3")
    wid = kit.start()
    kit.rows(
        "update {f}.wed_trig set sets = 'n = n + 1', performer = 'database' where tgid = %s returning tgid",
        [tgid],
    )
    assert kit.jobs(wid) == ["count"]
    assert kit.reap()["automatic"] == 1
    assert kit.status(wid) == "F" and len(kit.story(wid)) >= 4
    assert broken(kit) == []


def test_a_violated_integrity_condition_parks_its_job(kit: Kit) -> None:
    kit.attr("n", kind="integer", default="0")
    kit.trig("begin", "n = 0")
    kit.trig("negate", "n > 0", **database("n = -n"))
    kit.rows(
        "insert into {f}.wed_trig (tgname, cpred, integrity) values ('positive', 'n >= 0', 'always')"
        " returning tgid"
    )
    kit.final("n < 0")
    wid = kit.start()
    assert kit.run("begin", wid, n=1).status == "E"
    assert (kit.state(wid)["n"], kit.instance(wid).reason) == (1, "INTEGRITY")
    assert broken(kit) == []


def test_a_final_state_while_other_work_is_pending_rejects_the_commit(kit: Kit) -> None:
    kit.attr("n", kind="integer", default="0")
    kit.trig("begin", "n = 0")
    kit.trig("other", "n >= 0")
    kit.trig("close", "n = 1", **database("n = -1"))
    kit.final("n < 0")
    wid = kit.start()
    with refused("WD103"), kit.step():
        kit.complete(kit.take("begin", wid), {"n": 1})
    assert kit.state(wid)["n"] == 0 and kit.jobs(wid) == ["begin", "other"]


def test_a_start_that_the_database_would_end_while_children_are_pending_is_rejected(kit: Kit) -> None:
    kit.attr("a", kind="integer")
    kit.attr("c", kind="integer")
    child = {"child": kit.name, "child_count": "1", "child_set": ["a = 1"], "child_result": ["a = 1"]}
    kit.trig("tr_w", "a = 3", **child)
    kit.trig("tr_x", "c = 1", **database("c = 9"))
    kit.final("c = 9")
    with refused("WD103"):
        kit.start(a=3, c=1)
    assert kit.one("select count(*) from {f}.wed_flow") == 0


@pytest.mark.parametrize(
    ("text", "code"),
    [("absent = 1", "WD211"), ("n = 'x' || n", "WD211"), ("n = (select 1)", "WD211"), (" ", "WD009")],
)
def test_a_set_that_is_not_valid_is_refused_with_the_definition(kit: Kit, text: str, code: str) -> None:
    kit.attr("n", kind="integer", default="0")
    with refused(code), kit.step():
        kit.trig("bad", "n = 0", **database(text))
        kit.start(n=0)


def test_a_flow_without_automatic_transitions_has_no_function_for_them(kit: Kit) -> None:
    kit.attrs("a")
    tgid = kit.numbered_trig("begin", "a is null", **database("a = 'x'"))
    kit.final("a = 'x'")
    there = f"select to_regproc('wed_match.a_{kit.id}') is not null"
    assert kit.one(there) and kit.one(f"select automatic from wedsql.flow where id = {kit.id}")
    kit.rows(
        f"update {{f}}.wed_trig set sets = null, performer = 'worker' where tgid = {tgid} returning tgid"
    )
    assert not kit.one(there) and not kit.one(f"select automatic from wedsql.flow where id = {kit.id}")


@pytest.fixture
def counted(kit: Kit) -> Kit:
    """A task that the database moves on with each result of a worker."""
    kit.attr("token", kind="integer", default="2")
    kit.attr("passed", kind="integer", default="0")
    kit.attrs("note")
    kit.trig("work", "token > 0", sets="token = token - 1, passed = passed + 1", writes=["note"])
    kit.final("token = 0")
    return kit


def test_what_the_database_sets_is_a_part_of_the_result(counted: Kit) -> None:
    wid = counted.start()
    result = counted.run("work", wid, note="one")
    assert (result.status, result.fired) == ("R", ["work"])
    assert counted.state(wid) == {"token": 1, "passed": 1, "note": "one"}
    assert counted.trace(wid)[-1].before == {"token": 2, "passed": 0, "note": None}
    assert counted.run("work", wid).status == "F" and len(counted.story(wid)) == 3
    assert broken(counted) == []


def test_a_repeated_result_gets_the_first_answer(counted: Kit) -> None:
    wid = counted.start()
    job = counted.lease("work")
    query = "select ok, seq from {f}.complete_many(array[%s], %s::bigint[], %s::bigint[], array[%s::jsonb])"
    arguments = [wid, [job.id], [job.claim], '{"note": "one"}']
    assert counted.rows(query, arguments) == counted.rows(query, arguments) == [(True, 2)]
    arguments[-1] = '{"note": "two"}'
    assert counted.rows(query, arguments)[0].ok is False


def test_a_person_who_completes_a_job_moves_on_as_its_worker(counted: Kit) -> None:
    wid = counted.start()
    (job,) = counted.pending(wid)
    api.repairs.repair(
        wid, "complete", {"job": job.id, "changes": {"note": "by hand"}}, "x", conn=counted.conn
    )
    assert counted.state(wid) == {"token": 1, "passed": 1, "note": "by hand"}
    assert broken(counted) == []


def test_a_client_of_the_paper_moves_on_as_any_worker(counted: Kit) -> None:
    wid = counted.start()
    (job,) = counted.pending(wid)
    with counted.conn.transaction():
        assert counted.lock(counted.conn, wid, job.tgid)
        counted.rows("update {f}.wed_flow set note = 'paper' where wid = %s returning wid", [wid])
    assert counted.state(wid) == {"token": 1, "passed": 1, "note": "paper"}
    assert counted.trace(wid)[-1].before == {"token": 2, "passed": 0, "note": None}
    assert broken(counted) == []


def test_an_attribute_is_renamed_in_what_is_set_and_not_removed_from_it(counted: Kit) -> None:
    counted.rows("update {f}.wed_attr set aname = 'done' where aname = 'passed' returning aid")
    sets = counted.one("select sets from {f}.wed_trig where trname = 'work'")
    assert sets == "token = token - 1, done = done + 1"
    with refused("WD007") as error:
        counted.rows("delete from {f}.wed_attr where aname = 'done' returning aid")
    assert "work.sets" in error.message
    wid = counted.start()
    assert counted.run("work", wid).status == "R" and counted.state(wid)["done"] == 1


def test_what_the_database_performs_waits_for_no_signal_and_sets_something(kit: Kit) -> None:
    kit.attrs("a")
    for options in ({"performer": "database"}, database("a = 'x'") | {"signal": True}):
        with refused("WD009"), kit.step():
            kit.trig("bad", "a is null", **options)
    with refused("WD009"), kit.step():
        kit.rows("insert into {f}.wed_trig (cpred, cfinal, sets) values ('a is null', true, 'a = 1')")
