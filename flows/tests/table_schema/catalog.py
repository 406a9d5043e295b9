"""What the catalog of a database says of the kernel's tables, as statements that a person reads."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import psycopg

WIDTH = 110
_TABLES = """
select c.oid, c.relname, c.relpersistence = 'u', pg_get_partkeydef(c.oid), c.reloptions,
  (select p.relname from pg_inherits join pg_class p on p.oid = inhrelid
   where inhparent = c.oid and pg_get_expr(p.relpartbound, p.oid) = 'DEFAULT')
from pg_class c
where c.relnamespace = 'wedsql'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  and c.relowner = 'wed_owner'::regrole
order by c.relname
"""
_COLUMNS = """
select a.attname, quote_ident(a.attname), format_type(a.atttypid, a.atttypmod), a.attnotnull,
  pg_get_expr(d.adbin, d.adrelid), a.attidentity::text, a.attstorage <> t.typstorage,
  (select s.relname from pg_depend i join pg_class s on s.oid = i.objid and s.relkind = 'S'
   where i.refobjid = a.attrelid and i.refobjsubid = a.attnum and i.deptype = 'i')
from pg_attribute a join pg_type t on t.oid = a.atttypid
left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
where a.attrelid = %s and a.attnum > 0 and not a.attisdropped order by a.attnum
"""
_CONSTRAINTS = """
select c.conname, pg_get_constraintdef(c.oid), (select relname from pg_class where oid = c.confrelid),
  array(select a.attname::text from pg_attribute a
        where a.attrelid = c.conrelid and a.attnum = any (c.conkey))
from pg_constraint c where c.conrelid = %s and c.contype in ('p', 'u', 'c', 'f')
order by strpos('pucf', c.contype::text), c.conname
"""
_INDEXES = """
select pg_get_indexdef(i.indexrelid) from pg_index i join pg_class c on c.oid = i.indexrelid
where i.indrelid = %s and not exists (select 1 from pg_constraint where conindid = i.indexrelid)
order by c.relname
"""
_SEQUENCES = """
select c.relname, format_type(s.seqtypid, null) from pg_sequence s join pg_class c on c.oid = s.seqrelid
where c.relnamespace = 'wedsql'::regnamespace and c.relowner = 'wed_owner'::regrole
  and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype in ('i', 'a'))
