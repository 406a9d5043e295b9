"""The search of all pages: flows by their names, instances by their number, start key or business key.

Every query is bounded and is an index look-up: the search may be called with each key that is typed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from django.db import connection
from psycopg import sql

from flows.labels import translate_label
from flows.queries.base import rows

MOST_FLOWS = 2_000
MOST_KEYS = 40
# Of an index of business keys; wedsql._key_expression says the same.
KEY_CHARS = 100


@dataclass(frozen=True)
class FlowFound:
    """A flow that the user sees; `keys` are the attributes of its business key."""

    id: int
    name: str
    label: str
    keys: tuple[str, ...]

    @property
    def title(self) -> str:
        return translate_label(self.label) or self.name


@dataclass(frozen=True)
class InstanceFound:
    """An instance that was found; `key` is the value of the business key or the start key, or "".

    `aname` is the attribute that has the value, if it is one.
    """

    wid: int
    flow_id: int
    status: str
    key: str = ""
    aname: str = ""


def flows(names: Collection[str] | None) -> list[FlowFound]:
    """Return the flows of these names, or with None all of them, in the order of their names."""
    found = rows(
        "select f.id, f.name, f.label, array(select a.aname from wedsql.attr a"
        " where a.flow_id = f.id and a.business_key order by a.position, a.aid) as keys from wedsql.flow f"
        " where %(every)s or f.name = any(%(names)s) order by f.name limit %(limit)s",
        {"every": names is None, "names": list(names or ()), "limit": MOST_FLOWS},
    )
    return [FlowFound(**{**each, "keys": tuple(each["keys"])}) for each in found]


def attributes(names: Collection[str], flows: Iterable[FlowFound]) -> set[str]:
    """Return those of the names that are attributes of one of these flows."""
    statement = "select distinct aname from wedsql.attr where flow_id = any(%s) and aname = any(%s)"
    found = rows(statement, [[f.id for f in flows], list(names)]) if names else []
    return {each["aname"] for each in found}


def by_number(number: int, flows: Iterable[FlowFound]) -> list[InstanceFound]:
    """Return the instance of that number, if it is one of these flows."""
    if not 0 < number < 2**31:
        return []
    statement = "select wid, flow_id, status::text as status, coalesce(key, '') as key from wedsql.instance"
    return _found(statement + " where wid = %s and flow_id = any(%s)", [number, [f.id for f in flows]])


def by_start_key(key: str, flows: Iterable[FlowFound]) -> list[InstanceFound]:
    """Return the instances of these flows that were started with that key."""
    statement = (
        "select i.wid, i.flow_id, i.status::text as status, i.key from unnest(%s::integer[]) f (id)"
        " cross join lateral (select * from wedsql.instance i where i.flow_id = f.id and i.key = %s) i"
        " limit 10"
    )
    return _found(statement, [[f.id for f in flows], key])


def by_business_key(text: str, flows: Sequence[FlowFound], limit: int) -> list[InstanceFound]:
    """Return instances of which an attribute of the business key begins with the text, newest first.

    Small letters count as capital ones, and a value as it is shown: blanks and line breaks as one blank,
    composed letters as one. Of each key at most `limit` values are looked at.
    """
    keys = [(flow, name) for flow in flows for name in flow.keys][:MOST_KEYS]
    begins = _begins(text[:KEY_CHARS].lower())
    parts = [_key_part(flow, name) for flow, name in keys for _begin in begins]
    if not parts:
        return []
    statement = sql.SQL(
        "select distinct k.wid, i.flow_id, i.status::text as status, k.key, k.aname from ({}) k"
        " join wedsql.instance i on i.wid = k.wid where starts_with(lower({}), %s) order by k.wid desc"
    ).format(sql.SQL(" union all ").join(parts), shown(sql.SQL("k.key")))
    with connection.cursor() as cursor:  # a pattern that many values have must not lead to the whole table
        cursor.execute("set local enable_seqscan = off")
    given = [each for _key in keys for begin in begins for each in (begin, limit)]
    return _found(statement, [*given, text[:KEY_CHARS].lower()])


def shown(column: sql.Composable) -> sql.Composable:
    """Return a text as a page shows it: without blanks around it, and each row of blanks as one."""
    blanks = r"'[\s\u00a0\u2000-\u200a\u202f\u3000]+'"
    return sql.SQL(f"btrim(regexp_replace(normalize({{}}), {blanks}, ' ', 'g'))").format(column)


def _begins(text: str) -> list[str]:
    """Return the patterns by which the indexes are read: the text itself, then its first word.

    Values that are written in another way are among those that begin with the word.
    """
    word = text.partition(" ")[0]
    ways = [text, unicodedata.normalize("NFD", text), word, unicodedata.normalize("NFD", word), " ", "\n"]
    return list(dict.fromkeys(_escaped(each) + "%" for each in ways))


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")


def _key_part(flow: FlowFound, name: str) -> sql.Composed:
    """Return the query of one index; its order makes the value that is exactly the text the first."""
    return sql.SQL(
        "(select f.wid, left(f.{0}::text, 100) as key, {2} as aname from {1} f"
        " where lower(left(f.{0}::text, 100)) like %s"
        " order by lower(left(f.{0}::text, 100)) using operator(pg_catalog.~<~) limit %s)"
    ).format(sql.Identifier(name), sql.Identifier(flow.name, "wed_flow"), sql.Literal(name))


def _found(statement: str | sql.Composable, params: list[object]) -> list[InstanceFound]:
    return [InstanceFound(**each) for each in rows(statement, params)]
