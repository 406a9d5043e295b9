"""A flow that is made when a test first uses it, in one transaction with all of its definition.

A flow with the same definition that an earlier test of the module has left unchanged is used again
(flows/tests/flow_pool.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from psycopg.types.json import Json, Jsonb

from flows.tests.flow_pool import FlowPool, Key, ends_transaction
from flows.tests.kit import NEW_KITS, Connection, Kit
from flows.tests.modes import BY_NAME

# What is only a definition as long as the flow has not been used.
_DEFINES = re.compile(
    r"\s*(insert into|update|delete from) \{f\}\.wed_(attr|trig)\b(?!.*\breturning\b)"
    r"|update wedsql\.flow set \w+ = %s where name = \{n\}$",
    re.DOTALL,
)
_OF_SESSION = re.compile(r"set (timezone|lock_timeout) |select set_config\('wedsql.test_offset'")


def whole(given: Any) -> str:
    """Return a text that differs wherever a part of a definition differs; psycopg shortens that of JSON."""
    if isinstance(given, (tuple, list)):
        return f"({', '.join(map(whole, given))})"
    return whole(given.obj) if isinstance(given, (Json, Jsonb)) else repr(given)


class NewKit(Kit):
    """A kit whose definitions are collected until anything else is done with the flow."""

    def __init__(self, pool: FlowPool, connect: Callable[..., Connection], mode: str = "single") -> None:
        self._pool = pool
        self._definition: list[tuple[str, Any]] = []
        self._made: str | None = None
        self._key: Key = ()
        self.mode = BY_NAME[mode](self)
        self.connect = connect
        self._conn = connect()
        NEW_KITS.add(self)

    def make(self) -> str:
        """Make the flow unless that is done, and return its name."""
        if self._made is None:
            self._key = tuple(map(whole, self._definition))
            self._made = self._pool.take(self._key) or self._create()
        return self._made

    def _create(self) -> str:
        """Create a flow with what was collected."""
        commits = any(ends_transaction(given[0]) for kind, given in self._definition if kind == "load")
        with nullcontext() if commits else self._conn.transaction():
            self._made = name = self._pool.create(self._conn)
            for kind, given in self._definition:
                getattr(super(), kind)(*given)
        self._pool.remember(name)
        return name

    def leave(self) -> None:
        """Leave the flow to the next test if it is as it was made; drop it otherwise."""
        NEW_KITS.discard(self)
        if self._made is not None:
            self._pool.leave(self._made, self._key)

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the flow."""
        return self.make()

    @property
    def id(self) -> int:  # type: ignore[override]
        """The number of the flow."""
        return self.one("select id from wedsql.flow where name = %s", [self.make()])

    @property
    def conn(self) -> Connection:  # type: ignore[override]
        """The session of the kit."""
        self.make()
        return self._conn

    def rows(self, text: str, params: Sequence[Any] = (), conn: Connection | None = None) -> list[Any]:
        """Return the rows of a statement, or collect it if it defines a flow that is not made."""
        if self._made is None and conn is None:
            if _DEFINES.match(text):
                self._definition.append(("rows", (text, tuple(params))))
                return []
            if not self._definition and _OF_SESSION.match(text):
                return self.of_session(text, params)
        return super().rows(text, params, conn)

    def of_session(self, text: str, params: Sequence[Any] = ()) -> list[Any]:
        """Return the rows of a statement that does not concern the flow, which need not be made for it."""
        found = self._conn.execute(text, params or None)
        return found.fetchall() if found.description else []

    def publish(self, definition: Mapping[str, Any]) -> None:
        """Publish a definition, or collect it."""
        if self._made is None:
            self._definition.append(("publish", (definition,)))
        else:
            super().publish(definition)

    def load(self, text: str) -> None:
        """Execute SQL that defines a flow, or collect it."""
        if self._made is None:
            self._definition.append(("load", (text,)))
        else:
            super().load(text)
