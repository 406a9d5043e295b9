"""The history: order, completeness, lineage, partitions (K-15, K-29)."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import psycopg
import pytest

from flows import api
from flows.tests.kit import Kit, refused
from flows.types import Completion

pytestmark = pytest.mark.kernel


def test_k15_order_is_the_order_of_commits(fig2: Kit) -> None:
    """A transaction that began first and commits last is last, though its start is the earlier one."""
    wid = fig2.start()
    early = fig2.connect()
    with early.transaction():
        job = fig2.take("tr_a2", wid, early)
        fig2.run("tr_a3", wid, a3="done")
        fig2.complete(job, {"a2": "done"}, conn=early)
    rows = fig2.trace(wid)
    assert [row.trw for row in rows] == ["_INIT", "tr_a3", "tr_a2"]
    assert [row.seq for row in rows] == [1, 2, 3]
    assert rows[2].tx_at < rows[1].tx_at and rows[2].tstmp > rows[1].tstmp
    assert rows[2].state == {"a1": "ready", "a2": "done", "a3": "done"}


def test_k15_seq_is_dense_under_concurrency(kit: Kit) -> None:
    """Many branches of one instance finish at once: no number is missing, rows follow from each other."""
    kit.attr("n", "0", "integer")
    for branch in range(8):
        kit.attr(f"b{branch}", "0", "integer")
        kit.trig(f"tr_{branch}", f"b{branch} < 4", max_firings=99)
    kit.final("n = 1")
    wid = kit.start()

    def work(branch: int) -> None:
        with kit.connect() as connection:
            for turn in range(1, 5):
                with connection.transaction():
                    job = kit.take(f"tr_{branch}", wid, connection)
                    kit.complete(job, {f"b{branch}": turn}, conn=connection)

    connections = [threading.Thread(target=work, args=(branch,)) for branch in range(8)]
    for thread in connections:
        thread.start()
    for thread in connections:
        thread.join(30)
    rows = kit.trace(wid)
    assert [row.seq for row in rows] == list(range(1, 34))
    state = dict(rows[0].state)
    for row in rows[1:]:
        assert {name: state[name] for name in row.before} == row.before
        assert {k: v for k, v in row.state.items() if k not in row.before} == {
            k: v for k, v in state.items() if k not in row.before
        }
        state = row.state
    assert state == kit.state(wid)
    assert [row.tstmp for row in rows] == sorted(row.tstmp for row in rows)
    assert kit.status(wid) == "E", "all counted, no client said n = 1"


def test_w034_lineage_actor_version_and_before(fig2: Kit) -> None:
    wid = fig2.start()
    with fig2.conn.transaction():
        job = fig2.take("tr_a2", wid)
        fig2.complete(job, {"a2": "x", "a1": "ready"}, actor="ann")
    row = fig2.trace(wid)[-1]
    assert (row.job_id, row.tgid, row.cause_seq, row.actor) == (job.id, job.tgid, 1, "ann")
    assert row.before == {"a2": None, "a1": "ready"}, "what was written, though one value is the same"
    assert row.version == api.flows.definition(fig2.name, conn=fig2.conn)["version"]
    assert fig2.trace(wid)[0].before is None


@pytest.mark.mode("single", "batch", "lease", why="complete_held repeated is an error that changes nothing")
def test_f1_a_repeated_complete_gets_the_first_answer(fig2: Kit) -> None:
    wid = fig2.start()
    with fig2.step():
        job = fig2.take("tr_a2", wid)
        first = fig2.complete(job, {"a2": "x"})
    fig2.run("tr_a3", wid, a3="y")
    again = fig2.complete(job, {"a2": "x"})
    assert (again.seq, again.status, again.ok) == (first.seq, first.status, True)
    assert len(fig2.trace(wid)) == 3


@pytest.mark.mode("single", "batch", "lease", why="complete_held repeated is an error that changes nothing")
def test_f1_a_repeated_complete_of_a_final_step(fig2: Kit) -> None:
    wid = fig2.start(a2="x", a3="y")
    with fig2.step():
        job = fig2.take("tr_final", wid)
        assert fig2.complete(job, {"a1": "over"}).status == "F"
    again = fig2.complete(job, {"a1": "over"})
    assert (again.seq, again.status) == (2, "F")
    assert len(fig2.trace(wid)) == 2


def test_f1_a_refused_one_does_not_touch_the_others(fig2: Kit) -> None:
    wids = [fig2.start() for _ in range(3)]
    jobs = api.jobs.lease_many(fig2.name, ["tr_a2"], 3, "h", conn=fig2.conn)
    done = [Completion(job, {"a2": "x"} if n != 1 else {"nope": 1}) for n, job in enumerate(jobs)]
    results = {r.job_id: r for r in api.jobs.complete_many(fig2.name, done, conn=fig2.conn)}
    assert [results[job.id].ok for job in jobs] == [True, False, True]
    assert results[jobs[1].id].error is not None and results[jobs[1].id].error.code == "WD002"
    assert [fig2.state(wid)["a2"] for wid in wids] == ["x", None, "x"]


def test_w063_set_text_on_the_present_state(kit: Kit) -> None:
    kit.attr("n", "5")
    kit.attrs("a2", "a3")
    kit.trig("tr_x", "a2 is null")
    wid = kit.start()
    with kit.conn.transaction():
        job = kit.take("tr_x", wid)
        kit.complete(job, set_text="a2='it''s done', a3='ready', n=(n::integer+1)::text")
    assert kit.state(wid) == {"n": "6", "a2": "it's done", "a3": "ready"}


@pytest.mark.parametrize(
    "text",
    [
        "a2='x' where true --",
        "wid=99",
        "a2=(select 'x')",
        "a2='x'; drop table wed_flow",
        "nope='x'",
        "a2='x', a2='y'",
        "status='F'",
        "a2=pg_sleep(1)::text",
    ],
)
def test_w063_hostile_set_texts(kit: Kit, text: str) -> None:
    kit.attrs("a2", "go")
    kit.trig("tr_x", "go = '1'")
    wid, other = kit.start(go="1"), kit.start(go="1")
    with refused("WD211", "WD005", "WD002"), kit.conn.transaction():
        kit.complete(kit.take("tr_x", wid), set_text=text)
    assert kit.state(wid) == kit.state(other) == {"a2": None, "go": "1"}


def test_f10_partitions_are_made_ahead(kit: Kit) -> None:
    made = kit.one("select wedsql.maintain()")
    assert made["partitions_made"] == 0, "the installation made them"
    kit.clock("31 days")
    assert api.maintenance.maintain(conn=kit.conn)["partitions_made"] >= 1
    kit.clock("0")
    names = [row.name for row in kit.rows("select inhrelid::regclass::text as name from pg_inherits"
                                          " where inhparent = 'wedsql.wed_trace'::regclass")]  # fmt: skip
    month = datetime.now(UTC).strftime("%Y_%m")
    assert any(month in name for name in names)


def test_f10_rows_of_today_go_into_the_month_and_none_into_the_default(fig2: Kit) -> None:
    wid = fig2.start()
    part = fig2.one("select tableoid::regclass::text from wedsql.wed_trace where wid = %s", [wid])
    assert datetime.now(UTC).strftime("%Y_%m") in part
    assert api.maintenance.maintain(conn=fig2.conn)["in_default"] == 0


def test_f10_the_default_partition_is_watched(fig2: Kit) -> None:
    with fig2.conn.transaction(force_rollback=True):
        fig2.clock("9000 days")
        wid = fig2.start()
        assert fig2.one(
            "select tableoid::regclass::text from wedsql.wed_trace where wid = %s", [wid]
        ).endswith("default")
        fig2.clock("0")
        assert api.maintenance.maintain(conn=fig2.conn)["in_default"] == 1


def test_f7_the_history_is_ordered_though_the_clock_goes_back(fig2: Kit) -> None:
    fig2.clock("2 hours")
    wid = fig2.start()
    fig2.clock("0")
    fig2.run("tr_a2", wid, a2="x")
    assert [row.trw for row in fig2.trace(wid)] == ["_INIT", "tr_a2"]


@pytest.mark.parametrize("table", ["wed_trace", "job_pool"])
def test_w079_the_papers_views_are_read_only(fig2: Kit, table: str) -> None:
    fig2.start()
    for statement in (f"update {{f}}.{table} set wid = 0", f"delete from {{f}}.{table}"):
        with refused("55000", "42501"), fig2.conn.transaction():
            fig2.rows("set local role wed_worker")
            fig2.rows(statement)


def test_f8_the_monitor_is_notified_of_ids_only(fig2: Kit) -> None:
    listener = fig2.connect()
    listener.execute("listen wedsql_trace")
    fig2.one("select wedsql.watch(null, 'test')")
    wid = fig2.start()
    notifications = list(listener.notifies(timeout=60, stop_after=1))
    assert notifications[0].payload == f"{fig2.id}:{wid}:1"
    api.instances.start_many(fig2.name, [{}] * 60, conn=fig2.conn)
    assert next(iter(listener.notifies(timeout=60, stop_after=1))).payload == f"{fig2.id}:0:0"
    fig2.rows("delete from wedsql.watch")


def test_f8_a_sleeping_worker_is_woken(fig2: Kit) -> None:
    sleeper: psycopg.Connection = fig2.connect()
    number = api.workers.register("cluster", "w", "h", 1, [f"{fig2.name}:tr_a2"], conn=sleeper)
    sleeper.execute(f"listen wedsql_w{number}")
    assert api.workers.heartbeat(number, True, conn=sleeper)
    fig2.start()
    assert [note.channel for note in sleeper.notifies(timeout=60, stop_after=1)] == [f"wedsql_w{number}"]
    api.workers.unregister(number, conn=sleeper)
    assert not api.workers.heartbeat(number, True, conn=sleeper)
