"""After a fault: wait until work is done, and compare the history with the answers and the ledger."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg

from chaos.load import Record
from chaos.row import Row
from testkit.waiting import until

Connection = psycopg.Connection[Any]
IN_FLIGHT = 20  # results that one process can lose: two workers with ten jobs per commit
_DONE_AGAIN = """
    select wid, t.trw, count(*)
    from chaos.st_status i join chaos.wed_trace t using (wid) join chaos.wed_flow w using (wid)
    where i.status = 'F' and left(t.trw, 1) <> '_'
    group by wid, t.trw, w.goal having count(*) <> case t.trw when 'tr_turn' then w.goal else 1 end
"""
_APPLIED = """
    select t.job_id, count(*) from wedsql.wed_trace t join wedsql.flow f on f.id = t.flow_id
    where f.name = 'chaos' and left(t.trw, 1) <> '_' and t.trw <> 'tr_desk' group by t.job_id
"""
_FAILED = """
    select count(*) from wedsql.job_log l join wedsql.flow f on f.id = l.flow_id where f.name = 'chaos'
      and l.outcome not in ('released', 'withdrawn', 'parked', 'late') and l.trname <> 'tr_desk'
"""
_VERSIONS = """
    select v.version from wedsql.flow_version v join wedsql.flow f on f.id = v.flow_id where f.name = 'chaos'
"""
_RUNNING = """
    select wid, j.trname, j.state, j.attempts, j.last_error, j.not_before, j.lease_until
    from chaos.st_status i left join wedsql.job_pool j using (wid) where i.status = 'R' limit 3
"""


def judge(conn: Connection, record: Record, ledger: Path, timeout: float, row: Row) -> None:
    """Add to the row what is wrong in a repaired installation in which nothing is started any more."""
    with suppress(TimeoutError):
        until(lambda: not conn.execute(_RUNNING).fetchall(), timeout, pause=0.1)
    if left := conn.execute(_RUNNING).fetchall():
        row.fail(f"still running: {left}")
    _check_invariants(conn, row)
    _check_acknowledged(conn, record, row)
    _check_side_effects(conn, ledger, row)
    _check_states(conn, row)


def _check_invariants(conn: Connection, row: Row) -> None:
    row.invariants = 0
    for name, ok, found, example, sentence in conn.execute("select * from wedsql.invariants()").fetchall():
        row.invariants += ok
        if not ok:
            row.fail(f"{name} {sentence} {found} violations, such as {example}")


def _check_acknowledged(conn: Connection, record: Record, row: Row) -> None:
    """Check that every acknowledged call is in the history, and no rejected one."""
    known = dict(conn.execute("select key, wid from wedsql.instance where key is not null").fetchall())
    for key, wid in record.started.items():
        if known.get(key) != wid:
            row.add_loss(f"start {key} was acknowledged as {wid}, the database says {known.get(key)}")
    trace = conn.execute("select wid, claim, job_id, seq from wedsql.wed_trace where claim is not null")
    claims = {(wid, claim): (job, seq) for wid, claim, job, seq in trace.fetchall()}
    for wid, job, claim, seq in record.completed:
        if claims.get((wid, claim)) != (job, seq):
            row.add_loss(f"result of job {job} ({wid}, {claim}) was acknowledged, but is not in the history")
    for wid, job, claim in record.refused:
        if (wid, claim) in claims:
            row.add_loss(f"result of job {job} ({wid}, claim {claim}) was refused, but is in the history")
    for version in set(record.published) - {version for (version,) in conn.execute(_VERSIONS).fetchall()}:
        row.add_loss(f"version {version} was acknowledged, but is not kept")
    for sentence in record.unexpected:
        row.add_loss(sentence)


def _check_side_effects(conn: Connection, ledger: Path, row: Row) -> None:
    """Compare what handlers did with what was applied."""
    executed: Counter[int] = Counter()
    with suppress(FileNotFoundError):
        executed.update(int(line.split(b",")[0]) for line in ledger.read_bytes().splitlines())
    applied = conn.execute(_APPLIED).fetchall()
    again = [f"job {job} was applied {times} times" for job, times in applied if times > 1]
    again += [f"instance {wid} has {name} {n} times" for wid, name, n in conn.execute(_DONE_AGAIN).fetchall()]
    row.twice += len(again)
    for sentence in again:
        row.fail(sentence)
    if without := [job for job, _ in applied if not executed[job]]:
        row.add_loss(f"applied, but no handler ran: jobs {without[:3]}", len(without))
    repeated = sum(times - 1 for times in executed.values())
    row.executed_twice += repeated
    ((failed,),) = conn.execute(_FAILED).fetchall()
    if repeated > failed + IN_FLIGHT * max(row.injected, 1):
        row.fail(f"executed twice: {repeated}, more than the faults explain")


def _check_states(conn: Connection, row: Row) -> None:
    """Count the finished instances; an exception is a failure."""
    states = Counter(status for (status,) in conn.execute("select status::text from chaos.st_status"))
    row.finished += states["F"]
    if states["E"]:
        row.fail(f"{states['E']} instances are exceptions")
