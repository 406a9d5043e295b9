"""Queries of forms: rows of a flow to choose from, by a condition, within limits (T-037, T-297)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from flows import api
from flows.tests.kit import Kit, refused
from testkit.cases import long

pytestmark = pytest.mark.kernel
QUERY = {
    "flow": "shops",
    "where": "town = my_town and (closed is null or not closed) and stock >= my_need",
    "value": "code",
    "columns": ["name", "stock"],
}
ROWS = 1_000_000 if long() else 120_000


def form(query: Any, attribute: str = "shop") -> Any:
    return Jsonb({"sections": [{"fields": [{"attribute": attribute, "kind": "query", "query": query}]}]})


@pytest.fixture
def shops(kit: Kit) -> Iterator[str]:
    """A flow whose instances are chosen from."""
    name = f"{kit.name}_shops"
    api.flows.create(name, conn=kit.conn)
    attributes = [{"name": each} for each in ("code", "name", "town")]
    attributes += [{"name": "stock", "type": "integer"}, {"name": "closed", "type": "boolean"}]
    triggers = [{"predicate": "code is not null", "final": True}]
    api.flows.publish(name, {"attributes": attributes, "triggers": triggers}, conn=kit.conn)
    yield name
    api.flows.drop(name, force=True, conn=kit.conn)


@pytest.fixture
def desk(kit: Kit, shops: str) -> Kit:
    kit.attrs("town", "shop", "done")
    kit.attr("need", kind="integer")
    kit.trig("tr_order", "done is null", performer="person", outcomes=["Order: done = 'yes'"],
             form=form({**QUERY, "flow": shops}))  # fmt: skip
    kit.final("done = 'yes'")
    for n in range(8):
        state = {
            "code": f"S{n}",
            "name": f"Shop number {n}",
            "town": "Rio" if n % 2 else "Recife",
            "stock": n,
        }
        api.instances.start(shops, state, conn=kit.conn)
    return kit


def task(kit: Kit, **state: Any) -> int:
    wid = kit.start(**state)
    (found,) = [each for each in api.tasks.of_flow(kit.name, conn=kit.conn) if each.wid == wid]
    api.tasks.take(found.job_id, "ana", [f"f:{kit.name}"], conn=kit.conn)
    return found.job_id


def offered(kit: Kit, job: int, data: Any = None, **more: Any) -> list[Any]:
    return [
        each["value"] for each in api.task_forms.choices(job, "shop", data, conn=kit.conn, **more)["items"]
    ]


def test_rows_are_those_on_which_the_condition_holds_with_what_was_typed(desk: Kit) -> None:
    job = task(desk, town="Rio", need=2)
    found = api.task_forms.choices(job, "shop", conn=desk.conn)
    assert [(each["value"], each["texts"]) for each in found["items"]] == [
        ("S7", ["Shop number 7", "7"]), ("S5", ["Shop number 5", "5"]), ("S3", ["Shop number 3", "3"]),
    ]  # fmt: skip
    assert found["complete"] is True
    assert offered(desk, job, {"need": 5}) == ["S7", "S5"]
    assert offered(desk, job, {"town": "Recife", "need": 6}) == ["S6"]
    assert offered(desk, job, {"town": None}) == []
    assert offered(desk, job, {"need": "many"}) == ["S7", "S5", "S3"]  # no value: as it is


def test_rows_are_searched_and_limited(desk: Kit) -> None:
    job = task(desk, town="Rio", need=0)
    assert offered(desk, job, search=" NUMBER 5 ") == ["S5"]
    assert offered(desk, job, search="s7") == ["S7"]
    assert offered(desk, job, search="%") == []
    found = api.task_forms.choices(job, "shop", limit=2, conn=desk.conn)
    assert [each["value"] for each in found["items"]] == ["S7", "S5"] and found["complete"] is False
    assert len(api.task_forms.choices(job, "shop", limit=0, conn=desk.conn)["items"]) == 1


def test_only_what_is_offered_is_written(desk: Kit, shops: str) -> None:
    job = task(desk, town="Rio", need=2)
    for data in ({"shop": "S1"}, {"shop": "S2"}, {"shop": "none"}, {"shop": "S5", "need": 6}):
        with refused("WD595") as why:
            api.tasks.complete(job, "ana", data, "Order", conn=desk.conn)
        assert why.facts["wrong"] == {"shop": "row"}
    assert api.tasks.complete(job, "ana", {"shop": "S1", "need": 1}, "Order", conn=desk.conn).status == "F"
    assert api.tasks.complete(task(desk), "ana", {"shop": None}, "Order", conn=desk.conn).status == "F"


def test_cancelled_rows_and_those_without_a_value_are_not_offered(kit: Kit, shops: str) -> None:
    kit.attrs("shop", "done")
    kit.trig("t", "done is null", performer="person", form=form({"flow": shops, "value": "code"}))
    kit.rows(
        f"insert into {shops}.wed_trig (trname, cpred) values ('open', 'name is not null and code is null')"
    )
    kit.rows(f"insert into {shops}.wed_trig (trname, cpred) values ('shut', 'closed')")
    api.instances.start(shops, {"name": "without a code"}, conn=kit.conn)
    gone = api.instances.start(shops, {"code": "S1", "closed": True}, conn=kit.conn)
    api.instances.start(shops, {"code": "S2"}, conn=kit.conn)
    job = task(kit)
    kit.rows("update wedsql.instance set status = 'R' where wid = %s", [gone])
    assert offered(kit, job) == ["S2", "S1"]
    kit.rows("update wedsql.instance set status = 'C' where wid = %s", [gone])
    assert offered(kit, job) == ["S2"]


def test_a_condition_that_fails_on_a_row_leaves_the_row_out(kit: Kit, shops: str) -> None:
    kit.attrs("shop", "done")
    kit.trig("t", "done is null", performer="person", outcomes=["Order: done = 'yes'"],
             form=form({"flow": shops, "where": "10 / stock >= 5", "value": "code"}))  # fmt: skip
    for n in range(4):
        api.instances.start(shops, {"code": f"S{n}", "stock": n}, conn=kit.conn)
    assert offered(kit, task(kit)) == ["S2", "S1"]


def test_rows_of_the_own_flow_are_offered(kit: Kit) -> None:
    kit.attrs("customer", "earlier", "done")
    query = {"where": "customer = my_customer and done = 'yes'", "value": "customer"}
    kit.trig("t", "done is null", performer="person", outcomes=["End: done = 'yes'"],
             form=form(query, "earlier"))  # fmt: skip
    kit.final("done = 'yes'")
    for who in ("lima", "souza"):
        api.tasks.complete(task(kit, customer=who), "ana", {}, "End", conn=kit.conn)
    job = task(kit, customer="lima")
    (item,) = api.task_forms.choices(job, "earlier", conn=kit.conn)["items"]
    assert item["value"] == "lima"
    kit.rows("update {f}.wed_attr set aname = 'client' where aname = 'customer'")
    found = kit.one("select form from {f}.wed_trig where trname = 't'")
    query = found["sections"][0]["fields"][0]["query"]
    assert query == {"where": "client = my_client and done = 'yes'", "value": "client"}
    assert len(api.task_forms.choices(job, "earlier", conn=kit.conn)["items"]) == 1
    with refused("WD007"):
        kit.rows("delete from {f}.wed_attr where aname = 'client'")


def test_an_attribute_that_a_query_reads_is_renamed_and_stays(desk: Kit) -> None:
    desk.rows("update {f}.wed_attr set aname = 'city' where aname = 'town'")
    found = desk.one("select form from {f}.wed_trig where trname = 'tr_order'")
    where = found["sections"][0]["fields"][0]["query"]["where"]
    assert where == "town = my_city and (closed is null or not closed) and stock >= my_need"
    with refused("WD007"):
        desk.rows("delete from {f}.wed_attr where aname = 'need'")


def test_a_query_about_what_there_is_no_longer_fails_with_its_field(desk: Kit, shops: str) -> None:
    job = task(desk, town="Rio", need=1)
    desk.rows(f"delete from {shops}.wed_attr where aname = 'closed'")
    with refused("WD597"):
        offered(desk, job)
    with refused("WD597") as why:
        api.tasks.complete(job, "ana", {"shop": "S1"}, "Order", conn=desk.conn)
    assert why.facts["field"] == "shop"
    api.flows.drop(shops, force=True, conn=desk.conn)
    with refused("WD597"):
        offered(desk, job)
    assert api.tasks.read(job, "ana", conn=desk.conn).form is not None
    api.flows.create(shops, conn=desk.conn)
    with refused("WD597"):
        api.task_forms.choices(job, "town", conn=desk.conn)


@pytest.fixture
def hurried(kit: Kit) -> Iterator[None]:
    """Queries have no time but for the first part of the rows."""
    text = kit.one("select pg_get_functiondef('wedsql._query_time()'::regprocedure)")
    kit.rows("create or replace function wedsql._query_time() returns interval language sql immutable "
             "set search_path = pg_catalog, pg_temp as $$ select interval '0' $$")  # fmt: skip
    yield
    kit.rows(text)


def many(kit: Kit, shops: str) -> int:
    """Start more shops than one part has, and return a task."""
    states = [{"code": f"M{n}", "town": "Rio", "stock": 1} for n in range(1100)]
    for first in range(0, len(states), 100):
        api.instances.start_many(shops, states[first : first + 100], conn=kit.conn)
    return task(kit, town="Rio", need=0)


def test_rows_are_read_in_parts_and_by_what_has_to_be_equal(desk: Kit, shops: str) -> None:
    job = many(desk, shops)
    assert len(offered(desk, job, limit=200)) == 200
    assert offered(desk, job, search="Shop number 1") == ["S1"]  # it is in the second part that is read
    call = """select wedsql._query_statement(%s, %s, '{town,stock}', wedsql._attr_types(f.id), %s)
              from wedsql.flow f where f.name = %s"""
    own = Jsonb({"town": "text", "need": "integer"})
    plan = desk.one(call, [shops, Jsonb({**QUERY, "flow": shops}), own, shops])
    assert "w.town = ($2 ->> 'town')::text" in plan and plan.count("limit 1000") == 1


@pytest.mark.usefixtures("hurried")
def test_a_query_ends_when_its_time_is_over(desk: Kit, shops: str) -> None:
    job = many(desk, shops)
    with refused("WD597") as why:
        offered(desk, job, search="Shop number 1")
    assert "found nothing" in why.message
    found = api.task_forms.choices(job, "shop", {"need": 1}, "M109", limit=100, conn=desk.conn)
    assert found["complete"] is False and len(found["items"]) == 11  # what was found until then
    assert why.facts["seconds"] == 0


COPIES = """
do $do$ declare v_columns text; begin
  select string_agg(format('i.%%I', a.attname), ', ') filter (where a.attname <> 'wid') into v_columns
  from pg_attribute a where a.attrelid = 'wedsql.instance'::regclass and a.attnum > 0 and not a.attisdropped;
  execute format('insert into wedsql.instance (wid, %%s) select n, %%s from wedsql.instance i, '
    'generate_series(%(first)s, %(last)s) n where i.wid = %(wid)s', replace(v_columns, 'i.', ''), v_columns);
  execute 'alter table "{shops}".wed_flow disable trigger user';
  execute 'insert into "{shops}".wed_flow (wid, code, name, town, stock) '
    'select n, ''C'' || n, ''Copy '' || n, ''Natal'', 1 from generate_series(%(first)s, %(last)s) n';
  execute 'alter table "{shops}".wed_flow enable trigger user';
