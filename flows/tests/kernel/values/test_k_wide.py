"""Wide states: a job has a large one in the history only; a worker of a wide flow gets the recorded one."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, broken, tgid
from flows.types import Completion

pytestmark = pytest.mark.kernel

LARGE = "é" * 1_500
WIDE = 70


@pytest.fixture
def large(kit: Kit) -> Kit:
    """A flow whose two jobs are fired by a large state."""
    kit.attrs("a", "b", "text")
    kit.trig("tr_slow", "a = '1'")
    kit.trig("tr_quick", "b = '1' or b = '3'")
    kit.final("a = 'end'")
    return kit


@pytest.fixture
def wide(kit: Kit) -> Kit:
    """A flow with more attributes than a row becomes JSON with at each step."""
    kit.attrs("a", "b", "text")
    kit.attr("doc", None, kind="jsonb")
    kit.attr("amount", "1.50", kind="numeric")
    with kit.conn.transaction():
        for number in range(WIDE):
            kit.attr(f"n{number}", "0", kind="integer")
    kit.trig("tr_slow", "a = '1'")
    kit.trig("tr_quick", "b = '1' or b = '3'")
    kit.final("a = 'end'")
    return kit


def taken(kit: Kit, transition: str, wid: int) -> Any:
    """Return the job as a worker gets it; it is free again afterwards."""
    with kit.conn.transaction(force_rollback=True):
        return kit.take(transition, wid)


def own_payloads(kit: Kit, wid: int) -> list[Any]:
    return [payload for (payload,) in kit.rows("select payload from wedsql.job_pool where wid = %s", [wid])]


def test_a_large_state_is_the_payload_and_is_stored_once(large: Kit) -> None:
    wid = large.start(a="1", b="1", text=LARGE)
    large.run("tr_quick", wid, b="2")
    assert own_payloads(large, wid) == [None]
    job = taken(large, "tr_slow", wid)
    assert job.payload == {"a": "1", "b": "1", "text": LARGE}
    assert job.state == {"a": "1", "b": "2", "text": LARGE}
    view = f"select payload ->> 'text' from {large.name}.job_pool where wid = %s"
    assert large.rows(view, [wid])[0][0] == LARGE
    assert broken(large) == []


def test_the_alternatives_that_held_are_those_of_the_large_payload(large: Kit) -> None:
    wid = large.start(a="1", b="3", text="e" * 3_000)
    large.run("tr_slow", wid, b="1")
    assert taken(large, "tr_quick", wid).matched == [2]


def test_a_worker_gets_the_present_state_of_a_wide_flow(wide: Kit) -> None:
    wid = wide.start(a="1", b="1")
    wide.run("tr_quick", wid, b="2", n5=7, amount="2.50", doc={"k": [1]})
    job = taken(wide, "tr_slow", wid)
    assert job.state == wide.state(wid)
    assert (job.state["b"], job.state["n5"], job.payload["b"], job.payload["n5"]) == ("2", 7, "1", 0)


@pytest.mark.parametrize("doc", [None, {"k": [1]}])
def test_the_payload_and_the_state_of_a_job_are_objects_of_their_own(wide: Kit, doc: Any) -> None:
    wid = wide.start(a="1", doc=doc, text=LARGE)
    with wide.conn.transaction(force_rollback=True):
        (job,) = api.jobs.take_many(wide.name, ["tr_slow"], 1, conn=wide.conn)
    assert job.payload == job.state and job.wid == wid
    job.state["a"] = "changed"
    if doc:
        job.state["doc"]["k"].append(2)
    assert (job.payload["a"], job.payload["doc"]) == ("1", doc)


def test_an_attribute_is_added_while_a_job_of_a_wide_flow_waits(wide: Kit) -> None:
    wid = wide.start(a="1", b="1")
    wide.run("tr_quick", wid, b="2")
    wide.attr("later", "x")
    assert taken(wide, "tr_slow", wid).state["later"] == "x"
    api.operations.suspend(wid, "A pause.", conn=wide.conn)
    api.operations.resume(wid, "On.", conn=wide.conn)
    job = taken(wide, "tr_slow", wid)
    assert (job.state["later"], "later" in job.payload) == ("x", False)


def test_an_attribute_that_the_same_transaction_added_is_in_the_state(wide: Kit) -> None:
    """Its step is written at the commit: the last step has the state of the version before."""
    wid = wide.start(a="1", b="1")
    wide.run("tr_quick", wid, b="2")
    with wide.conn.transaction(force_rollback=True):
        wide.attr("later", "x")
        (job,) = api.jobs.take_many(wide.name, ["tr_slow"], 1, conn=wide.conn)
    assert (job.wid, job.state["later"], "later" in job.payload) == (wid, "x", False)


def test_the_history_has_the_values_that_results_replaced(wide: Kit) -> None:
    wids = [wide.start(a="1", b="1") for _each in range(3)]
    changes = {"b": None, "n0": 1, "n69": 2, "text": "new", "amount": "3", "doc": {"k": None}}
    with wide.conn.transaction():
        jobs = api.jobs.take_many(wide.name, ["tr_quick"], len(wids), conn=wide.conn)
        api.jobs.complete_many(wide.name, [Completion(job, changes, None) for job in jobs], conn=wide.conn)
    before = {"b": "1", "n0": 0, "n69": 0, "text": None, "amount": 1.5, "doc": None}
    for wid in wids:
        found = wide.rows("select before from wedsql.wed_trace where wid = %s and seq = 2", [wid])[0][0]
        assert {name: float(each) if name == "amount" else each for name, each in found.items()} == before
    assert broken(wide) == []


def differences(kit: Kit, wid: int) -> list[Any]:
    """Return the last recorded state and the row, if they differ."""
    query = "select state from wedsql.wed_trace where wid = %s order by seq desc limit 1"
    recorded, row = kit.rows(query, [wid])[0][0], kit.state(wid)
    return [] if recorded == row else [recorded, row]


def paper_step(kit: Kit, wid: int, transition: str, change: str) -> None:
    """Make a step by the paper's protocol: lock the job, update the row, commit."""
    with kit.conn.transaction():
        assert kit.lock(kit.conn, wid, tgid(kit, transition))
        kit.one(f"update {{f}}.wed_flow set {change} where wid = %s returning wid", [wid])


