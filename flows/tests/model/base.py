"""Shared by the rules of the state machine: two flows, the sessions that act on them, and one clock.

Every acknowledged result is kept in a ledger, and after every rule the tables are checked twice: by the
kernel's own invariants and by `audit`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import psycopg
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant
from psycopg import sql

from flows import api
from flows.database_errors import from_database
from flows.errors import WedError
from flows.tests.model import audit, facts, families
from flows.tests.model.family_audit import Families
from testkit import cases

FLOWS = ("m_one", "m_two")
FLOW = st.sampled_from([FLOWS[0], FLOWS[0], FLOWS[0], FLOWS[1]])
WHICH = st.integers(0, 20)
# To whom jobs are assigned: to all again, and to two workers.
WORKERS = ("", "one", "another")
LEASES: Bundle[Any] = Bundle("leases")
Connection = psycopg.Connection[Any]
# The machine's time starts ahead of the server's, by more than its rules ever set it back: the start of a
# transaction, which tests cannot move, must not be later than the kernel's time.
AHEAD = 14 * 24 * 60


# Why a start is rejected: its state fires nothing, a condition fails on it, or transitions of the database
# reach a final state in its commit while a job of a worker, a person or children is pending.
START_REFUSED = ("WD101", "WD103", "WD106")


class Violation(AssertionError):
    """A violated guarantee, by its kind."""

    def __init__(self, kind: str, case: object = "") -> None:
        super().__init__(f"{kind}: {case}")
        self.kind = kind


@dataclass(frozen=True)
class Applied:
    """A result that was acknowledged."""

    wid: int
    seq: int | None
    claim: int | None
    changes: Mapping[str, Any]


class BaseMachine(RuleBasedStateMachine):
    """Two flows with their sessions; `admin` defines, reaps and repairs with any settings.

    No rule has a precondition, and each adds exactly one value to its bundle (None if it got nothing): the
    next choice must not depend on the database's answer, or Hypothesis ends the run.
    """

    dsn: str
    themes: ClassVar[Sequence[dict[str, Any]]] = families.THEMES
    twice: ClassVar[bool] = True  # also checked by the kernel, which takes as long again as the rules

    def __init__(self) -> None:
        super().__init__()
        self.sessions: list[Connection] = []
        self.minutes = AHEAD
        self._calls = 0
        self.base = datetime.now(UTC).replace(microsecond=0)
        self.ledger: dict[int, Applied] = {}
        self.by_signal: dict[int, tuple[int, int, None]] = {}
        self.settings: dict[str, str] = {}
        self.families = Families()
        self.control, self.conn, self.worker, self.admin, self.locker = (self.session() for _ in range(5))
        for name in FLOWS:
            self.control.execute(
                "select wedsql.drop_flow(f.name, true) from wedsql.flow f where f.name = %s", [name]
            )
            api.flows.create(name, conn=self.control)
            self.control.execute("select wedsql.open_flow_role(%s)", [name])
        self.paper = {name: self.session(name) for name in FLOWS}

    def teardown(self) -> None:
        for session in self.sessions:
            session.close()

    # -- sessions and the clock
    def session(self, role: str = "") -> Connection:
        """Open a session, of the flow's own role if one is named."""
        session = psycopg.connect(
            self.dsn, autocommit=True, prepare_threshold=None, options="-c lock_timeout=300ms -c timezone=UTC"
        )
        self.sessions.append(session)
        if role:
            text = "set session authorization {0}; set search_path = {0}"
            session.execute(sql.SQL(text).format(sql.Identifier(role)))
        self.set_clock(session)
        return session

    def set_clock(self, session: Connection) -> None:
        """Set a session's clock to the machine's time."""
        session.execute("select set_config('wedsql.test_offset', %s, false)", [f"{self.minutes} minutes"])

    def pass_time(self, minutes: int) -> None:
        """Move the clock of every session."""
        self.minutes += minutes
        for session in [s for s in self.sessions if not s.closed]:
            self.set_clock(session)

    def one(self, text: str, *params: Any) -> Any:
        """Return the first row of a statement, read by the session that only reads."""
        return self.control.execute(text, params).fetchone()

    def some(self, which: int, text: str, *params: Any) -> Any:
        """Return one of the rows of a statement, None when there is none."""
        found = self.control.execute(text, params).fetchall()
        return found[which % len(found)] if found else None

    # -- states
    def values(self, flow: str, drawn: Mapping[str, Any]) -> dict[str, Any]:
        """Return drawn changes with the flow's present attributes; a renamed one ends in "2"."""
        query = "select a.aname from wedsql.attr a join wedsql.flow f on f.id = a.flow_id where f.name = %s"
        names = [row[0] for row in self.control.execute(query, [flow])]
        found: dict[str, Any] = {}
        for name, value in drawn.items():
            for actual in (name, f"{name}2"):
                if actual in names:
                    found[actual] = self._written(name, value)
        return found

    def _written(self, name: str, value: Any) -> Any:
        if value is None or name not in "de":
            return value
        now = self.base + timedelta(minutes=self.minutes)
        moment = now + (timedelta(minutes=value) if name == "d" else timedelta(days=value))
        return moment.isoformat() if name == "d" else moment.date().isoformat()

    # -- answers
    def applied(
        self, job_id: int, wid: int, seq: int | None, claim: int | None, changes: Mapping[str, Any]
    ) -> None:
        """Record an acknowledged result; a job is acknowledged once, or again with the same answer."""
        known = self.ledger.setdefault(job_id, Applied(wid, seq, claim, dict(changes)))
        if known.seq != seq or known.claim != claim:
            raise Violation("a second answer", f"job {job_id}: {known}, then row {seq} of claim {claim}")

    @contextmanager
    def accepts(self, *codes: str, what: str = "error") -> Iterator[list[WedError]]:
        """Run a call that may be rejected with these codes only; the list contains the error."""
        refused: list[WedError] = []
        try:
            yield refused
        except (WedError, psycopg.Error) as error:
            known = error if isinstance(error, WedError) else from_database(error)
            if known is None or known.code not in codes:
                code = known.code if known else type(error).__name__
                raise Violation(f"{what} {code}", error) from error
            refused.append(known)

    @invariant()
    def everything_holds(self) -> None:
        """Check the tables between any two commits; in short runs after one call in three."""
        self._calls += 1
        if self._calls % 3 and not cases.long():
            return
        moment = facts.read(self.control, FLOWS)
        for finding in audit.findings(moment):
            raise Violation(finding.kind, finding.case)
        self.check_families(moment)
        self._ledger_is_history(moment)
        if self.twice:
            self._invariants(self.control, "invariant")
        if self.settings and self.twice:
            self._invariants(self.admin, f"invariant under {self.settings}")

    def check_families(self, moment: facts.Facts) -> None:
        """Check the children, and remember what became of them."""
        for kind, case in self.families.findings(moment):
            raise Violation(kind, case)

    def go_on(self, rounds: int, size: int = 500) -> bool:
        """Let the reaper go on with jobs that start children; return whether it ended before these rounds."""
        for _ in range(rounds):
            with self.accepts(what="round ended by"):
                if api.children.continue_children(size, conn=self.admin) is None:
                    return True
            self.check_families(facts.read(self.control, FLOWS))
        return False

    def _invariants(self, session: Connection, kind: str) -> None:
        query = "select name, example from wedsql.invariants() where not ok and name <> 'I8'"
        for name, example in session.execute(query).fetchall():
            raise Violation(f"{kind} {name}", example)

    def _ledger_is_history(self, moment: facts.Facts) -> None:
        """Check that the history contains every acknowledged result once, and nothing else.

        The steps that the database performs itself are no results; each is of another job, too.
        """
        rows = [row for trace in moment.trace.values() for row in trace if row["job_id"] is not None]
        if len(rows) != len({row["job_id"] for row in rows}):
            raise Violation("applied twice", [row["job_id"] for row in rows])
        given = [row for row in rows if row["actor"] != "kernel"]
        found = {row["job_id"]: (row["wid"], row["seq"], row["claim"]) for row in given}
        expected = {
            job: (a.wid, a.seq, a.claim) for job, a in self.ledger.items() if a.wid in moment.instances
        } | self._delivered(moment)
        if found != expected:
            raise Violation(
                "history differs from answers", sorted(set(found.items()) ^ set(expected.items()))[:3]
            )

    def _delivered(self, moment: facts.Facts) -> dict[int, tuple[int, int, None]]:
        """Return the results that signals gave; each is one signal's, and no worker's.

        They are remembered, because the table keeps them for some days only.
        """
        delivered = [s for s in moment.signals if s["state"] == "D"]
        found = {s["job_id"]: (s["wid"], s["seq"], None) for s in delivered}
        if len(found) < len(delivered) or found.keys() & self.ledger.keys():
            raise Violation("two results of one job", [s["job_id"] for s in delivered])
        self.by_signal |= found
        return {job: one for job, one in self.by_signal.items() if one[0] in moment.instances}

    def forget(self, wids: Sequence[int]) -> None:
        """Remove instances that left the database from the ledger."""
        self.ledger = {job: a for job, a in self.ledger.items() if a.wid not in wids}
