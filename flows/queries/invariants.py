"""The eight invariants as they were last checked, and checking them anew."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from flows.queries.base import row, scalar

# So many of the newest and of the longest waiting: costs the same however large the history is.
SAMPLE = 200
EXAMPLES = 10


@dataclass(frozen=True)
class Finding:
    """One invariant as it was found: how many offences, and the first of them."""

    name: str
    found: int
    examples: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Check:
    """The last check of the invariants; `limit` None means that every instance was looked at."""

    at: datetime
    limit: int | None
    seconds: float
    findings: tuple[Finding, ...]


def last_check() -> Check | None:
    """What the last check found, whoever made it; None when there was none."""
    found = row("select seen_at, detail from wedsql.beat where name = 'invariants'")
    if found is None:
        return None
    detail = found["detail"]
    findings = (Finding(f["name"], f["found"], tuple(f["examples"])) for f in detail["findings"])
    return Check(found["seen_at"], detail["limit"], detail["seconds"], tuple(findings))


def check(limit: int | None, timeout_ms: int) -> bool:
    """Check the invariants now and keep what was found; False while somebody else checks.

    Raises django.db.OperationalError (SQLSTATE 57014) when it takes longer than `timeout_ms`.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"set local statement_timeout = {timeout_ms:d}")
        return scalar("select wedsql.check_invariants(%s, %s)", [limit, EXAMPLES]) is not None
