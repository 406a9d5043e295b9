"""Any short name, and any name in statements of the kernel, is an attribute in every feature (K-34)."""

from __future__ import annotations

import re
import string

import pytest
from psycopg.types.json import Jsonb

from flows import api
from flows.capabilities.cases.api import CaseRule
from flows.capabilities.looks.api import Viewer
from flows.capabilities.sla.api import Sla
from flows.tests.children import go
from flows.tests.kernel.definition.test_k_names import joined, readable
from flows.tests.kit import SELF, Kit, broken
from flows.tests.wording.names import IDENTIFIER, KEPT
from testkit.cases import some

pytestmark = pytest.mark.kernel
# How many attributes a flow has beside those that it needs (an automatic rule has 1,000 words), and how many
# such flows there are.
WIDE = 150
PARTS = 24
OWN = {"zz_go", "zz_n"}
SHORT = [a + b for a in string.ascii_lowercase for b in ("", *string.ascii_lowercase, *string.digits)]
SOURCES = """
select prosrc from pg_proc
where pronamespace in ('wedsql'::regnamespace, 'wed_match'::regnamespace) and prosrc ~ 'execute|_fill|format'
"""
COLUMNS = """
select distinct attname from pg_attribute
where attrelid in (select oid from pg_class where relnamespace = 'wedsql'::regnamespace) and attnum > 0
"""
# Names that are nested in others of the same statement: they are tried in each run.
FIRST = [*string.ascii_lowercase, "key", "actor", "version", "lock", "state", "wids", "found", "s_", "r_",
         "v_", "row", "tgid", "reason", "priority", "started_at", "changed_at"]  # fmt: skip


def names(kit: Kit) -> list[str]:
    """Return the names, the short ones and those that can conflict in most statements first."""
    code = re.sub(r"--.*", "", " ".join(row.prosrc for row in kit.rows(SOURCES)).lower())
    columns = [row.attname for row in kit.rows(COLUMNS)]
    every = dict.fromkeys([*FIRST, *columns, *SHORT, *sorted(set(IDENTIFIER.findall(code)))])
    counters = set(kit.one("select array(select jsonb_object_keys(wedsql._child_counters()))"))
    usable = set(readable(kit, [name for name in every if name[0] in string.ascii_lowercase]))
    return [name for name in every if name in usable - KEPT - OWN - counters]


def featured(kit: Kit, mine: list[str]) -> None:
    """Define a flow in which every feature reads and writes these attributes."""
    holds = " and ".join(f"'never' <> {text}" for text in joined(mine))
    with kit.conn.transaction():
        kit.attr("zz_go", "0")
        kit.attr("zz_n", "2", "integer")
        kit.rows("insert into {f}.wed_attr (aname) select unnest(%s::text[])", [mine])
        kit.rows("update {f}.wed_attr set business_key = true where aname = any(%s)", [mine[:30]])
        kit.rows("update {f}.wed_attr set visibility = 'masked' where aname = any(%s)", [mine[:30]])
        kit.trig("tr_work", f"zz_go = '0' and {holds}", max_attempts=1, compensation="inverse")
        kit.trig("auto", f"zz_go = '2' and {holds}", performer="database", sets=appended(mine, "3", "a"))
        kit.trig("kids", "zz_go = '3'", child=SELF, child_count="zz_n", child_set=lines(mine, "kid", "k"),
                 child_result=lines(mine, "4", "r"))  # fmt: skip
        kit.trig("wait", f"zz_go = '4' and {holds}", signal=True)
        kit.trig("desk", f"zz_go = '5' and {holds}", performer="person", role="Clerk", candidate=mine[1],
                 sets_when_taken=f"{mine[0]} = {mine[0]} || 't'",
                 outcomes=["OK: " + appended(mine, "end", "o")],
                 application=f"/tool/{{{mine[2]}}}", form=Jsonb(form(mine)))  # fmt: skip
        kit.rows(
            "insert into {f}.wed_trig (tgname, cpred, integrity) values ('sound', %s, 'always')", [holds]
        )
        kit.final("zz_go in ('end', 'kid')")


def form(mine: list[str]) -> dict[str, object]:
    """Return a form whose fields are shown and read-only by conditions over the attributes."""
    fields = [
        {"attribute": name, "shown": f"{name} is not null", "readonly": f"'never' = {name}"}
        for name in mine[:30]
    ]
    return {"sections": [{"title": "All", "fields": fields}]}


def lines(mine: list[str], go_to: str, mark: str) -> list[str]:
    return [f"zz_go = '{go_to}'", *(f"{name} = {name} || '{mark}'" for name in mine)]


