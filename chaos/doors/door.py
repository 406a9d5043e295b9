"""What all the doors lead to: the flow that is attacked, and what is known of it."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import psycopg

from flows import api

Connection = psycopg.Connection[Any]
FLOW = "doors"
MOST_TOLD = 40
_NUMBER = re.compile(r"\d+")
BASE: dict[str, Any] = {
    "attributes": [
        {"name": "a", "default": "0"}, {"name": "b"}, {"name": "n", "type": "integer", "default": "0"},
        {"name": "d", "type": "date"}, {"name": "j", "type": "jsonb"},
    ],
    "triggers": [
        {"transition": "tr_door", "predicate": "a = '0' or n >= 0", "mode": "lease"},
        {"predicate": "b = 'end'", "final": True},
    ],
}  # fmt: skip
_MARK = """
    select md5(wedsql.definition(%(flow)s)::text), (select count(*) from doors.wed_flow),
           count(*), sum(i.seq), (select count(*) from wedsql.flow)
    from wedsql.instance i where i.flow_id = %(id)s
"""


class Stage:
    """The flow, the designer's connection, and the list of what should not have happened."""

    def __init__(self, conn: Connection, dice: Random) -> None:
        self.conn = conn
        self.dice = dice
        self.wrong: list[str] = []
        self.findings = 0
        self._kinds: set[str] = set()
        self.accepted = 0
        self.completed = 0
        self.flow_id = 0

    def open(self) -> None:
        """Define the flow that is attacked; it exists, empty."""
        self.flow_id = self.count("select id from wedsql.flow where name = %s", FLOW)
        self.restore()

    def restore(self) -> None:
        """Put the definition back."""
        api.publish(FLOW, BASE, conn=self.conn)

    def mark(self) -> tuple[Any, ...]:
        """What a refusal must not change: the definition, the flow's rows, its instances with their steps."""
        row = self.conn.execute(_MARK, {"flow": FLOW, "id": self.flow_id}).fetchone()
        return tuple(row or ())

    def tell(self, door: str, what: str) -> None:
        """Something that should not have happened; the first of each kind is kept in words."""
        self.findings += 1
        kind = f"{door}: {_NUMBER.sub('#', what)}"[:60]
        if kind not in self._kinds and len(self.wrong) < MOST_TOLD:
            self._kinds.add(kind)
            self.wrong.append(f"{door}: {what}")

    def count(self, query: str, *params: object) -> int:
        row = self.conn.execute(query, params).fetchone()
        return int(row[0]) if row else 0
