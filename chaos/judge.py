"""After a fault: wait until work is done, and compare the history with the answers and the ledger."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from chaos.load import Record
from testkit.waiting import until

Connection = psycopg.Connection[Any]
_DONE_AGAIN = """
    select i.wid, t.trw, count(*)
    from wedsql.instance i join wedsql.flow f on f.id = i.flow_id and f.name = 'chaos'
    join wedsql.wed_trace t on t.wid = i.wid join chaos.wed_flow w on w.wid = i.wid
    where i.status = 'F' and left(t.trw, 1) <> '_'
    group by i.wid, t.trw, w.goal having count(*) <> case t.trw when 'tr_turn' then w.goal else 1 end
"""


@dataclass
class Verdict:
    """The result of a fault: `lost` counts violated guarantees, `twice` results applied again."""

    quiet: bool = True
    quiet_seconds: float = 0.0
    lost: int = 0
    twice: int = 0
    executed_twice: int = 0
    failed_attempts: int = 0
    exceptions: int = 0
    finished: int = 0
    steps: int = 0
    invariants: int = 0
    broken: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    def add_loss(self, sentence: str, count: int = 1) -> None:
        """Record a loss."""
        self.lost += count
        self.reasons.append(sentence)

    @property
    def good(self) -> bool:
        return self.quiet and not self.lost and not self.twice and self.invariants == 8


def wait_quiet(conn: Connection, seconds: float) -> tuple[bool, float]:
    """Wait until no instance of the flow is running; return whether it happened, and after how long."""
    begun = time.monotonic()
    query = (
        "select count(*) from wedsql.instance i join wedsql.flow f on f.id = i.flow_id"
        " where i.status = 'R' and f.name = 'chaos'"
    )
    with suppress(TimeoutError):
        until(lambda: conn.execute(query).fetchone() == (0,), seconds, pause=0.1)
        return True, time.monotonic() - begun
    return False, time.monotonic() - begun


def judge(conn: Connection, record: Record, ledger: Path, timeout: float) -> Verdict:
    """Return the verdict on one fault, on a repaired installation in which nothing is started any more."""
    verdict = Verdict()
    verdict.quiet, verdict.quiet_seconds = wait_quiet(conn, timeout)
    _invariants(conn, verdict)
    _check_acknowledged(conn, record, verdict)
    _check_side_effects(conn, ledger, verdict)
    if not verdict.quiet:
        left = conn.execute(
            "select i.wid, j.trname, j.state, j.attempts, j.last_error, j.not_before, j.lease_until"
            " from wedsql.instance i left join wedsql.job_pool j using (wid) where i.status = 'R' limit 3"
        ).fetchall()
        verdict.reasons.append(f"still running: {left}")
    return verdict


def _invariants(conn: Connection, verdict: Verdict) -> None:
    for name, ok, found, example, sentence in conn.execute("select * from wedsql.invariants()").fetchall():
        verdict.invariants += ok
        if not ok:
            verdict.broken.append(f"{name} {sentence} {found} violations, such as {example}")


def _check_acknowledged(conn: Connection, record: Record, verdict: Verdict) -> None:
    """Check that every acknowledged call is in the history, and no rejected one."""
    known = dict(conn.execute("select key, wid from wedsql.instance where key is not null").fetchall())
    for key, wid in record.started.items():
        if known.get(key) != wid:
            verdict.add_loss(f"start {key} was acknowledged as {wid}, the database says {known.get(key)}")
    claims = {(w, c): (j, s) for w, c, j, s in _claims(conn)}
    for wid, job, claim, seq in record.completed:
        if claims.get((wid, claim)) != (job, seq):
            verdict.add_loss(
                f"result of job {job} ({wid}, claim {claim}) was acknowledged, but is not in the history"
            )
    for wid, job, claim in record.refused:
        if (wid, claim) in claims:
            verdict.add_loss(f"result of job {job} ({wid}, claim {claim}) was refused, but is in the history")
    kept = {v for (v,) in conn.execute(
        "select v.version from wedsql.flow_version v"
        " join wedsql.flow f on f.id = v.flow_id and f.name = 'chaos'"
    ).fetchall()}  # fmt: skip
    for version in set(record.published) - kept:
        verdict.add_loss(f"version {version} was acknowledged, but is not kept")
    for sentence in record.unexpected:
        verdict.add_loss(sentence)


def _claims(conn: Connection) -> list[Any]:
    return conn.execute(
        "select wid, claim, job_id, seq from wedsql.wed_trace where claim is not null"
    ).fetchall()


def _check_side_effects(conn: Connection, ledger: Path, verdict: Verdict) -> None:
    """Compare what handlers did with what was applied."""
    executed: Counter[int] = Counter()
    with suppress(FileNotFoundError):
        executed.update(int(line.split(b",")[0]) for line in ledger.read_bytes().splitlines())
    applied = conn.execute(
        "select t.job_id, count(*) from wedsql.wed_trace t"
        " join wedsql.flow f on f.id = t.flow_id and f.name = 'chaos'"
        " where left(t.trw, 1) <> '_' and t.trw <> 'tr_desk' group by t.job_id"
    ).fetchall()
    verdict.steps = len(applied)
    verdict.twice = sum(times - 1 for _, times in applied)
    for wid, name, times in conn.execute(_DONE_AGAIN).fetchall():
        verdict.twice += 1
        verdict.reasons.append(f"instance {wid} has {name} {times} times")
    without = [job for job, _ in applied if not executed[job]]
    if without:
        verdict.add_loss(f"applied, but no handler ran: jobs {without[:3]}", len(without))
    verdict.executed_twice = sum(times - 1 for times in executed.values())
    statuses: dict[str, int] = dict(conn.execute(
        "select i.status::text, count(*) from wedsql.instance i join wedsql.flow f on f.id = i.flow_id"
        " and f.name = 'chaos' group by 1"
    ).fetchall())  # fmt: skip
    verdict.finished, verdict.exceptions = statuses.get("F", 0), statuses.get("E", 0)
    row = conn.execute(
        "select count(*) from wedsql.job_log l join wedsql.flow f on f.id = l.flow_id and f.name = 'chaos'"
        " where l.outcome not in ('released', 'withdrawn', 'parked', 'late') and l.trname <> 'tr_desk'"
    ).fetchone()
    verdict.failed_attempts = int(row[0]) if row else 0
