"""Any identifier in a flow's generated SQL can be the name of an attribute without a conflict (K-34)."""

from __future__ import annotations

import psycopg
import pytest

from flows import api
from flows.tests.kit import Kit
from flows.tests.wording.names import SHARED_NAMES, identifiers
from testkit.cases import some

pytestmark = pytest.mark.kernel
PARTS = 7


@pytest.fixture(scope="module")
def names(dsn: str) -> list[str]:
    """All names that could conflict."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        api.flows.create("names_source", conn=connection)
        try:
            return identifiers(connection.execute, "names_source")
        finally:
            api.flows.drop("names_source", force=True, conn=connection)


@pytest.fixture
def defined(kit: Kit, names: list[str], part: int) -> list[str]:
    """A part of the names as attributes of the flow; conditions use those that are not SQL keywords."""
    mine = names[part::PARTS]
    assert len(mine) >= 50, "the sources were really read"
    with kit.conn.transaction():
        kit.rows(
            "insert into {f}.wed_attr (aname, adv) select u, case u when 'zz_go' then '0' end"
            " from unnest(%s::text[]) u",
            [["zz_go", *mine]],
        )
        holds = " and ".join(f"'never' <> {text}" for text in joined(readable(kit, mine)))
        kit.trig("tr_all", f"zz_go = '0' and {holds} or zz_go = 'other'", revalidate="at_take")
        kit.trig("tr_set", "zz_go = '1'", revalidate="withdraw", writes=["zz_go", *mine])
        kit.trig("tr_paper", "zz_go = '2'", refresh_payload=True)
        kit.final("zz_go = '9'")
    return mine


def joined(names: list[str]) -> list[str]:
    """Return the names in concatenations of 40: each || copies its operands, and a state may be 1 MB."""
    return [" || ".join(names[first : first + 40]) for first in range(0, len(names), 40)]


def readable(kit: Kit, names: list[str]) -> list[str]:
    """Return the names that a condition and a SET string can contain."""
    words = kit.rows("select word from pg_get_keywords() where catcode in ('R', 'T')")
    return sorted(set(names) - {"between", *(row.word for row in words)})


@pytest.mark.parametrize("part", some(range(PARTS), 2))
def test_k34_any_identifier_is_an_attribute(kit: Kit, defined: list[str]) -> None:
    """Start, complete with changes and with a SET string, and update as in the paper."""
    wid = kit.start(**dict.fromkeys(defined, "v"))
    kit.run("tr_all", wid, zz_go="1", **{name: f"{name} 1" for name in defined})
    assert kit.state(wid) == {"zz_go": "1"} | {name: f"{name} 1" for name in defined}
    texts = readable(kit, defined)
    text = ", ".join(f"{name} = {name} || '2'" for name in texts)
    with kit.step():
        kit.complete(kit.take("tr_set", wid), set_text=f"zz_go = '2', {text}")
    assert kit.state(wid).items() >= {name: f"{name} 12" for name in texts}.items()
    _paper_step(kit, wid, defined)
    assert kit.state(wid) == {"zz_go": "9"} | {name: f"{name} 3" for name in defined}
    assert kit.status(wid) == "F"


@pytest.mark.parametrize("part", some(range(PARTS), 2, first=1))
def test_k34_any_identifier_is_matched_again_and_removed(kit: Kit, defined: list[str]) -> None:
    wid = kit.start(**dict.fromkeys(defined, "v"))
    assert api.instances.rematch(kit.name, conn=kit.conn)["checked"] == 1
    kit.rows("delete from {f}.wed_trig where trname = 'tr_set'")
    kit.rows("update {f}.wed_trig set cpred = 'zz_go = ''0''' where trname = 'tr_all'")
    for name in defined[:3]:
        kit.rows("update {f}.wed_attr set aname = 'zz_new' where aname = %s", [name])
        kit.rows("delete from {f}.wed_attr where aname = 'zz_new'")
    assert kit.state(wid) == {"zz_go": "0"} | dict.fromkeys(defined[3:], "v")
    assert not [row.name for row in kit.rows("select * from wedsql.invariants()") if not row.ok]


def _paper_step(kit: Kit, wid: int, names: list[str]) -> None:
    with kit.conn.transaction():
        job = next(job for job in kit.pending(wid) if job.trname == "tr_paper")
        assert kit.lock(kit.conn, wid, job.tgid)
        values = ", ".join(f"\"{name}\" = '{name} 3'" for name in names)
        kit.rows(f"update {{f}}.wed_flow set zz_go = '9', {values} where wid = {wid}")


# One signature of every function in the catalog, with its name and argument types.
FORMS = """
select v.word, (select coalesce(array_agg(format_type(t, null)), '{}') from unnest(p.proargtypes::oid[]) t)
from wedsql.vocabulary v
join lateral (select * from pg_proc p where p.proname = v.word and p.pronamespace = 'pg_catalog'::regnamespace
              order by p.provolatile, p.pronargs, p.oid limit 1) p on true
