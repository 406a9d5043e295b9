"""What a handler writes through the step's connection commits with its state, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from workers.tests.conftest import Shop
from workers.tests.jobs.test_runner import BATCH, picky


def write(ctx: Any) -> None:
    ctx.connection.execute("insert into worker_notes (wid, text) values (%s, 'written')", [ctx.wid])


@pytest.fixture
def notes(shop: Shop) -> Shop:
    shop.db.execute("create table if not exists worker_notes (wid integer, text text)")
    return shop


@pytest.mark.parametrize("size", [1, BATCH])
def test_what_a_handler_writes_commits_with_its_state_and_only_then(notes: Shop, size: int) -> None:
    wids = notes.start(5)

    def refused(ctx: Any) -> Any:
        write(ctx)
        return {"n": "no number"}

    def raising(ctx: Any) -> Any:
        write(ctx)
        raise ValueError("after writing")

    def writing(ctx: Any) -> Any:
        write(ctx)
        return {"a": "wrote"}

    def aborting(ctx: Any) -> Any:
        write(ctx)

    notes.on("tr_one", picky(dict(zip(wids, [refused, raising, writing, aborting], strict=False))))
    notes.drain(size)
    assert [notes.status(wid) for wid in wids] == ["R", "R", "F", "R", "F"]
    written = notes.db.execute("select wid from worker_notes where wid = any(%s)", [wids]).fetchall()
    assert written == [(wids[2],)]
    assert [[row[0] for row in notes.log(wid)][:1] for wid in wids] == [
        ["failed"],
        ["failed"],
        [],
        ["aborted"],
        [],
    ]


def test_a_swallowed_database_error_is_not_taken_for_success(notes: Shop) -> None:
    wids = notes.start(3)

    def swallowing(ctx: Any) -> Any:
        try:
            ctx.connection.execute("select 1/0")
        except Exception:  # noqa: BLE001  # as careless handlers do
            return {"a": "pretended"}

    notes.on("tr_one", picky({wids[1]: swallowing}))
    notes.work(BATCH)
    assert [notes.status(wid) for wid in wids] == ["F", "R", "F"]
    assert "BrokenStep" in notes.log(wids[1])[0][2]
