"""A flow that a test leaves to the next one has its definition and no row more; a changed one is dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import psycopg
import pytest
from psycopg.types.json import Jsonb

from flows import api
from flows.capabilities.looks.api import Viewer
from flows.tests.flow_pool import DEFINITION, FlowPool
from flows.tests.kit import Connection, refused
from flows.tests.new_kit import NewKit
from testkit.sessions import SessionPool

pytestmark = pytest.mark.kernel
Connect = Callable[..., Connection]
NewKits = Callable[[], NewKit]
# Each table with a column for the flow, and that column.
TABLES = """
select c.relname, a.attname, a.atttypid = 'integer'::regtype
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname in ('flow_id', 'flow')
where c.relnamespace = 'wedsql'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
"""


@pytest.fixture
def pool(dsn: str) -> Iterator[FlowPool]:
    with psycopg.connect(dsn, autocommit=True, prepare_threshold=None) as admin:
        pool = FlowPool(admin)
        yield pool
        pool.close()


@pytest.fixture
def kits(pool: FlowPool, connect: Connect) -> NewKits:
    """A function that returns another kit with the same definition, as the next test has it."""

    def new() -> NewKit:
        kit = NewKit(pool, connect)
        kit.attrs("a", "b")
        kit.trig("tr_x", "a = '1'", max_attempts=1)
        kit.final("a = '2'")
        return kit

    return new


def left_behind(kit: NewKit) -> list[str]:
    """Return the tables with rows of the flow besides those of its definition."""
    found = []
    for table, column, by_number in kit.rows(TABLES):
        value = kit.id if by_number else kit.name
        if table not in DEFINITION and kit.one(
            f"select count(*) from wedsql.{table} where {column} = %s", [value]
        ):
            found.append(table)
    return found


def test_the_next_test_gets_the_flow_without_its_instances(kits: NewKits) -> None:
    first = kits()
    wid = first.start(a="1")
    first.run("tr_x", wid, a="2")
    failed = first.start(a="1")
    first.fail("tr_x", failed)
    first.start(a="1")
    name, number = first.name, first.id
    assert {"instance", "job_pool", "wed_trace", "repair_case"} <= {*left_behind(first)}

    first.leave()
    second = kits()

    assert (second.name, second.id) == (name, number)
    assert left_behind(second) == [] and second.rows("select * from {f}.wed_flow") == []
    assert second.status(second.start(a="1")) == "R"
    second.leave()


@pytest.mark.parametrize(
    "change",
    [
        "insert into {f}.wed_attr (aname) values ('c')",
        "update {f}.wed_trig set timeout = '1 hour' where trname = 'tr_x'",
        "update wedsql.flow set max_firings = 7 where name = {n}",
        "update wedsql.flow set label = 'x' where name = {n}",
        "create view {f}.mine as select a from {f}.wed_flow",
        "create index on {f}.wed_flow (a)",
        "create function {f}.mine() returns integer language sql return 1",
        "grant select on {f}.wed_flow to wed_reaper with grant option",
        "grant create on schema {f} to wed_web",
        "alter table {f}.wed_flow disable trigger c_update",
        "alter table {f}.wed_flow set (fillfactor = 50)",
        "revoke execute on function {f}.take from wed_worker",
    ],
)
def test_a_flow_that_was_changed_is_dropped(kits: NewKits, connect: Connect, change: str) -> None:
    kit = kits()
    kit.make()
    name = kit.name
    kit.rows(change)

    kit.leave()

    assert connect().execute("select 1 from wedsql.flow where name = %s", [name]).fetchall() == []


def test_a_flow_of_another_definition_is_another_one(kits: NewKits) -> None:
    first = kits()
    name = first.name
    first.leave()
    other = kits()
    other.attrs("more")

    assert other.name != name
    other.leave()


def test_a_flow_that_the_reaper_would_start_is_dropped(kits: NewKits, connect: Connect) -> None:
    kit = kits()
    kit.policy(start_at=["R/PT1H"])
    name = kit.name

    kit.leave()

    assert connect().execute("select 1 from wedsql.flow where name = %s", [name]).fetchall() == []


def test_a_flow_that_cannot_be_emptied_is_dropped(pool: FlowPool, connect: Connect) -> None:
    """Looks at masked values are never deleted."""
    kit = NewKit(pool, connect)
    kit.attrs("p")
    kit.rows("update {f}.wed_attr set visibility = 'masked'")
    kit.final("p = 'end'")
    kit.trig("tr_x", "p = '1'")
    name, wid = kit.name, kit.start(p="1")
    api.looks.look_at(wid, ["p"], "A call.", Viewer("ana"), conn=kit.conn)

    kit.leave()

    assert connect().execute("select 1 from wedsql.flow where name = %s", [name]).fetchall() == []


def test_what_is_expected_to_fail_is_executed_where_it_is_written(kits: NewKits) -> None:
    kit = kits()
    with refused("WD004"):
        kit.attr("not a name")
    with refused("WD002"):
        api.instances.start(kit.name, {"c": 1}, conn=kit.conn)
    kit.leave()


def test_definitions_that_differ_in_the_middle_of_long_json_are_different(kits: NewKits) -> None:
    """The text that psycopg shows of JSON is shortened, so two forms of the same length have the same one."""
    names = set()
    for limit in ("min", "max"):
        kit = kits()
        kit.attr("m", kind="integer")
        form = {"sections": [{"fields": [{"attribute": "m", limit: 5}]}]}
        kit.trig("t", "m is null", performer="person", form=Jsonb(form))
        names.add(kit.make())
        kit.leave()
    assert len(names) == 2


def test_a_session_that_the_product_has_used_is_used_again(dsn: str) -> None:
    """A new one plans the functions of the kernel again, which is a quarter of the time of these tests."""
    sessions, key = SessionPool(), (dsn, ())
    first = sessions.get(key)
    assert api.jobs.offer("no_such_flow", ["tr_x"], 1, conn=first) == []
    sessions.put(key, first)
    assert sessions.get(key) is first
    first.add_notice_handler(lambda _diagnostic: None)
    sessions.put(key, first)
    assert first.closed