def test_each_step_of_a_wide_flow_records_the_whole_row(wide: Kit) -> None:
    wid = wide.start(a="1", b="1")
    steps: list[dict[str, Any]] = [
        {"b": "3", "n0": 1},
        {"doc": {"k": [1, None]}, "amount": "2.50"},
        {"doc": None, "n0": None, "n69": 5},
        {},
        {"b": "3", "amount": "2.5", "doc": "null"},
        {"n69": 6, "b": "1"},
    ]
    for changes in steps:
        wide.run("tr_quick", wid, **changes)
        assert differences(wide, wid) == [], changes
    paper_step(wide, wid, "tr_quick", "n1 = 9, doc = '[]'")
    assert differences(wide, wid) == []
    wide.run("tr_quick", wid, n2=4)
    assert differences(wide, wid) == []
    api.operations.suspend(wid, "A pause.", conn=wide.conn)
    api.operations.resume(wid, "On.", conn=wide.conn)
    wide.run("tr_quick", wid, n3=4, b="2")
    assert differences(wide, wid) == [] and broken(wide) == []


def test_a_step_after_another_definition_records_the_whole_row(wide: Kit) -> None:
    wid = wide.start(a="1", b="1")
    wide.run("tr_quick", wid, b="3", n0=1)
    wide.attr("later", "x")
    wide.run("tr_quick", wid, n1=1)
    assert differences(wide, wid) == []
    wide.one("update {f}.wed_attr set aname = 'renamed' where aname = 'n5'")
    wide.run("tr_quick", wid, n2=1)
    assert differences(wide, wid) == []
    wide.one("delete from {f}.wed_attr where aname = 'n7'")
    wide.run("tr_quick", wid, n3=1)
    assert differences(wide, wid) == [] and broken(wide) == []


@pytest.mark.parametrize("instances", [1, 2], ids=["single", "batched"])
def test_a_step_in_the_transaction_of_another_definition_records_the_whole_row(
    wide: Kit, instances: int
) -> None:
    wids = [wide.start(a="1", b="1") for _each in range(instances)]
    for wid in wids:
        wide.run("tr_quick", wid, b="3")
    with wide.conn.transaction():
        wide.attr("later", "x")
        jobs = api.jobs.take_many(wide.name, ["tr_quick"], instances, conn=wide.conn)
        done = [Completion(job, {"n1": 2}, None) for job in jobs]
        api.jobs.complete_many(wide.name, done, conn=wide.conn)
    assert [differences(wide, wid) for wid in wids] == [[]] * instances
    for wid in wids:
        wide.run("tr_quick", wid, n2=3)
    assert [differences(wide, wid) for wid in wids] == [[]] * instances and broken(wide) == []


READS = """
    select sum(pg_stat_get_xact_tuples_returned(c.oid)) from pg_class c where c.oid in (
      select i.indexrelid from pg_partition_tree('wedsql.wed_trace') t
      join pg_index i on i.indrelid = t.relid
      union all select t.relid from pg_partition_tree('wedsql.wed_trace') t)"""
LONG_HISTORY = """
    insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, state, status, version, tx_at, job_id)
    select t.flow_id, t.wid, -n, t.tstmp, t.trw, t.state, t.status, t.version, t.tx_at, 1
    from wedsql.wed_trace t, generate_series(1, 2000) n where t.wid = any (%s) and t.seq = 1"""


@pytest.mark.parametrize("instances", [1, 2], ids=["single", "batched"])
def test_a_step_of_a_wide_flow_reads_one_row_of_a_long_history(wide: Kit, instances: int) -> None:
    wids = [wide.start(a="1", b="1") for _each in range(instances)]
    wide.rows(LONG_HISTORY, [wids])
    for number in range(2):
        with wide.conn.transaction():  # the counters are reported, and reset, between transactions
            reads = wide.one(READS)
            jobs = api.jobs.take_many(wide.name, ["tr_quick"], instances, conn=wide.conn)
            done = [Completion(job, {"b": "3", "n1": number}, None) for job in jobs]
            api.jobs.complete_many(wide.name, done, conn=wide.conn)
            assert (len(jobs), wide.one(READS) - reads) <= (instances, 40 * instances)


def test_states_are_compressed_by_lz4_where_the_server_has_it(kit: Kit) -> None:
    query = "select 'lz4' = any (enumvals) from pg_settings where name = 'default_toast_compression'"
    expected = "l" if kit.one(query) else ""
    tables = """
        select t.relid::regclass::text, a.attcompression::text from pg_partition_tree('wedsql.wed_trace') t
        join pg_attribute a on a.attrelid = t.relid and a.attname = 'state'"""
    with kit.conn.transaction(force_rollback=True):
        before = kit.rows(tables)
        kit.one("select wedsql.make_partitions(now() + interval '5 years', 1)")
        found = dict(kit.rows(tables))
    assert len(found) > len(before) and set(found.values()) == {expected}
