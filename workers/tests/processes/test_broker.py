"""The tasks of the brokers, what they reject, and that they survive all errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django_q.brokers import get_broker
from django_q.signing import SignedPackage
from django_q.tasks import async_task

from workers.client.wire import ConnectionLost, Wire
from workers.djangoq import patches
from workers.djangoq.broker import JobPoolBroker, RefusedTask
from workers.djangoq.feed import Feed, Sizes
from workers.djangoq.packages import ALLOWED, REAP, RUN_JOBS, package
from workers.djangoq.settings import q_cluster
from workers.process.presence import Presence
from workers.reaper.broker import ReaperBroker
from workers.tests.conftest import Shop


def test_async_task_cannot_bring_in_a_callable(tmp_path: Path) -> None:
    with pytest.raises(RefusedTask) as caught:
        async_task("os.system", f"touch {tmp_path}/owned")
    assert "transition" in str(caught.value)
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("func", ["os.system", "workers.djangoq.tasks.os.system", "builtins.eval", ""])
def test_only_the_listed_callables_are_packed(func: str) -> None:
    with pytest.raises(ValueError, match="not on the list"):
        package(func, "x")
    assert {"workers.djangoq.tasks.run_jobs", "workers.reaper.rounds.reap"} == ALLOWED


def test_the_cluster_uses_this_broker_and_asking_for_it_changes_nothing_here() -> None:
    import signal

    before = signal.getsignal(signal.SIGTERM)
    broker = get_broker()
    assert isinstance(broker, JobPoolBroker) and broker.ping() and broker.info() == "WED-SQL job_pool"
    assert broker.queue_size() == broker.lock_size() == 0
    assert signal.getsignal(signal.SIGTERM) is before and patches._hardened_by is None


@pytest.mark.parametrize("kind", [JobPoolBroker, ReaperBroker])
def test_a_database_that_is_gone_is_no_exception(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> Any:
        raise ConnectionLost("no server")

    monkeypatch.setattr("workers.djangoq.broker.worker_opener", lambda name: gone)
    monkeypatch.setattr("workers.reaper.broker.opener", lambda name: gone)
    monkeypatch.setattr("workers.djangoq.broker.BACK_OFF", 0.01)
    assert kind().dequeue() is None


def unpack(tasks: list[Any]) -> list[tuple[Any, ...]]:
    found = [SignedPackage.loads(payload) for _, payload in tasks]
    assert all(task["func"] == RUN_JOBS and task["save"] is False for task in found)
    return [tuple(task["args"]) for task in found]


@pytest.fixture
def feed(shop: Shop) -> Feed:
    shop.on("tr_one", lambda state, ctx: {"a": "x"}, flow=shop.flow)
    wire = Wire(shop.runner.wire._connect)
    presence = Presence(wire, shop.registry, kind="cluster", actor="pusher", size=5, flows=[shop.flow])
    yield Feed(wire, shop.registry, Sizes(workers=2, task=10, commit=5, queue=2), presence)
    presence.unregister()


def test_hints_are_shared_out_and_not_given_twice_while_in_flight(feed: Feed, shop: Shop) -> None:
    wids = shop.start(7)
    given = unpack(feed.next())
    assert [(flow, names, size, lease) for flow, _, names, size, lease in given] == [
        (shop.flow, ["tr_one"], 5, None)
    ] * 2
    jobs = [job for _, ids, *_ in given for job in ids]
    assert len(jobs) == len(set(jobs)) == 7 and [len(ids) for _, ids, *_ in given] == [4, 3]
    assert feed._look() == []
    (new,) = shop.start(1)
    ((_, ids, *_),) = unpack(feed.next())
    assert ids == [shop.one("select id from wedsql.job_pool where wid = %s", new)]
    assert shop.one("select count(*) from wedsql.job_pool where wid = any(%s) and state = 'P'", wids) == 7


def test_a_hint_that_led_nowhere_is_given_again_later(feed: Feed, shop: Shop, monkeypatch: Any) -> None:
    monkeypatch.setattr("workers.djangoq.feed.IN_FLIGHT", 0.0)
    shop.start(1)
    assert unpack(feed.next()) == unpack(feed.next())


def test_the_feed_registers_as_waiting_and_looks_again_before_it_sleeps(feed: Feed, shop: Shop) -> None:
    looks: list[bool] = []
    real = feed._look

    def look() -> Any:
        looks.append(feed.presence.waiting)
        if len(looks) == 2:
            shop.start(1)
            return real()
        return []

    feed._look = look  # type: ignore[method-assign]
    assert len(feed.next()) == 1, "a job of the very last moment is not slept over"
    assert looks == [False, True]
    assert shop.one("select waiting from wedsql.worker where %s = any (serves)", f"{shop.flow}:tr_one")


def test_the_settings_keep_the_rules_of_django_q() -> None:
    conf = q_cluster(timeout=30)
    reaper = conf["ALT_CLUSTERS"]["reaper"]
    assert conf["retry"] > conf["timeout"] == 30 and reaper["retry"] > reaper["timeout"]
    assert conf["save_limit"] == -1 and conf["scheduler"] is False and "orm" not in conf
    assert q_cluster()["broker_class"] == "workers.djangoq.broker.JobPoolBroker"


def test_the_reaper_s_clock_wants_a_round_when_something_falls_due(shop: Shop, monkeypatch: Any) -> None:
    sleeps: list[float] = []
    monkeypatch.setattr("workers.reaper.broker.opener", lambda name: shop.runner.wire._connect)
    monkeypatch.setattr("workers.reaper.broker.time.sleep", sleeps.append)
    broker = ReaperBroker()
    shop.start(1)
    shop.db.execute("select * from wedsql.lease(%s, array['tr_one'], 1, 'x', '0.4 s')", [shop.flow])
    (task,) = broker.next_tasks()
    assert SignedPackage.loads(task[1])["func"] == REAP
    assert 0.05 <= sleeps[0] <= 0.45
    broker.reset()
