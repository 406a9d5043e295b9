"""F8: no session listens for the pages while a thousand changes commit; then ten thousand in a burst."""

from __future__ import annotations

import threading
import time

import psycopg

from chaos.run import Row, Run
from chaos.system import System
from flows import api

CHANGES_PER_INSTANCE = 8
AWAY = 30.0
TIMEOUT = 60.0
STALE = 5.0  # seconds from the listener's return until the page equals the database
FINAL = {"left_done": "1", "right_done": "1", "turn": 2, "goal": 2, "slow": "1", "leased": "1", "desk": "1"}


def listener(run: Run, row: Row) -> None:
    """Cut the listener off: the page must equal the database soon after it is back."""
    with run.system(row, rate=2.0, designer=0) as system:
        system.page().reload()
        for _ in range(run.number(12, least=4)):
            row.injection(lambda: _cut(system), "the listener's session ended")
        row.injection(lambda: _without_listener(system, row, run), "there was no listener")
        row.injection(lambda: _burst(system, row, run.number(10_000)), "a burst")


def _start(system: System, many: int) -> None:
    with system.connect("web") as conn:
        api.instances.start_many("chaos", [{"goal": 1}] * many, conn=conn)


def _changes(system: System) -> int:
    return int(system.one("select count(*) from wedsql.wed_trace"))


def _cut(system: System) -> float:
    """End the session; return the seconds until another one listens and the page is live again."""
    _start(system, 2)
    system.until(lambda: bool(_listeners(system)), TIMEOUT, "no listener")
    old = _listeners(system)
    page = system.page()
    frames = page.frames
    _end(system, old)

    def live_again() -> bool:
        return bool(set(_listeners(system)) - set(old)) and page.live and page.frames > frames

    return system.until(live_again, TIMEOUT, "the page is not live again")


def _listeners(system: System) -> list[int]:
    query = "select pid from pg_stat_activity where application_name = 'wedsql-monitor'"
    return [pid for (pid,) in system.rows(query)]


def _without_listener(system: System, row: Row, run: Run) -> float:
    """Prevent listening while a thousand changes commit; return the seconds from then to a right page."""
    before, wanted = _changes(system), run.number(1000)
    until = time.monotonic() + run.seconds(AWAY)
    with system.connect() as admin:
        admin.execute("alter role wed_monitor nologin")
    try:
        _end(system, _listeners(system))
        _start(system, wanted // CHANGES_PER_INSTANCE + 1)
        system.until(lambda: _changes(system) - before >= wanted, TIMEOUT, f"{wanted} changes")
        time.sleep(max(0.0, until - time.monotonic()))
        row.notes.append(f"{_changes(system) - before} changes while there was no listener")
    finally:
        with system.connect() as admin:
            admin.execute("alter role wed_monitor login")
    system.until(lambda: bool(_listeners(system)), TIMEOUT, "no listener again")
    return _wait_for_page(system, row, "after the listener came back")


def _end(system: System, backends: list[int]) -> None:
    system.rows("select pg_terminate_backend(u.pid) from unnest(%s::integer[]) u (pid)", (backends,))


def _wait_for_page(system: System, row: Row, when: str) -> float:
    begun = time.monotonic()
    wrong = system.page().compare(system.rows, TIMEOUT)
    took = time.monotonic() - begun
    if wrong:
        raise TimeoutError(f"the page is wrong {when}: {wrong[:3]}")
    row.notes.append(f"the page was right {took:.2f} s {when}")
    if took > STALE:
        row.fail(f"the page needed more than {STALE:.0f} s {when}")
    return took


def _burst(system: System, row: Row, many: int) -> float:
    """Commit changes singly, as fast as possible; return the seconds until the page is right."""
    usage = 0.0
    threads = [threading.Thread(target=_commit, args=(system, many // 2), daemon=True) for _ in range(2)]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        usage = max(usage, float(system.one("select pg_notification_queue_usage()")))
        time.sleep(0.1)
    rate = many / (time.monotonic() - begun)
    row.notes.append(
        f"a burst of {many}, {rate:.0f} a second; queue of notifications at most {usage:.4f} full"
    )
    return _wait_for_page(system, row, "after the burst")


def _commit(system: System, many: int) -> None:
    """Start instances that are final at once: one change each."""
    with system.connect("web", name="burst") as conn:
        for _ in range(many):
            try:
                api.instances.start("chaos", FINAL, actor="burst", conn=conn)
            except psycopg.Error:
                return