end $do$
"""
READ = "select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables where relid = %s::regclass"


@pytest.fixture
def million(desk: Kit, shops: str) -> int:
    """A flow with a million rows, copies of one as the kernel writes it; returns a task."""
    (row, *_) = desk.rows(
        "select wid from wedsql.instance where flow_id = (select id from wedsql.flow where name = %s)",
        [shops],
    )
    first = desk.one("select max(wid) + 1000 from wedsql.instance")
    numbers = f"{first}, {first + ROWS - 1}, {row.wid}"
    text = COPIES.replace("{shops}", shops)
    for name, number in zip(("first", "last", "wid"), numbers.split(", "), strict=True):
        text = text.replace(f"%({name})s", number)
    desk.rows(text.replace("%%", "%"))
    desk.rows(f'analyze wedsql.instance; analyze "{shops}".wed_flow')
    return task(desk, town="Natal", need=0)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(("town", "search"), [("Belém", ""), ("Natal", "no such text")])
def test_of_a_million_rows_a_query_without_time_reads_one_part(
    desk: Kit, shops: str, million: int, town: str, search: str
) -> None:
    with desk.conn.transaction():
        with refused("WD597"), desk.conn.transaction():
            api.task_forms.choices(million, "shop", {"town": town}, search, conn=desk.conn)
        assert desk.one(READ, [f'"{shops}".wed_flow']) < 3 * 10_000


def test_a_million_rows_that_fit_are_offered_by_200_and_one_of_them_is_written(
    desk: Kit, shops: str, million: int
) -> None:
    found = api.task_forms.choices(million, "shop", {"town": "Natal"}, limit=100_000, conn=desk.conn)
    assert (len(found["items"]), found["complete"]) == (200, False)
    assert desk.one(READ, [f'"{shops}".wed_flow']) < 3 * 10_000
    chosen = found["items"][150]["value"]
    with refused("WD595"):
        api.tasks.complete(million, "ana", {"shop": "S0"}, "Order", conn=desk.conn)
    api.tasks.complete(million, "ana", {"shop": chosen}, "Order", conn=desk.conn)


def test_a_query_that_the_server_cancels_is_an_error_at_its_field(desk: Kit, shops: str) -> None:
    """The rows are locked, so that the query waits until the server ends it."""
    job = task(desk, town="Rio", need=0)
    with desk.connect() as other, other.transaction():
        other.execute(f'lock table "{shops}".wed_flow in access exclusive mode')
        desk.rows("set statement_timeout = '1s'")
        with refused("WD597") as why:
            api.task_forms.choices(job, "shop", conn=desk.conn)
        assert "took longer" in why.message
        with refused("WD597") as why:
            api.tasks.complete(job, "ana", {"shop": "S1"}, "Order", conn=desk.conn)
        assert why.facts["field"] == "shop"
        desk.rows("reset statement_timeout")
    assert api.tasks.complete(job, "ana", {"shop": "S1"}, "Order", conn=desk.conn).status == "F"


@pytest.mark.parametrize(
    ("query", "code", "facts"),
    [
        ({"value": "code", "flow": "none_such"}, "WD001", {"flow": "none_such"}),
        ({"value": "none"}, "WD002", {"name": "none"}),
        ({"value": "code", "columns": ["none"]}, "WD002", {"name": "none"}),
        ({"value": "stock"}, "WD009", {"name": "stock"}),
        ({"value": "closed"}, "WD009", {"name": "closed"}),
        ({}, "WD009", {}),
        ({"value": 1}, "WD009", {}),
        ({"value": "code", "sql": "select 1"}, "WD009", {"entry": "sql"}),
        ({"value": "code", "columns": ["code"] * 11}, "WD009", {}),
        ({"value": "code", "where": "none = 1"}, "WD005", {}),
        ({"value": "code", "where": "my_code = 'x'"}, "WD005", {}),
        ({"value": "code", "where": "stock"}, "WD006", {}),
        ({"value": "code", "where": "stock > my_town"}, "WD006", {}),
        ({"value": "code", "where": "now() > '2020-01-01'"}, "WD005", {}),
        ({"value": "code", "where": "code in (select 'x')"}, "WD005", {}),
        ({"value": "code", "where": "true; drop table wedsql.flow"}, "WD005", {}),
        ({"value": "code", "where": "x" * 4001}, "WD009", {}),
        ({"value": "code", "where": "pg_sleep(10) is null"}, "WD005", {}),
    ],
)
def test_a_query_that_can_never_work_is_refused_with_its_field(
    kit: Kit, shops: str, query: Any, code: str, facts: dict[str, Any]
) -> None:
    kit.attrs("shop", "town", "done")
    with refused(code) as why:
        kit.trig("t", "done is null", performer="person", form=form({"flow": shops, **query}))
    assert (why.facts["field"], why.facts["option"]) == (
        "shop",
        "query",
    ) and facts.items() <= why.facts.items()
    assert kit.one("select count(*) from wedsql.flow where name = %s", [shops]) == 1


def test_a_name_that_could_mean_either_is_refused(kit: Kit, shops: str) -> None:
    kit.attrs("shop", "done", "name")
    kit.rows(f"insert into {shops}.wed_attr (aname) values ('my_name')")
    with refused("WD009") as why:
        kit.trig("t", "done is null", performer="person",
                 form=form({"flow": shops, "value": "code", "where": "my_name = name"}))  # fmt: skip
    assert why.facts["name"] == "name"
