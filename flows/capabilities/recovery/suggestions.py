"""What repaired earlier cases of the same signature. Nothing is applied by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows.statements import read_as, rows

THIN = 5


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A repair of cases like this one, and what became of them.

    `attributes` are those that it wrote; `values` has the values that were the same in several cases. Of
    `cases` instances `final` are final now. `numbers` are the last cases.
    """

    key: str
    operation: str
    attributes: Sequence[str]
    values: Mapping[str, Any]
    cases: int
    final: int
    median_seconds: float
    last_at: datetime
    numbers: Sequence[int]

    @property
    def is_thin(self) -> bool:
        """Return whether there are too few cases to conclude anything from them."""
        return self.cases < THIN


def suggestions(number: int, flows: Sequence[str] | None = None, *, conn: Any = None) -> list[Suggestion]:
    """Return the repairs of closed cases with the signature of this one, the most successful first.

    It looks at the last 1,000 of the last year, and returns at most 5 repairs. `flows`: those that the caller
    may see, None for all. Raises UnknownCase.
    """
    names = None if flows is None else list(flows)
    found = rows(conn, "select wedsql.suggestions(%s, %s::text[])", (number, names))
    return [read_as(Suggestion, each) for (each,) in found]
