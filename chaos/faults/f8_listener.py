"""F8: the session that listens for the pages is cut off, again and again, while a thousand changes commit."""

from __future__ import annotations

import time

from chaos.run import Row, Run
from chaos.world import World
from flows import api

CHANGES_AN_INSTANCE = 8
PATIENCE = 20.0


def listener(run: Run, row: Row) -> None:
    """The page ends with what the database says, and is live again soon after each cut."""
    with run.world(row, rate=2.0, designer=0) as world:
        world.page().reload()
        before = world.one("select count(*) from wedsql.wed_trace")
        cuts = run.number(12, least=4)
        for _ in range(cuts):
            _burst(world, run.number(1000) // cuts // CHANGES_AN_INSTANCE + 1)
            row.injection(lambda: _cut(world), "the listener's session ended")
        changes = world.one("select count(*) from wedsql.wed_trace") - before
        usage = world.one("select pg_notification_queue_usage()")
        row.notes.append(
            f"{changes} changes, {world.page().frames} frames, queue of notifications {usage:.4f}"
        )


def _burst(world: World, many: int) -> None:
    with world.connect("web") as conn:
        api.start_many("chaos", [{"goal": 1}] * many, conn=conn)


def _cut(world: World) -> float:
    """End the session; seconds until another one listens and the page says that it is live."""
    begun = time.monotonic()
    query = "select pid from pg_stat_activity where application_name = 'wedsql-monitor'"
    world.until(lambda: bool(world.rows(query)), PATIENCE, "nobody listens")
    old = world.one(query)
    page = world.page()
    frames = page.frames
    world.one("select pg_terminate_backend(%s)", (old,))
    world.until(
        lambda: world.one(query) not in (None, old) and page.live and page.frames > frames,
        PATIENCE,
        "the page did not come back to life",
    )
    return time.monotonic() - begun
