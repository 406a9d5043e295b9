"""A job that a worker holds; columns are decoded on access."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from flows.json_text import decode

if TYPE_CHECKING:
    from psycopg.pq.abc import PGresult

    from flows.types import ClaimedJob

COLUMNS = (
    "job_id, wid, tgid, trname, claim, attempts, extract(epoch from timeout)::float8, payload, state,"
    " matched, deadline, reads, writes, version, mode"
)


def _read(text: str | None) -> dict[str, Any]:
    return dict(decode(text or "{}"))


class Held(Protocol):
    """What identifies a job to the kernel; a claim of None means transaction mode."""

    @property
    def wid(self) -> int: ...
    @property
    def job_id(self) -> int: ...
    @property
    def claim(self) -> int | None: ...


class Taken:
    """One row of wedsql.take or wedsql.lease; `claim` is None in transaction mode."""

    __slots__ = ("_result", "_row", "attempts", "claim", "job_id", "tgid", "timeout", "trname", "wid")

    def __init__(self, result: PGresult, row: int) -> None:
        value = result.get_value
        self._result = result
        self._row = row
        self.job_id = int(value(row, 0) or 0)
        self.wid = int(value(row, 1) or 0)
        self.tgid = int(value(row, 2) or 0)
        self.trname = (value(row, 3) or b"").decode()
        claim = value(row, 4)
        self.claim = None if claim is None else int(claim)
        self.attempts = int(value(row, 5) or 0)
        timeout = value(row, 6)
        self.timeout = None if timeout is None else float(timeout)

    def _text(self, column: int) -> str | None:
        raw = self._result.get_value(self._row, column)
        return None if raw is None else raw.decode()

    def _names(self, column: int) -> list[str] | None:
        text = self._text(column)  # attribute names need no quotes in an array
        return None if text is None else [name for name in text.strip("{}").split(",") if name]

    def state(self) -> dict[str, Any]:
        """Return the instance's state when the job was taken."""
        return _read(self._text(8))

    def payload(self) -> dict[str, Any]:
        """Return the state that fired the job."""
        return _read(self._text(7))

    @property
    def matched(self) -> list[int] | None:
        """The top-level alternatives of the condition that held at firing, from 1."""
        found = self._names(9)
        return None if found is None else [int(number) for number in found]

    @property
    def deadline(self) -> datetime | None:
        """When the kernel stops accepting the result, by the database's clock."""
        found = self._text(10)
        return None if found is None else datetime.fromisoformat(found)

    def job(self, flow: str) -> ClaimedJob:
        """Return the job as an object of flows.api."""
        from flows.types import ClaimedJob

        return ClaimedJob(
            id=self.job_id,
            flow=flow,
            wid=self.wid,
            tgid=self.tgid,
            transition=self.trname,
            claim=self.claim,
            payload=self.payload(),
            state=self.state(),
            matched=self.matched or [],
            timeout=None if self.timeout is None else timedelta(seconds=self.timeout),
            deadline=self.deadline,
            attempts=self.attempts,
            reads=self._names(11),
            writes=self._names(12),
            version=int(self._text(13) or 0),
            mode=self._text(14) or "",
        )


def read_jobs(result: PGresult) -> list[Taken]:
    """Return each row of the result as a job."""
    return [Taken(result, row) for row in range(result.ntuples)]
