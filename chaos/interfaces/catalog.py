"""A fingerprint of a database's catalogs, which no input from outside may change."""

# ruff: noqa: S608 - the queries consist of constants of this file

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql

Fingerprint = dict[str, frozenset[str]]

# Roles with the right to publish may redesign the attacked flow: its table and functions are left out, and
# its definition is restored and compared as text. Partitions of the history are created automatically.
_OURS = "n.nspname in ('pg_catalog', 'wedsql', 'public', 'chaos', 'poison', 'side', 'timed', 'fifty')"
_NO_PARTITION = "c.relname !~ '^wed_trace_'"
_PARTS = {
    "relation": f"select c.oid::regclass, c.relkind, c.relowner, c.relacl from pg_class c"
    f" join pg_namespace n on n.oid = c.relnamespace where {_OURS} and {_NO_PARTITION}",
    "column": "select a.attrelid::regclass, a.attname, a.atttypid::regtype, a.attnotnull from pg_attribute a"
    f" join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace where {_OURS}"
    f" and {_NO_PARTITION} and a.attnum > 0 and not a.attisdropped",
    "function": "select p.oid::regprocedure, md5(p.prosrc), p.proowner, p.prosecdef, p.proacl, p.proconfig"
    f" from pg_proc p join pg_namespace n on n.oid = p.pronamespace where {_OURS}",
    "trigger": "select t.tgrelid::regclass, t.tgname, t.tgenabled, t.tgfoid::regproc from pg_trigger t"
    " where not t.tgisinternal",
    "role": "select r.rolname, r.rolsuper, r.rolcreaterole, r.rolcreatedb, r.rolcanlogin, r.rolreplication,"
    " r.rolbypassrls, r.rolconnlimit from pg_roles r",
    "role's setting": "select s.setdatabase, s.setrole, s.setconfig from pg_db_role_setting s",
    "membership": "select m.roleid::regrole, m.member::regrole, m.admin_option from pg_auth_members m",
    "schema": "select n.nspname, n.nspowner, n.nspacl from pg_namespace n"
    " where n.nspname !~ '^pg_(toast_)?temp'",
    "large object": "select oid from pg_largeobject_metadata",
    "extension": "select extname, extversion from pg_extension",
}


def fingerprint(conn: psycopg.Connection[Any]) -> Fingerprint:
    """Return every part of the catalogs as a set of lines."""
    return {part: _lines(conn, query) for part, query in _PARTS.items()}


def _lines(conn: psycopg.Connection[Any], query: str) -> frozenset[str]:
    asked = sql.SQL("select q::text from ({}) q").format(sql.SQL(query))
    return frozenset(line for (line,) in conn.execute(asked).fetchall())


def changes(before: Fingerprint, after: Fingerprint) -> list[str]:
    """Return the differences between two fingerprints, as text."""
    return [
        f"{part} {sign}: {line[:160]}"
        for part in before
        for sign, lines in (("gone", before[part] - after[part]), ("new", after[part] - before[part]))
        for line in sorted(lines)
    ]
