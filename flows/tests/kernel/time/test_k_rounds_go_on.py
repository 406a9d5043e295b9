"""No case, policy, late result, clock of an SLA or parent stops a round beside the reaper's own.

What a round does with one instance is made to fail in turn, with a code of each class: the other instance has
its turn, the failure is kept with its reason, and what failed is done when it can be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from flows import api
from flows.capabilities.recovery.policies import RecoveryPolicy
from flows.capabilities.sla.api import Sla
from flows.tests.kernel.time.test_k_reaper_parts import CODES
from flows.tests.kit import SELF, Kit
from testkit.cases import pairs

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

COPY = """
select pg_get_functiondef(oid) as form, pg_get_function_arguments(oid) as arguments, proargnames as names,
       pg_get_function_result(oid) as result, pronargs
from pg_proc where proname = %s and pronamespace = 'wedsql'::regnamespace
"""


@dataclass(frozen=True)
class Part:
    """A part of a round: its function, what it calls for one instance, and what shows that it is done."""

    function: str
    calls: str
    sick: str
    done: str
    begin: Callable[[Kit], int]


def stuck(kit: Kit) -> int:
    wid = kit.start(a="1")
    kit.run("tr_x", wid, a="2")
    assert kit.status(wid) == "E"
    return wid


def waiting(kit: Kit) -> int:
    wid = stuck(kit)
    kit.rows(
        "update wedsql.repair_case set state = 'waiting', waits_for = 'x', waits_seq = -1,"
        " waits_until = now() + interval '1 hour' where wid = %s",
        [wid],
    )
    return wid


def late(kit: Kit) -> int:
    wid = kit.start(a="1")
    text = (
        "insert into wedsql.late_result (flow_id, wid, job_id, tgid, transition, base_seq, changes, code,"
        " actor, received_at, look_at)"
        " select %s, %s, 1, 1, 'tr_x', 0, '{}', 'WD204', 'w', now(), now() - interval '1 s'"
    )
    kit.rows(text, [kit.id, wid])
    return wid


CASE = "(select c.wid from wedsql.repair_case c where c.number = "
PARTS = {
    "signatures": Part("sign_cases", "_sign", CASE + "any (p_numbers) and c.wid = {wid}) is not null",
        "select signed_seq = seq from wedsql.repair_case where wid = %s", stuck),
    "waits": Part("end_waits", "_end_waits", "exists (select from unnest(p_cases) c where c.wid = {wid})",
        "select state <> 'waiting' from wedsql.repair_case where wid = %s", waiting),
    "policies": Part("run_policies", "_apply_policy", CASE + "p_number) = {wid}",
        "select status = 'C' from wedsql.instance where wid = %s", stuck),
    "late": Part("decide_late", "_decide_late", "(p_late).wid = {wid}",
        "select state <> 'kept' from wedsql.late_result where wid = %s", late),
    "clocks": Part("advance_slas", "_advance_clock", "p_wid = {wid}",
        "select exists (select from wedsql.sla_clock where wid = %s)", lambda kit: kit.start(a="1")),
    "past clocks": Part("advance_slas", "_advance_clock", "p_wid = {wid}",
        "select exists (select from wedsql.sla_clock where wid = %s)", lambda kit: kit.start(a="1")),
    "children": Part("continue_children", "_continue_job", "p_wid = {wid}",
        "select exists (select from wedsql.child where parent_wid = %s)", lambda kit: kit.start(a="3")),
}  # fmt: skip


@contextmanager
def failing(kit: Kit, part: Part, wid: int, code: str) -> Iterator[None]:
    """Make what a part of a round calls fail with this SQLSTATE for one instance."""
    (found,) = kit.rows(COPY, [part.calls])
    whole = f"wedsql._whole({', '.join(found.names[: found.pronargs])})"
    head = re.sub(r"LANGUAGE \w+", "LANGUAGE plpgsql", found.form.split("\nAS $")[0]).replace(" STABLE", "")
    go_on = f"perform {whole};" if found.result == "void" else f"return {whole};"
    kit.conn.execute(found.form.replace(f"FUNCTION wedsql.{part.calls}(", "FUNCTION wedsql._whole("))
    kit.conn.execute(
        f"{head} as $f$ begin if {part.sick.format(wid=wid)} then"
        f" raise exception 'made to fail' using errcode = '{code}'; end if; {go_on} end $f$"
    )
    try:
        yield
    finally:
        kit.conn.execute(found.form)
        kit.conn.execute(f"drop function wedsql._whole({found.arguments})")


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    kit.trig("tr_child", "a = '3'", child=SELF, child_set=["a = '1'"], child_result=["a = 'end'"])
    kit.final("a = 'end'")
    return kit


def prepare(kit: Kit, name: str) -> None:
    if name == "policies":
        api.repairs.save_policies(
            kit.name, [RecoveryPolicy("all", "cancel", cause="STUCK")], "ana", conn=kit.conn
        )
    if name.endswith("clocks"):
        api.sla.save(kit.name, Sla("answer", 3600), "ana", conn=kit.conn)


def rounds(kit: Kit, part: Part) -> None:
    """Do rounds every two seconds: one may end at what failed, and then the next ones wait a moment."""
    for number in range(6):
        kit.clock(f"{2 * number} seconds")
        kit.one(f"select wedsql.{part.function}()")


def seen(kit: Kit, wids: tuple[int, int], part: Part) -> list[bool]:
    return [bool(kit.one(part.done, [wid])) for wid in wids]


@pytest.mark.parametrize(("name", "code"), pairs(PARTS, CODES, 12) + [(name, "57014") for name in PARTS])
def test_an_instance_that_fails_stops_no_other(shop: Kit, name: str, code: str) -> None:
    part = PARTS[name]
    if name == "clocks":
        prepare(shop, name)
        rounds(shop, part)
    wids = part.begin(shop), part.begin(shop)
    if name != "clocks":
        prepare(shop, name)
    kind = name.removeprefix("past ")
    with failing(shop, part, wids[0], code):
        rounds(shop, part)
        assert seen(shop, wids, part) == [False, True]
        kept = "select sqlstate from wedsql.trouble where kind = %s and wid = %s"
        assert shop.one(kept, [kind, wids[0]]) == code
    shop.clock("10 minutes")
    shop.one(f"select wedsql.{part.function}()")
    shop.one("select wedsql.reap()")
    assert seen(shop, wids, part) == [True, True]
    if name != "late":  # nothing is left of it but its row, which the reaper forgets
        assert shop.one("select count(*) from wedsql.trouble where wid = %s", [wids[0]]) == 0
