"""F6: handlers that abort, return nonsense or never return, and predicates that always fail."""

from __future__ import annotations

import time

from chaos.faults.f6_conditions import compare
from chaos.run import Row, Run
from chaos.system import System
from flows import api

KINDS = ("abort", "nonsense", "never", "huge")
EACH = 2
TIMEOUT = 60.0
MAX_LOG_LINES = 400  # per minute


def poison(run: Run, row: Row) -> None:
    """Run bad handlers: every kind ends visibly, parked or final, and the healthy flow goes on.

    The healthy flow may slow down by what bad handlers use: a process that aborts needs time to restart. A
    condition that fails must not slow other instances.
    """
    with run.system(row) as system:
        before = _pace(system, run.seconds(15))
        lines = _log_lines(system)
        begun = time.monotonic()
        with system.connect("web") as conn:
            wids = {api.instances.start("poison", {"kind": kind}, conn=conn): kind for kind in KINDS * EACH}
        for wid, kind in wids.items():
            row.injection(lambda wid=wid: _settled(system, wid, begun), kind)  # type: ignore[misc]
        during = _pace(system, run.seconds(15))
        minutes = (time.monotonic() - begun) / 60
        rate = (_log_lines(system) - lines) / minutes
        _check(system, row, wids)
        row.notes.append(f"healthy instances a second: {before:.1f} before, {during:.1f} beside the poison")
        row.notes.append(f"{rate:.0f} log lines a minute")
        if during < before / 2:
            row.fail("the poison slowed the healthy flow by more than half")
        if rate > MAX_LOG_LINES:
            row.fail("the poison floods the logs")
    with run.system(row, programs=("pool", "reaper"), rate=1.0, designer=0) as system:
        compare(run, row, system)


def _settled(system: System, wid: int, begun: float) -> float:
    query = "select status::text from wedsql.instance where wid = %s"
    system.until(lambda: system.one(query, (wid,)) in ("E", "F"), TIMEOUT, f"instance {wid} did not settle")
    return time.monotonic() - begun


def _check(system: System, row: Row, wids: dict[int, str]) -> None:
    """Check the end of each kind: parked with a reason after three attempts; 10 MB may also be accepted."""
    for wid, kind in wids.items():
        status, reason = system.rows(
            "select status::text, reason from wedsql.instance where wid = %s", (wid,)
        )[0]
        attempts = system.one("select max(attempts) from wedsql.job_pool where wid = %s", (wid,)) or 0
        if kind != "huge" and (status, reason, attempts) != ("E", "ATTEMPTS", 3):
            row.fail(f"{kind}: {status} {reason} after {attempts} attempts")
    big = next(wid for wid, kind in wids.items() if kind == "huge")
    error = "(select left(last_error, 80) from wedsql.job_pool j where j.wid = i.wid and j.tgid > 0 limit 1)"
    query = f"select i.status::text, i.reason, {error} from wedsql.instance i where i.wid = %s"  # noqa: S608
    row.notes.append(f"10 MB: {system.rows(query, (big,))[0]}")
    failing = system.one("select coalesce(sum(n), 0) from wedsql.condition_error")
    if not failing:
        row.fail("the failing predicate is not reported")
    row.notes.append(f"the failing predicate is counted {failing} times")


def _pace(system: System, seconds: float) -> float:
    """Return how many healthy instances finish per second."""
    query = "select count(*) from wedsql.instance i where i.status = 'F' and i.key is not null"
    before, begun = system.one(query), time.monotonic()
    time.sleep(seconds)
    return float(system.one(query) - before) / (time.monotonic() - begun)


def _log_lines(system: System) -> int:
    return sum(path.read_bytes().count(b"\n") for path in system.state.glob("*.log"))
