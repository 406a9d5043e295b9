"""Several steps per commit only while many jobs wait; a failure still affects its own job only."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import pytest

from workers.jobs import adaptive
from workers.jobs import steps as stepping
from workers.tests.conftest import Shop

MOST = 50


@pytest.fixture
def quick(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """The shop with an adaptive runner; handlers count as quick on a busy machine, too."""
    monkeypatch.setattr(stepping, "QUICK", 60.0)
    monkeypatch.setattr(adaptive, "TOGETHER", 600.0)
    shop.runner.adaptive = True
    shop.runner.most_held = 8
    return shop


def per_commit(shop: Shop, wids: list[int]) -> list[int]:
    """Return how many of these instances' steps each transaction committed, the most first."""
    rows = shop.db.execute(
        "select xmin::text from wedsql.wed_trace where wid = any(%s) and trw = 'tr_one'", [wids]
    ).fetchall()
    return sorted(Counter(rows).values(), reverse=True)


def finished(state: Any, ctx: Any) -> Any:
    return {"a": "done"}


def test_many_waiting_jobs_are_committed_together(quick: Shop) -> None:
    quick.on("tr_one", finished)
    wids = quick.start(200)

    assert quick.drain(MOST) == 200

    commits = per_commit(quick, wids)
    assert sum(commits) == 200
    assert 8 < max(commits) <= MOST
    assert {quick.status(wid) for wid in wids} == {"F"}


def test_few_waiting_jobs_have_a_commit_each(quick: Shop) -> None:
    quick.on("tr_one", finished)
    wids = quick.start(7)

    quick.drain(MOST)

    assert per_commit(quick, wids) == [1] * 7


def test_slow_handlers_have_a_commit_each(shop: Shop) -> None:
    def handler(state: Any, ctx: Any) -> Any:
        time.sleep(0.02)
        return {"a": "done"}

    shop.runner.adaptive = True
    shop.on("tr_one", handler)
    wids = shop.start(20)

    shop.drain(MOST)

    assert per_commit(shop, wids) == [1] * 20


def test_a_batch_becomes_small_when_its_handlers_become_slow(
    quick: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adaptive, "TOGETHER", 0.05)
    runs = 0

    def handler(state: Any, ctx: Any) -> Any:
        nonlocal runs
        runs += 1
        time.sleep(0.03 if runs > 60 else 0)
        return {"a": "done"}

    quick.on("tr_one", handler)
    wids = quick.start(110)

    quick.drain(MOST)

    assert {quick.status(wid) for wid in wids} == {"F"}
    # The jobs taken before it was known are committed together; of those after it, only as many as are held.
    assert max(per_commit(quick, wids)) > quick.runner.most_held
    assert max(per_commit(quick, wids[-30:])) <= quick.runner.most_held


def test_a_failure_in_a_batch_affects_its_own_job_only(quick: Shop) -> None:
    def handler(state: Any, ctx: Any) -> Any:
        if ctx.wid == bad:
            raise ValueError("not this one")
        return {"n": "no number"} if ctx.wid == wrong else {"a": "done"}

    quick.on("tr_one", handler)
    wids = quick.start(60)
    bad, wrong = wids[30], wids[40]

    quick.drain(MOST)

    others = [wid for wid in wids if wid not in (bad, wrong)]
    assert {quick.status(wid) for wid in others} == {"F"}
    assert quick.log(bad)[0][0] == "failed"
    assert quick.log(wrong) and not any(quick.log(wid) for wid in others)


def test_a_handler_that_must_not_share_a_commit_never_does(quick: Shop) -> None:
    quick.on("tr_one", finished)
    wids = quick.start(60)

    quick.drain(1)  # as for an entry with batch=1

    assert per_commit(quick, wids) == [1] * 60


def test_the_work_ends_in_time_and_when_it_is_stopped(quick: Shop) -> None:
    def handler(state: Any, ctx: Any) -> Any:
        quick.runner.stopping = quick.runner.performed > 30
        return {"a": "done"}

    quick.on("tr_one", handler)
    wids = quick.start(200)

    done = quick.work(MOST, seconds=60.0)

    assert 30 < done < 200
    assert sum(quick.status(wid) == "F" for wid in wids) == done
    quick.runner.stopping = False
    assert quick.work(MOST, seconds=0.0) == 0
