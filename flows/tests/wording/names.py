"""Attribute names that could collide: all identifiers in the SQL of a flow, generated or not."""

from __future__ import annotations

import re
from typing import Any

from psycopg import sql

# Attributes with names of functions: a condition that uses both, and a value for which it holds.
SHARED_NAMES = {
    "coalesce": ("coalesce(coalesce, 'y') = 'X'", "X"),
    "lower": ("lower(lower) = 'x'", "X"),
    "upper": ("upper(upper) = 'X'", "x"),
    "length": ("length(length) = 1", "X"),
    "nullif": ("nullif(nullif, 'y') = 'X'", "X"),
    "greatest": ("greatest(greatest, 'A') = 'X'", "X"),
    "position": ("position('X' in position) = 1", "X"),
    "trim": ("trim(both ' ' from trim) = 'X'", " X "),
    "substring": ("substring(substring from 1 for 1) = 'X'", "XY"),
    "overlay": ("overlay(overlay placing 'X' from 1 for 1) = 'X'", "Y"),
    "extract": ("extract(year from extract::date) = 2026", "2026-01-01"),
    "concat": ("concat || 'y' = 'Xy'", "X"),
    "now": ("now = 'X'", "X"),
}

# Every option that adds code to the generated functions.
RICH = """
insert into {f}.wed_attr (aname, adv, type, options) values
  ('text_one', 'x', 'text', null), ('doc', '{{}}', 'jsonb', null), ('kind', 'a', 'enum', '{{a,b}}'),
  ('due', null, 'timestamptz', null);
insert into {f}.wed_trig
  (trname, cpred, revalidate, writes, due_attr, due_after, refresh_payload, fire_once) values
  ('tr_one', $$text_one = 'x' or kind = 'b'$$, 'at_take', '{{text_one}}', null, null, true, false),
  ('tr_two', $$kind = 'a'$$, 'withdraw', null, 'due', '1 hour', false, true);
insert into {f}.wed_trig (cpred, cfinal) values ($$kind = 'b'$$, true)
"""
SOURCES = """
select p.prosrc || ' ' || pg_get_function_arguments(p.oid) from pg_proc p
where p.pronamespace = %s::regnamespace or p.pronamespace = 'wed_match'::regnamespace
   or p.pronamespace = 'wedsql'::regnamespace and p.prosrc ~ 'wed_flow|%%[1-9]\\$I'
"""
IDENTIFIER = re.compile(r"(?<![\w$%])[a-z_][a-z0-9_]{0,62}(?!\w)")
# Names that the kernel reserves and rejects (WD004).
KEPT = {"wid", "status", "seq", "flow_id", "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"}


def identifiers(execute: Any, flow: str) -> list[str]:
    """Return the identifiers in the sources of a flow with every option that attributes can have as names."""
    execute(sql.SQL(RICH).format(f=sql.Identifier(flow)))
    sources = execute(SOURCES, [flow]).fetchall()
    found = {name for (source,) in sources for name in IDENTIFIER.findall(_code(source))}
    return sorted(name for name in found if name[0] != "_" and name not in KEPT)


def _code(source: str) -> str:
    return re.sub(r"--.*", "", source).lower()
