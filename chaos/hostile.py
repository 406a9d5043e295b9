"""Hostile texts, values and definitions, as strategies of Hypothesis."""

# ruff: noqa: E501 - a list of texts

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

WORDS = [
    "'", '"', "''", ";", "--", "/*", "*/", "\\", "$$", "$1", "%s", "%(a)s", "{0}", "{{7*7}}", "{% debug %}", "\x00", "\n",
    "\r\n", "\t", "\u202e", "\ud83d\ude00", "\uffff", "é", "ß", "İ", "<script>alert(1)</script>", "../../etc/passwd",
    "' or 1=1 --", "'; drop table wedsql.instance; --", "a = (select 1)", "pg_sleep(9)", "now()", "current_date",
    "wid", "status", "a", "b", "n", "true", "null", "NaN", "Infinity", "-1", "0", "1e309", "9" * 40, "2147483648",
    "1/0", "::integer", "::regclass", "lo_import('/etc/passwd')", "query_to_xml('select 1',true,true,'')", "(", ")", "((",
    "[", "]", ",", "=", "<>", "||", "~", "and", "or", "not", "in", "between", "case", "when", "E'\\''", "U&'\\0041'", "0x41",
    "a" * 3000, "(" * 60, "a~'((a{1,100}){1,100}){1,100}'", "http://x/", "\x1b[31m", "%00", "%c0%ae", "=cmd|' /C calc'!A0",
]  # fmt: skip
FORBIDDEN = [
    "set role wed_owner", "set session authorization wed_owner", "alter table attacked.wed_flow disable trigger all",
    "drop schema attacked cascade", "delete from wedsql.wed_trace", "update wedsql.instance set status = 'F'",
    "insert into wedsql.job_pool (wid, tgid, flow_id, trname, payload, fired_at, fired_xid, version)"
    " values (1, 1, 1, 'x', '{}', now(), 1, 1)",
    "delete from wedsql.job_pool", "truncate attacked.wed_flow", "delete from attacked.wed_flow", "update attacked.wed_flow set a = 'x'",
    "select wed_match.evaluate('attacked', array['a'], array['(select 1)'], '{}')", "select wedsql._settle(1, null, true)",
    "create or replace function wedsql.now() returns timestamptz language sql as 'select null'", "select wedsql.reap(1)",
    "copy wedsql.flow to program 'id'", "select pg_read_file('/etc/passwd')", "alter role wed_web superuser",
    "set session_replication_role = replica", "select setval('wedsql.took_at', 1)", "do $$begin lock table wedsql.job_pool; end$$",
    "update wedsql.flow set version = 99", "delete from wedsql.disk", "select wedsql.report_disk(0, 1)", "create trigger x before insert on attacked.wed_flow execute function wedsql._never()",
]  # fmt: skip


# This text occurs only inside values of states: no log may contain it.
CANARY = "kxqzwv7"


_ANY = st.text(st.characters(exclude_categories=()))  # lone surrogates, too, which UTF-8 cannot express
TEXT = st.builds(
    lambda glue, parts, most: glue.join(parts)[:most],
    st.sampled_from(["", " "]),
    st.lists(st.sampled_from(WORDS) | _ANY, max_size=6),
    st.sampled_from([5, 80, 5000]),
)
NUMBER = st.integers() | st.sampled_from([sign * 2**bits + more for sign in (1, -1) for bits in (31, 63, 70)
                                          for more in (-1, 0, 1)])  # fmt: skip
_DATES = st.sampled_from(["", "0", "1", "2026-13-45", "1 fortnight"])
VALUE = st.recursive(
    TEXT | NUMBER | _DATES | st.floats(allow_nan=False) | st.none() | st.booleans() | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
# Known names with bad values, unknown names, or both; or the canary.
STATE = st.dictionaries(st.sampled_from(["a", "b", "n", "d", "j", "wid", "A"]) | TEXT, VALUE, max_size=4) | (
    st.dictionaries(st.sampled_from("abnd"), TEXT.map(CANARY.__add__), min_size=1, max_size=1)
)
_KEYS = ["transition", "predicate", "final", "name", "type", "default", "timeout", "writes", "was", "id", "x"]
_PART = VALUE | st.dictionaries(st.sampled_from(_KEYS), TEXT, max_size=3)


@st.composite
def definitions(draw: st.DrawFn, base: dict[str, Any]) -> dict[str, Any]:
    """Return a definition with one to three errors."""
    found = copy.deepcopy(base)
    for _ in range(draw(st.integers(1, 3))):
        items = found.get(draw(st.sampled_from(["attributes", "triggers"])))
        how = draw(st.integers(0, 9))
        if how == 0 or not isinstance(items, list):
            found[draw(st.sampled_from([*found, "label", "final_when_pending", "max_firings"]) | TEXT)] = (
                draw(VALUE)
            )
        elif how < 4 or not items:
            items.append(draw(_PART))
        elif isinstance(one := draw(st.sampled_from(items)), dict):
            one[draw(st.sampled_from(_KEYS))] = draw(VALUE)
    return found


def storable(found: str) -> bool:
    """Return whether PostgreSQL can store the text."""
    return "\0" not in found and found.encode(errors="replace") == found.encode(errors="surrogatepass")