def appended(mine: list[str], go_to: str, mark: str) -> str:
    return ", ".join(lines(mine, go_to, mark))


def marked(kit: Kit, wid: int, mine: list[str]) -> set[str]:
    """Return what the attributes have as values after their own names."""
    state = kit.state(wid)
    return {state[name].removeprefix(name) for name in mine}


def perform(kit: Kit, mine: list[str]) -> None:
    """Lead an instance through every feature that generates statements over its attributes."""
    holds = " and ".join(f"'never' <> {text}" for text in joined(mine))
    api.cases.save_rules(kit.name, [CaseRule("odd", holds)], "ann", conn=kit.conn)
    api.sla.save(kit.name, Sla("quick", 60, holds, "zz_go = 'end'"), "ann", conn=kit.conn)
    wid = kit.start(**{name: name for name in mine})
    kit.fail("tr_work", wid)
    assert kit.one("select queue from wedsql.repair_case where wid = %s", [wid]) == "odd"
    shown = api.looks.look_at(wid, mine[:30], "A call.", Viewer("ann"), conn=kit.conn)
    assert shown.values == {name: name for name in mine[:30]}
    number = kit.one("select wedsql.prepare_filter({n}, %s)", [holds])
    assert kit.one("select wedsql.filter_holds(%s, f.*) from {f}.wed_flow f where wid = %s", [number, wid])
    assert api.reasons.explain_instance(wid, conn=kit.conn)
    assert (
        api.repairs.preview(wid, "patch", {"changes": {"zz_go": "2"}}, "Go.", conn=kit.conn).refusal is None
    )
    api.repairs.repair(wid, "patch", {"changes": {"zz_go": "2"}}, "Go.", conn=kit.conn)
    assert marked(kit, wid, mine) == {"a"}
    go(kit)
    assert kit.state(wid)["zz_go"] == "4", kit.rows("select * from wedsql.trouble")
    assert marked(kit, wid, mine) == {"ar"}
    kids = [row.wid for row in kit.rows("select wid from wedsql.child where parent_wid = %s", [wid])]
    assert [marked(kit, kid, mine) for kid in kids] == [{"ak"}] * 2
    copy = api.repairs.repair(wid, "branch", {"seq": 1}, "Try.", conn=kit.conn)
    assert copy
    to = kit.state(wid)[mine[0]]
    sent = api.signals.send(kit.name, "wait", {"zz_go": "end", mine[1]: "sent"}, to=to, conn=kit.conn)
    assert (sent.wid, sent.outcome, kit.status(wid)) == (wid, "delivered", "F")
    perform_task(kit, mine)
    kit.rows("select wedsql.advance_slas()")
    assert broken(kit) == []


def perform_task(kit: Kit, mine: list[str]) -> None:
    """Have a person perform a task whose options read and write the attributes."""
    wid = kit.start(zz_go="5", **{name: name for name in mine})
    (job,) = [each.id for each in kit.pending(wid)]
    assert api.tasks.read(job, "ann", conn=kit.conn).audience == f"p:{mine[1]}"
    api.tasks.take(job, mine[1], [], conn=kit.conn)
    assert len(api.task_forms.form(job, {mine[3]: "typed"}, conn=kit.conn)) == len(mine[:30])
    foretold = api.task_forms.preview(job, mine[1], {}, "OK", conn=kit.conn)
    assert foretold["refusal"] is None
    api.tasks.complete(job, mine[1], {}, "OK", conn=kit.conn)
    assert (kit.status(wid), marked(kit, wid, mine[:1]), marked(kit, wid, mine[1:])) == ("F", {"to"}, {"o"})


@pytest.mark.parametrize("part", [0, *some(range(1, PARTS), PARTS)])
def test_k34_any_name_is_an_attribute_in_every_feature(kit: Kit, part: int) -> None:
    every = names(kit)
    assert len(every) <= PARTS * WIDE, "each name is in a part"
    mine = every[part * WIDE : (part + 1) * WIDE]
    if len(mine) > 30:
        featured(kit, mine)
        perform(kit, mine)


@pytest.mark.parametrize("name", some([*FIRST, "take", "start", "hold", "wedflow_", "u1", "x2"], 24))
def test_k34_any_name_is_a_flow_in_every_feature(kit: Kit, name: str) -> None:
    """The attributes have the short names, too, that of the flow among them."""
    api.flows.create(name, conn=kit.conn)
    flow = Kit(name, kit.connect)
    try:
        mine = names(flow)[:32]
        featured(flow, mine)
        perform(flow, mine)
    finally:
        api.flows.drop(name, force=True, conn=kit.conn)
