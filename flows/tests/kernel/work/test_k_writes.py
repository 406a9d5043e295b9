"""What a result may write, and at which isolation level (K-46 to K-48)."""

from __future__ import annotations

import pytest

from flows import api
from flows.tests.kit import Kit, refused, tgid

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_k46_a_conflict_at_a_higher_isolation_is_40001(fig2: Kit, level: str) -> None:
    wid = fig2.start()
    careful = fig2.connect()
    with refused("40001"), careful.transaction():
        fig2.rows(f"set transaction isolation level {level}", conn=careful)
        fig2.lock(careful, wid, tgid(fig2, "tr_a3"))
        fig2.rows("select * from {f}.wed_flow", conn=careful)
        fig2.run("tr_a2", wid, a2="done")
        fig2.rows("update {f}.wed_flow set a3 = 'done' where wid = %s", [wid], careful)
    assert fig2.jobs(wid) == ["tr_a3"]


def test_k46_the_api_at_repeatable_read_raises_try_again(fig2: Kit) -> None:
    wid = fig2.start()
    careful = fig2.connect()
    with refused("40001"), careful.transaction():
        fig2.rows("set transaction isolation level repeatable read", conn=careful)
        job = fig2.take("tr_a3", wid, careful)
        fig2.run("tr_a2", wid, a2="done")
        fig2.complete(job, {"a3": "done"}, conn=careful)
    assert fig2.jobs(wid) == ["tr_a3"]


def test_k47_only_changed_attributes_are_written(fig2: Kit) -> None:
    """A worker with an old payload overwrites only the attributes that it names."""
    wid = fig2.start()
    other = fig2.connect()
    with fig2.step(other):
        old = fig2.take("tr_a2", wid, other)
        fig2.run("tr_a3", wid, a3="done")
        fig2.complete(old, {"a2": "done"}, conn=other)
    assert fig2.state(wid) == {"a1": "ready", "a2": "done", "a3": "done"}


def test_k48_write_set_by_api_and_by_the_papers_update(kit: Kit) -> None:
    kit.attrs("a", "b")
    only = kit.numbered_trig("tr_x", "a = '1'", writes=["a"])
    wid = kit.start(a="1")
    with refused("WD210"):
        kit.run("tr_x", wid, b="2")
    with refused("WD210"), kit.conn.transaction():
        kit.lock(kit.conn, wid, only)
        kit.rows("update {f}.wed_flow set b = '2' where wid = %s", [wid])
    assert kit.state(wid) == {"a": "1", "b": None}
    kit.run("tr_x", wid, a="2")


@pytest.mark.mode("single", "batch", why="a session holds a job, and a lease is held, over transactions")
def test_w210_complete_without_take(fig2: Kit) -> None:
    wid = fig2.start()
    with fig2.conn.transaction():
        job = fig2.take("tr_a2", wid)
    with refused("WD201"):
        fig2.complete(job, {"a2": "x"})


def test_k25_a_job_of_another_flow(fig2: Kit) -> None:
    wid = fig2.start()
    with fig2.conn.transaction():
        job = fig2.take("tr_a2", wid)
        api.flows.create(f"{fig2.name}_b", conn=fig2.conn)
        with refused("WD104"):
            fig2.complete(job._replace(flow=f"{fig2.name}_b"), {})
        api.flows.drop(f"{fig2.name}_b", conn=fig2.conn)
