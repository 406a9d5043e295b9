"""Shared by all interfaces under attack: the attacked flow and the findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import psycopg
from hypothesis import strategies as st

from chaos import hostile
from flows import api

Connection = psycopg.Connection[Any]
Draw = Callable[[Any], Any]  # makes a value of a strategy of Hypothesis
T = TypeVar("T")
FLOW = "attacked"
MAX_REPORTED = 40
_NUMBER = re.compile(r"\d+")
BASE: dict[str, Any] = {
    "attributes": [
        {"name": "a", "default": "0"}, {"name": "b"}, {"name": "n", "type": "integer", "default": "0"},
        {"name": "d", "type": "date"}, {"name": "j", "type": "jsonb"},
    ],
    "triggers": [
        {"transition": "tr_attacked", "predicate": "a = '0' or n >= 0", "mode": "lease"},
        {"predicate": "b = 'end'", "final": True},
    ],
}  # fmt: skip
_MARK = """
    select md5(wedsql.definition(%(flow)s)::text), (select count(*) from attacked.wed_flow),
           count(*), sum(i.seq), (select count(*) from wedsql.flow)
    from wedsql.instance i where i.flow_id = %(id)s
"""


def _no_input(_strategy: object) -> Any:
    raise LookupError("nothing is drawn outside of an attack")


class Target:
    """The flow, the designer's connection, and the list of what should not have happened."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn
        self.draw: Draw = _no_input
        self.wrong: list[str] = []
        self.findings = 0
        self._kinds: set[str] = set()
        self.accepted = 0
        self.completed = 0
        self.flow_id = 0

    def choose(self, options: Sequence[T]) -> T:
        """Choose one of these."""
        return self.draw(st.sampled_from(options))

    def text(self, most: int = 5000) -> str:
        """Return a hostile text of at most this length."""
        return str(self.draw(hostile.TEXT))[:most]

    def open(self) -> None:
        """Define the attacked flow, which exists and is empty."""
        self.flow_id = self.count("select id from wedsql.flow where name = %s", FLOW)
        self.restore()

    def restore(self) -> None:
        """Restore the definition."""
        api.flows.publish(FLOW, BASE, conn=self.conn)

    def mark(self) -> tuple[Any, ...]:
        """Return what a rejected call must not change: definition, the flow's rows, instances and steps."""
        row = self.conn.execute(_MARK, {"flow": FLOW, "id": self.flow_id}).fetchone()
        return tuple(row or ())

    def report(self, interface: str, what: str) -> None:
        """Record a finding; the text of the first one of each kind is kept."""
        self.findings += 1
        kind = f"{interface}: {_NUMBER.sub('#', what)}"[:60]
        if kind not in self._kinds and len(self.wrong) < MAX_REPORTED:
            self._kinds.add(kind)
            self.wrong.append(f"{interface}: {what}")

    def count(self, query: str, *params: object) -> int:
        row = self.conn.execute(query, params).fetchone()
        return int(row[0]) if row else 0