order by length(c.relname), c.relname
"""
_LITERAL = re.compile(r"('(?:[^']|'')*'|\"[^\"]*\")")
_LIST = re.compile(r"\(?([\w\"]+) = any \(array\[([^\]]*)\]\)\)?", re.IGNORECASE)


class Constraint(NamedTuple):
    """A constraint of a table, the table to which it refers, and its columns."""

    name: str
    definition: str
    refers_to: str | None
    columns: list[str]

    def text(self) -> str:
        """Return it as a part of the statement that creates or changes its table."""
        return f"constraint {self.name} {_plain(self.definition)}"


@dataclass
class Table:
    """A table with its columns, constraints and indexes."""

    name: str
    head: str
    tail: str
    columns: list[tuple[str, str]]
    constraints: list[Constraint]
    after: list[str]
    made: frozenset[str] = frozenset()

    @property
    def refers_to(self) -> set[str]:
        """Return the tables to which its foreign keys refer."""
        return {one.refers_to for one in self.constraints if one.refers_to}

    def text(self, made: Mapping[str, Table], comments: Mapping[str, list[str]]) -> str:
        """Return the statements that create it, without references to tables that are not yet made."""
        self.made = frozenset(made)
        ready = [one for one in self.constraints if one.refers_to is None or one.refers_to in made]
        lines = []
        for name, definition in self.columns:
            lines += [f"  {line}" for line in comments.get(f"{self.name}.{name}", [])]
            own = [_of_column(one.definition) for one in ready if self._inline(one) == name]
            lines += _wrapped("  " + " ".join([definition, *own]) + ",")
        for one in ready:
            if self._inline(one) is None:
                lines += _wrapped(f"  {one.text()},")
        lines[-1] = lines[-1].removesuffix(",")
        return "\n".join([*comments.get(self.name, []), self.head, *lines, self.tail, *self.after])

    def later(self) -> list[str]:
        """Return the statements that add what refers to tables that are made after this one."""
        return [
            line
            for one in self.constraints
            if one.refers_to and one.refers_to not in self.made
            for line in _wrapped(f"alter table wedsql.{self.name} add {one.text()};")
        ]

    def _inline(self, one: Constraint) -> str | None:
        """Return the column of a constraint that has the name that PostgreSQL gives to one of that column."""
        if len(one.columns) != 1 or "DEFERRABLE" in one.definition:
            return None
        (column,) = one.columns
        kind = one.definition.split()[0]
        suffix = {"PRIMARY": "pkey", "UNIQUE": f"{column}_key", "CHECK": f"{column}_check"}
        return column if one.name == f"{self.name}_{suffix.get(kind, f'{column}_fkey')}" else None


def tables(connection: psycopg.Connection[Any]) -> list[Table]:
    """Return the tables of the kernel by name; partitions of a month count as data."""
    return [_table(connection, *row) for row in connection.execute(_TABLES).fetchall()]


def sequences(connection: psycopg.Connection[Any]) -> list[tuple[str, str]]:
    """Return the sequences that no column owns, each with its statement."""
    return [
        (name, f"create sequence wedsql.{name}{'' if kind == 'bigint' else f' as {kind}'};")
        for name, kind in connection.execute(_SEQUENCES).fetchall()
    ]


def _table(
    connection: psycopg.Connection[Any],
    oid: int,
    name: str,
    unlogged: bool,
    key: str | None,
    options: list[str] | None,
    default: str | None,
) -> Table:
    columns = [_column(name, *row) for row in connection.execute(_COLUMNS, [oid]).fetchall()]
    partition = f" partition by {key.lower()}" if key else ""
    settings = f" with ({', '.join(options).replace('=', ' = ')})" if options else ""
    after = [_index(text) for (text,) in connection.execute(_INDEXES, [oid]).fetchall()]
    if default:
        after.insert(0, f"create table wedsql.{default} partition of wedsql.{name} default;")
    external = [column for column, _, yes in columns if yes]
    after += [f"alter table wedsql.{name} alter column {one} set storage external;" for one in external]
    return Table(
        name,
        f"create {'unlogged ' if unlogged else ''}table wedsql.{name} (",
        "\n".join(_wrapped(f"){partition}{settings};")),
        [(column, text) for column, text, _ in columns],
        [Constraint(*row) for row in connection.execute(_CONSTRAINTS, [oid]).fetchall()],
        after,
    )


def _column(table: str, *row: Any) -> tuple[str, str, bool]:
    name, quoted, kind, required, default, identity, external, sequence = row
    parts = [quoted, kind.replace("timestamp with time zone", "timestamptz")]
    if identity:
        parts.append(f"generated {'always' if identity == 'a' else 'by default'} as identity")
        if sequence != f"{table}_{name}_seq":
            parts.append(f"(sequence name wedsql.{sequence})")
    elif required:
        parts.append("not null")
    if default is not None:
        parts.append(f"default {_plain(default)}")
    return name, " ".join(parts), external


def _index(definition: str) -> str:
    return "\n".join(_wrapped(_plain(definition).replace(" using btree", "") + ";"))


def _of_column(definition: str) -> str:
    """Return a constraint of one column without the name of the column."""
    if definition.startswith("CHECK"):
        return _plain(definition)
    return re.sub(r"^(?:foreign key|(primary key|unique)) \([^)]*\) ?", r"\1", _plain(definition))


def _plain(definition: str) -> str:
    """Return an expression of the catalog as a person writes it: small letters, literals without casts."""
    text = re.sub(r"(?<=')::(?:text|\"char\")(?!\[)", "", definition).replace("ONLY ", "")
    parts = _LITERAL.split(text)
    text = "".join(part if number % 2 else part.lower() for number, part in enumerate(parts))
    text = _LIST.sub(r"\1 in (\2)", text)
    text = re.sub(r"\b(wedsql[.]\w+)\(", r"\1 (", text)
    return re.sub(r"check \(\((.*)\)\)$", r"check (\1)", text)


def _wrapped(line: str) -> list[str]:
    """Break a long line between words, never within a literal."""
    safe = _LITERAL.sub(lambda found: found[0].replace(" ", "\0"), line)
    indent = line[: len(line) - len(line.lstrip())] + "  "
    wrapper = textwrap.TextWrapper(WIDTH, subsequent_indent=indent, break_long_words=False)
    wrapper.break_on_hyphens = False
    return [one.replace("\0", " ") for one in wrapper.wrap(safe)]