where v.func is not null order by v.word
"""
VERDICT = """
create function pg_temp.verdict(p_text text, p_attrs jsonb) returns text language plpgsql as $$
declare
  v_detail text;
begin
  return (wedsql.canonical(p_text, p_attrs)).qualified;
exception when sqlstate 'WD005' then
  get stacked diagnostics v_detail = pg_exception_detail;
  return v_detail::jsonb ->> 'reason';
end $$
"""


def test_k34_a_name_means_the_attribute_and_its_call_the_function(kit: Kit) -> None:
    """For each function of the server: a condition on an attribute of its name reads like any other."""
    kit.rows(VERDICT)
    words = {row.word for row in kit.rows("select word from pg_get_keywords() where catcode in ('R', 'T')")}
    forms = [tuple(row) for row in kit.rows(FORMS) if row.word not in words | {"between"}]
    assert len(forms) > 2000
    texts, attrs, others = [], [], []
    for name, types in some(forms, 3):
        call = f"{name}({', '.join(f'$::{kind}' for kind in types)})"
        for text in (f"$ = 'x' and {call} is null or $ is null", f"{call} = $ || {name}($)"):
            texts.append(text.replace("$", name))
            others.append(text.replace("$", "zz_any"))
            attrs.append(name)
    rows = kit.rows(
        "select n, pg_temp.verdict(t, jsonb_build_object(n, 'text')) as named,"
        ' pg_temp.verdict(o, \'{"zz_any": "text"}\') as other'
        " from unnest(%s::text[], %s::text[], %s::text[]) u (t, o, n)",
        [texts, others, attrs],
    )
    wrong = [row for row in rows if row.named != row.other.replace('r."zz_any"', f'r."{row.n}"')]
    assert wrong == []


@pytest.fixture
def shared_names(kit: Kit) -> Kit:
    """A flow with attributes named like functions, and for each a trigger that also calls the function."""
    names = list(SHARED_NAMES)
    with kit.conn.transaction():
        kit.attrs("zz_go", *names)
        for name in names:
            kit.trig(f"tr_{name}", SHARED_NAMES[name][0])
        kit.final("zz_go = '9'")
    return kit


def test_k34_a_condition_uses_function_and_attribute_of_one_name(shared_names: Kit) -> None:
    wid = shared_names.start(**{name: value for name, (_, value) in SHARED_NAMES.items()})
    assert {job.trname for job in shared_names.pending(wid)} == {f"tr_{name}" for name in SHARED_NAMES}
    text = "zz_go = '9', lower = lower(lower), coalesce = coalesce(nullif(coalesce, 'X'), 'y') || now"
    shared_names.policy(final_when_pending="cancel")
    with shared_names.step():
        shared_names.complete(shared_names.take("tr_now", wid), set_text=text)
    assert shared_names.status(wid) == "F"
    assert (shared_names.state(wid)["lower"], shared_names.state(wid)["coalesce"]) == ("x", "yX")


def test_k34_a_rename_to_and_from_such_a_name(shared_names: Kit) -> None:
    """The conditions are rewritten, and mean the same as before."""
    for name in SHARED_NAMES:
        shared_names.rows("update {f}.wed_attr set aname = 'zz_new' where aname = %s", [name])
        (written,) = shared_names.rows(
            "select cpred, reads from wedsql.trig where trname = %s", [f"tr_{name}"]
        )
        assert written.reads == ["zz_new"]
        shared_names.rows("update {f}.wed_attr set aname = %s where aname = 'zz_new'", [name])
        assert (
            shared_names.one("select cpred from wedsql.trig where trname = %s", [f"tr_{name}"])
            == SHARED_NAMES[name][0]
        )
    wid = shared_names.start(**{name: value for name, (_, value) in SHARED_NAMES.items()})
    assert len(shared_names.pending(wid)) == len(SHARED_NAMES)
