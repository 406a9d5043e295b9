"""No part of a round of the reaper stops another, whatever its error, nor does a flow that is dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from flows import api
from flows.tests.kit import Kit
from testkit.cases import some
from testkit.waiting import until

pytestmark = pytest.mark.kernel
# The functions of which a round consists: what they call is made to fail in turn.
ROUND = (
    "reap",
    "_reap_item",
    "_reap_parts",
    "_do_part",
    "_reap_flow_or_note",
    "_reap_flow",
    "_reap_kind",
    "_due_items",
)
# What keeps and adds up the failures themselves, and the lists of the parts.
REPORT = {
    "_call_reap_kinds", "_call_reap_parts", "_note_item_failure",
    "_note_trouble", "_note_part_failure", "_no_trouble", "_round_over", "_add_counts", "_reap_part",
    "_reap_parts", "_do_part", "_reap_flow_or_note", "_may_be_due_or_note", "_may_try",
    "_lock_holders",
}  # fmt: skip
# A code of each class with which a statement ends; 57014 ends the round, which has no time limit after it.
CODES = (
    "08006", "0A000", "22012", "22P02", "23505", "23514", "25006", "25P02", "2BP01", "3F000", "40001",
    "40P01", "42501", "42601", "42703", "42804", "42883", "42P01", "53100", "53200", "54001", "54023",
    "55000", "55006", "55P03", "57014", "57P04", "58030", "P0001", "P0002", "WD001", "WD005", "WD105",
    "XX000", "XX001",
)  # fmt: skip


SOURCE = """
select prosrc, pg_get_functiondef(oid) from pg_proc
where proname = %s and pronamespace = 'wedsql'::regnamespace order by pronargs desc
"""


@contextmanager
def failing(kit: Kit, function: str, code: str) -> Iterator[None]:
    """Make a function of the kernel count its calls and fail with this SQLSTATE."""
    form = kit.rows(SOURCE, [function])[0].pg_get_functiondef
    head = re.sub(r"LANGUAGE \w+", "LANGUAGE plpgsql", form.split("\nAS $")[0])
    body = f"perform nextval('public.calls'); raise exception 'made to fail' using errcode = '{code}';"
    kit.conn.execute(f"{head} as $f$ begin {body} end $f$")
    try:
        yield
    finally:
        kit.conn.execute(form)


def parts(kit: Kit) -> list[str]:
    """Return the functions that a round calls."""
    texts = [row.prosrc for name in ROUND for row in kit.rows(SOURCE, [name])]
    return sorted(set(re.findall(r"wedsql\.(_\w+)\(", " ".join(texts))) - REPORT)


@pytest.fixture
def two(kit: Kit) -> Iterator[tuple[Kit, Kit]]:
    """Two flows whose instances have a timer that is due."""
    name = f"{kit.name}_b"
    api.flows.create(name, conn=kit.conn)
    other = Kit(name, kit.connect)
    for each in (kit, other):
        each.attrs("a")
        each.trig("tr_due", "a = '1'", due_after="1 hour")
        each.trig("tr_x", "a = '1'", pickup_deadline="1 hour")
    kit.rows("create sequence public.calls")
    kit.rows("grant usage on sequence public.calls to public")
    yield kit, other
    kit.rows("drop sequence public.calls")
    if kit.one("select count(*) from wedsql.flow where name = %s", [name]):
        api.flows.drop(name, force=True, conn=kit.conn)


def fired(kit: Kit, wid: int) -> bool:
    return "_REMATCH" in {step.trw for step in kit.trace(wid)}


def test_a_part_of_a_round_that_fails_stops_no_other(two: tuple[Kit, Kit]) -> None:
    """Each function that a round calls, with an error of each class: the round ends, and says what failed."""
    kit, other = two
    names = parts(kit)
    once = set(re.findall(r"wedsql\.(_\w+)\(", kit.rows(SOURCE, ["_do_part"])[0].prosrc))
    assert len(names) > 20 and once | {"_due_items", "_fire_timer"} <= set(names)
    called, reaper = set(), kit.connect("wed_reaper")
    kit.clock("2 hours", reaper)
    for name, code in some([(name, code) for name in names for code in CODES], 9):
        wids = kit.start(a="1"), other.start(a="1")
        kit.rows("delete from wedsql.trouble")
        kit.rows("select setval('public.calls', 1, false)")
        with failing(kit, name, code):
            kit.one("select wedsql.reap()", (), reaper)
        if kit.one("select is_called from public.calls"):
            called.add(name)
            noted = kit.rows("select kind, sqlstate from wedsql.trouble where message = 'made to fail'")
            assert {row.sqlstate for row in noted} == {code}, name
        if name in once and code != "57014":
            assert fired(kit, wids[0]) and fired(other, wids[1]), (name, code)
    assert once <= called, "the walk has all parts of a round"


def test_a_flow_that_is_dropped_meanwhile_stops_no_round(two: tuple[Kit, Kit]) -> None:
    """The list of flows was read before: what is done in one that is gone costs the others nothing."""
    kit, gone = two
    wid = kit.start(a="1")
    gone.start(a="1")
    flow = kit.one("select f::text from wedsql.flow f where name = %s", [gone.name])
    api.flows.drop(gone.name, force=True, conn=kit.conn)
    for call in ("_reap_flow", "_reap_flow_or_note"):
        assert kit.one(f"select wedsql.{call}(%s::wedsql.flow, 9, wedsql.now())", [flow]) == {}
    assert kit.one("select count(*) from wedsql.trouble where kind in ('locked', 'flow')") == 0
    kit.reap("2 hours")
    assert fired(kit, wid)


def test_a_flow_that_is_dropped_meanwhile_is_left_out_of_the_invariants(two: tuple[Kit, Kit]) -> None:
    """The check waits for the transaction that drops the flow, whose table its snapshot still has."""
    kit, gone = two
    kit.start(a="1"), gone.start(a="1")
    dropping, checking = kit.connect(), kit.connect()
    with ThreadPoolExecutor() as pool:
        with dropping.transaction():
            api.flows.drop(gone.name, force=True, conn=dropping)
            found = pool.submit(kit.rows, "select * from wedsql.violations()", (), checking)
            waits = "select count(*) from pg_locks where not granted and pid = %s"
            until(lambda: found.done() or kit.one(waits, [checking.info.backend_pid]) > 0)
        assert len(found.result()) == 13
