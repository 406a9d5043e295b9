"""Starts the rows of a file in batches, or only checks them, by the kernel's own start.

Each row has a start key, its own or one of its content. The kernel starts nothing for a key that it knows, so
that a start that is repeated, continued after a break, or sent again in a corrected file starts no row twice.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import monotonic

from django.db import transaction
from django.utils.translation import gettext as _

from flows.engine.connection import rows as sql_rows
from flows.engine.connection import to_json
from flows.engine.instances import start_many
from flows.starts.csv_rows import Problem, Row
from flows.types import StartResult

BATCH = 200
SECONDS = 20.0


@dataclass(frozen=True)
class Result:
    """What became of a row: `wid` is its instance, which its key had started before if `at` says when.

    `message` says why it is not started, or that its key had started an instance with other values.
    """

    row: Row
    wid: int | None = None
    at: datetime | None = None
    message: str = ""
    column: str = ""

    @property
    def known(self) -> bool:
        """Return whether the row was started before."""
        return self.at is not None

    @property
    def line(self) -> int:
        return self.row.line

    @property
    def code(self) -> str:
        """Return started, known or refused."""
        return "refused" if self.wid is None else "known" if self.known else "started"

    @property
    def problem(self) -> Problem:
        return Problem(self.message, self.line, self.column)


def as_rows(found: Iterable[Row], source: str) -> list[Row]:
    """Return the rows with a start key each; `source` identifies who sends them, and for which flow.

    The key is of the content of the row, and of how many rows before it have the same.
    """
    seen: Counter[str] = Counter()
    return [row if row.key else replace(row, key=_key(row, source, seen)) for row in found]


def _key(row: Row, source: str, seen: Counter[str]) -> str:
    content = hashlib.sha256(to_json(dict(sorted(row.state.items()))).encode()).hexdigest()[:24]
    seen[content] += 1
    return f"{prefix(source)}{content}.{seen[content]}"


def prefix(source: str) -> str:
    """Return the beginning of the start keys of rows from a source."""
    return f"csv {source}:"


def check(flow: str, rows: Sequence[Row], *, actor: str = "", seconds: float = SECONDS) -> list[Result]:
    """Return the results of a start, for as many rows as there is time for; nothing is started.

    The numbers of instances that are tried are left out later. Raises WedError for what can be repeated.
    """
    return list(_until(seconds, (_tried(flow, batch, actor) for batch in _batches(rows))))


def start(
    flow: str, rows: Sequence[Row], *, actor: str = "", together: bool = False, seconds: float = SECONDS
) -> list[Result]:
    """Start the rows, for as many as there is time for, and return their results in order.

    With `together`, all of them or none: where one is refused, or time is up, the others are not started and
    have no number either. Raises UnknownFlow, and WedError for what can be repeated.
    """
    batches = (_started(flow, batch, actor) for batch in _batches(rows))
    if not together:
        return list(_until(seconds, batches))
    with transaction.atomic():
        found = list(_until(seconds, batches))
        if len(found) == len(rows) and all(each.wid for each in found):
            return found
        transaction.set_rollback(True)
    return [_withheld(each) for each in found] + [_late(row) for row in rows[len(found) :]]


def _withheld(result: Result) -> Result:
    """Return the result of a row that was not started because of another one."""
    if result.wid is None or result.known:
        return result
    return replace(result, wid=None, message=_("Not started, because another row is refused."))


def _late(row: Row) -> Result:
    return Result(row, message=_("Not started, because there was no time left. Divide the file."))


def _batches(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    return (rows[at : at + BATCH] for at in range(0, len(rows), BATCH))


def _until(seconds: float, batches: Iterable[list[Result]]) -> Iterator[Result]:
    """Yield the results of batches, and begin none after this time."""
    end = monotonic() + seconds
    for batch in batches:
        yield from batch
        if monotonic() > end:
            return


def _tried(flow: str, batch: Sequence[Row], actor: str) -> list[Result]:
    with transaction.atomic():
        found = _started(flow, batch, actor)
        transaction.set_rollback(True)
    return found


def _started(flow: str, batch: Sequence[Row], actor: str) -> list[Result]:
    keys = [row.key for row in batch]
    found = start_many(flow, [row.state for row in batch], actor=actor, keys=keys)
    earlier = known(flow, [row.key for row, one in zip(batch, found, strict=True) if one.known])
    return [_result(row, one, earlier.get(row.key)) for row, one in zip(batch, found, strict=True)]


def known(flow: str, keys: Sequence[str | None]) -> dict[str | None, datetime]:
    """Return those of these keys that have started an instance of the flow, and when."""
    statement = (
        "select i.key, i.started_at from wedsql.instance i join wedsql.flow f on f.id = i.flow_id"
        " where f.name = %s and i.key = any(%s::text[])"
    )
    return dict(sql_rows(None, statement, (flow, list(keys)))) if keys else {}  # type: ignore[arg-type]


def _result(row: Row, one: StartResult, at: datetime | None) -> Result:
    if one.error is None and at is not None and one.differs:
        names = ", ".join(one.differs)
        return Result(row, one.wid, at, _("Started before, with other values: %(names)s.") % {"names": names})
    if one.error is None:
        return Result(row, one.wid, at)
    return Result(row, message=one.error.sentence, column=str(one.error.where.get("attribute", "")))
