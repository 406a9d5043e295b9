"""The last check of the invariants, and a new one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from flows.queries.base import row, scalar

# Check so many of the newest and of the longest waiting: the cost does not grow with the history.
SAMPLE = 200
EXAMPLES = 10


@dataclass(frozen=True)
class Finding:
    """The result for one invariant: the number of violations, and the first of them."""

    name: str
    found: int
    examples: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Check:
    """A check of the invariants; `limit` None means that every instance was checked."""

    at: datetime
    limit: int | None
    seconds: float
    findings: tuple[Finding, ...]


def last_check() -> Check | None:
    """Return the result of the last check, None if there was none."""
    found = row("select seen_at, detail from wedsql.beat where name = 'invariants'")
    if found is None:
        return None
    detail = found["detail"]
    findings = (Finding(f["name"], f["found"], tuple(f["examples"])) for f in detail["findings"])
    return Check(found["seen_at"], detail["limit"], detail["seconds"], tuple(findings))


def check(limit: int | None, timeout_ms: int) -> bool:
    """Check the invariants and store the result; return False if another session is checking them.

    Raises django.db.OperationalError (SQLSTATE 57014) if it takes longer than `timeout_ms`.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"set local statement_timeout = {timeout_ms:d}")
        return scalar("select wedsql.check_invariants(%s, %s)", [limit, EXAMPLES]) is not None
