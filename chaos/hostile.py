"""Hostile texts, values and definitions, the same ones for the same seed."""

# ruff: noqa: E501 - a list of texts

from __future__ import annotations

import copy
from random import Random
from typing import Any

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


def text(rng: Random) -> str:
    """Return a hostile text: joined words, sometimes cut or with a random character inserted."""
    found = rng.choice(["", " "]).join(rng.choice(WORDS) for _ in range(rng.randint(1, 6)))
    if rng.random() < 0.3:
        at = rng.randint(0, len(found))
        found = found[:at] + chr(rng.choice([0, 7, 39, 92, 127, 160, 0x2028, 0xFFFD, 0x1F600])) + found[at:]
    return found[: rng.choice([5, 80, 5000])]


def storable(found: str) -> bool:
    """Return whether PostgreSQL can store the text."""
    return "\0" not in found and found.encode(errors="replace") == found.encode(errors="surrogatepass")


def number(rng: Random) -> int:
    """Return an integer at the edge of some range, or beyond it."""
    return rng.choice(
        [0, -1, 2**31 - 1, 2**31, -(2**31) - 1, 2**40, 2**63 - 1, 2**63, -(2**63) - 1, 2**70, 10**40]
    )


def value(rng: Random, depth: int = 0) -> Any:
    """Return a hostile JSON value."""
    kind = rng.randrange(9 if depth < 3 else 6)
    if kind < 3:
        return text(rng)
    if kind == 3:
        return rng.choice([0, -1, 2**31, 2**63, 10**400, 1.5, 1e308, True, None])
    if kind < 6:
        return rng.choice(["", "0", "1", None, False, "2026-13-45", "1 fortnight"])
    if kind == 6:
        return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {text(rng)[:40]: value(rng, depth + 1) for _ in range(rng.randrange(4))}


def state(rng: Random) -> dict[str, Any]:
    """Return a hostile state: known names with bad values, unknown names, or both."""
    if rng.random() < 0.2:
        return {rng.choice(["a", "b", "n", "d"]): CANARY + text(rng)}
    names = ["a", "b", "n", "d", "j", "wid", "A", text(rng)[:60]]
    return {rng.choice(names): value(rng) for _ in range(rng.randint(0, 4))}


def definition(rng: Random, base: dict[str, Any]) -> dict[str, Any]:
    """Return a definition with one to three errors."""
    found = copy.deepcopy(base)
    for _ in range(rng.randint(1, 3)):
        where = rng.choice(["attributes", "triggers"])
        items = found.get(where)
        if not isinstance(items, list) or rng.random() < 0.1:
            found[rng.choice([where, "label", "final_when_pending", "max_firings", text(rng)[:20]])] = value(
                rng
            )
        elif not items or rng.random() < 0.3:
            items.append(
                value(rng) if rng.random() < 0.5 else {"transition": text(rng), "predicate": text(rng)}
            )
        else:
            one = rng.choice(items)
            if isinstance(one, dict):
                one[rng.choice([*one, "name", "type", "default", "timeout", "writes", "was", "id", "x"])] = (
                    value(rng)
                )
    return found
