"""The functions of a flow are generated once per transaction, after its last change of the definition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from flows import api
from flows.tests.kit import Kit, broken, tgid

pytestmark = pytest.mark.kernel

PUBLIC = ("start_many", "take", "hold", "complete_many", "complete_held")


@contextmanager
def counted(kit: Kit) -> Iterator[list[int]]:
    """Run the block in a transaction, then its deferred triggers, and count the generations of functions.

    The list that is yielded gets the number before the deferred triggers and the number after them.
    """
    kit.rows("set track_functions = 'pl'")
    numbers: list[int] = []
    with kit.conn.transaction():
        before = generated(kit)
        yield numbers
        numbers.append(generated(kit) - before)
        kit.rows("set constraints all immediate")
        numbers.append(generated(kit) - before)


def generated(kit: Kit) -> int:
    """Return the number of generations that this session has not yet reported to the statistics."""
    query = "select sum(calls) from pg_stat_xact_user_functions where funcname = '_generate'"
    return int(kit.one(query) or 0)


def define(kit: Kit) -> None:
    """Add two attributes and two triggers, by a statement each."""
    kit.attrs("a", "b")
    kit.trig("tr_x", "a = '1'")
    kit.trig("tr_y", "b = '1'")


def deferring(kit: Kit) -> int:
    """Return how many functions of the flow generate its functions before they do their work."""
    return int(
        kit.one(
            "select count(*) from pg_proc where pronamespace = '{f}'::regnamespace"
            " and strpos(prosrc, '_generate(') > 0"
        )
    )


@pytest.fixture
def made(kit: Kit) -> Kit:
    """The kit for a flow that the test creates; the flow of that name is dropped before."""
    made = Kit(kit.name, kit.connect)
    api.flows.drop(made.name, conn=made.conn)
    return made


def create(kit: Kit) -> None:
    kit.id = api.flows.create(kit.name, conn=kit.conn)


STARTS: dict[str, Callable[[Kit], Any]] = {
    "api": lambda kit: kit.start(a="1"),
    "start_many": lambda kit: kit.rows(
        """select * from {f}.start_many(array['{"a": "1"}'::jsonb], 'test')"""
    ),
    "insert": lambda kit: kit.rows("insert into {f}.wed_flow (a) values ('1')"),
}


def test_a_flow_and_its_definition_are_generated_once_at_the_commit(made: Kit) -> None:
    with counted(made) as numbers:
        create(made)
        define(made)
    assert numbers == [0, 1]
    assert made.start(b="1") and deferring(made) == 0


def test_a_flow_without_definition_is_generated_at_the_commit(made: Kit) -> None:
    with counted(made) as numbers:
        create(made)
        assert deferring(made) == len(PUBLIC)
    assert numbers == [0, 1] and deferring(made) == 0


def test_a_flow_that_is_created_alone_has_its_functions_in_other_sessions(made: Kit) -> None:
    create(made)
    assert deferring(made) == 0
    with made.connect() as other:
        row = other.execute(f"select sqlstate from {made.name}.start_many(array['{{}}'::jsonb])").fetchone()
    assert row == ("WD101",)


@pytest.mark.parametrize("constraints", ["deferred", "immediate"])
def test_a_publication_generates_once(kit: Kit, constraints: str) -> None:
    define(kit)
    definition = api.flows.definition(kit.name, conn=kit.conn)
    definition["attributes"].append({"name": "c"})
    definition["triggers"][0]["predicate"] = "a = '2'"
    definition["triggers"].append({"transition": "tr_z", "predicate": "c = '2'"})
    with counted(kit) as numbers:
        kit.rows(f"set constraints all {constraints}")
        api.flows.publish(kit.name, definition, conn=kit.conn)
    assert numbers == [1, 1]


def test_a_new_flow_that_is_published_at_once_is_generated_once(made: Kit) -> None:
    with counted(made) as numbers:
        create(made)
        triggers = [{"transition": "tr_x", "predicate": "a = '1'"}]
        api.flows.publish(made.name, {"attributes": [{"name": "a"}], "triggers": triggers}, conn=made.conn)
        assert made.start(a="1")
    assert numbers == [1, 1]


def test_a_flow_that_is_dropped_again_is_never_generated(made: Kit) -> None:
    with counted(made) as numbers:
        create(made)
        define(made)
        api.flows.drop(made.name, conn=made.conn)
    assert numbers == [0, 0]
    assert made.one("select count(*) from wedsql.flow where name = %s", [made.name]) == 0


@pytest.mark.parametrize("new", [True, False], ids=["new", "old"])
@pytest.mark.parametrize("start", STARTS)
def test_a_start_generates_first_and_a_later_change_once_more(made: Kit, start: str, new: bool) -> None:
    if not new:
        create(made)
    with counted(made) as numbers:
        if new:
            create(made)
        define(made)
        STARTS[start](made)
        STARTS[start](made)
        assert deferring(made) == 0
        made.trig("tr_z", "a = '1'")
        assert deferring(made) == len(PUBLIC)
        STARTS[start](made)
    assert numbers == [2, 2] and broken(made) == []
    # The first two got tr_z by the re-match at the commit.
    assert made.rows("select trname, count(*) from {f}.job_pool group by 1 order by 1") == [
        ("tr_x", 3),
        ("tr_z", 3),
    ]


def test_changes_after_a_start_are_generated_at_the_commit(made: Kit) -> None:
    with counted(made) as numbers:
        create(made)
        define(made)
        early = made.start(a="1")
        made.attr("c", "7")
    late = made.start(a="1", c="8")
    assert numbers == [1, 2] and broken(made) == []
    assert (made.state(early)["c"], made.state(late)["c"]) == ("7", "8")


def test_a_generation_that_is_rolled_back_is_done_again(made: Kit) -> None:
    with counted(made) as numbers:
        create(made)
        made.attrs("a")
        with made.conn.transaction(force_rollback=True):
            made.trig("tr_x", "a = '1'")
            assert made.start(a="1") and deferring(made) == 0
        assert deferring(made) == len(PUBLIC)
        with made.conn.transaction(force_rollback=True):
            made.rows("set constraints all immediate")
            assert deferring(made) == 0
        made.trig("tr_y", "a in ('1', '2')")
        wid = made.start(a="1")
    assert numbers == [3, 3]
    assert made.jobs(wid) == ["tr_y"] and broken(made) == []


def test_a_creation_that_is_rolled_back_leaves_nothing_to_generate(made: Kit) -> None:
    with counted(made) as numbers:
        with made.conn.transaction(force_rollback=True):
            create(made)
            define(made)
        create(made)
    assert numbers == [0, 1] and deferring(made) == 0


def test_immediate_constraints_generate_once_for_each_row(made: Kit) -> None:
    with counted(made) as numbers:
        made.rows("set constraints all immediate")
        create(made)
        assert deferring(made) == 0
        define(made)
        assert deferring(made) == 0
        wid = made.start(a="1", b="1")
    assert numbers == [5, 5]
    assert set(made.jobs(wid)) == {"tr_x", "tr_y"} and broken(made) == []


def test_a_changed_setting_is_generated_once(kit: Kit) -> None:
    define(kit)
    with counted(kit) as numbers:
        kit.policy(label="another")
        kit.policy(max_firings=7)
    assert numbers == [0, 1] and deferring(kit) == 0


def test_a_definition_that_is_only_checked_for_publication_generates_nothing(kit: Kit) -> None:
    define(kit)
    definition = api.flows.definition(kit.name, conn=kit.conn)
    definition["triggers"][0]["predicate"] = "a = '2'"
    with counted(kit) as numbers, kit.conn.transaction(force_rollback=True):
        kit.rows("select wedsql._apply_definition(%s, %s)", [kit.id, Jsonb(definition)])
        assert deferring(kit) == 0
    assert numbers == [0, 0]


def test_a_new_flow_can_be_examined_before_its_functions_exist(made: Kit) -> None:
    with made.conn.transaction():
        create(made)
        define(made)
        assert broken(made) == []
        found = made.one("select wedsql.places_at(%s, wedsql.now())", [made.name])
        assert found == {"examined": 0, "more": False, "holds": {}, "jobs": {}}


def test_the_functions_keep_their_rights_and_get_those_that_they_lack(made: Kit) -> None:
    query = (
        "select p.proname, array(select x.grantee::regrole::text from aclexplode(p.proacl) x order by 1)"
        " from pg_proc p where p.pronamespace = '{f}'::regnamespace order by 1"
    )
    create(made)
    usual = dict(made.rows(query))
    for name, grantees in usual.items():
        web = [] if name.startswith("_") else ["wed_web", "wed_worker"]
        assert grantees == ["wed_owner", *web], name
    made.rows("grant execute on all functions in schema {f} to public")
    made.rows("revoke all on function {f}.take from wed_worker")
    made.rows("drop function {f}._commit")
    made.attrs("a")
    assert dict(made.rows(query)) == usual


def test_a_function_with_its_rights_is_granted_nothing(kit: Kit) -> None:
    """A grant writes the function's row once more, also where nothing changes."""
    query = "select proname, xmin::text from pg_proc where pronamespace = '{f}'::regnamespace"
    before = dict(kit.rows(query))
    define(kit)
    after = dict(kit.rows(query))
    assert set(after) == set(before)
    # No definition changes these.
    assert {name for name in after if after[name] == before[name]} == {
        *("lease", "extend", "release", "fail_many", "start", "log_in_worker", "log_out_worker"),
    }


def test_the_public_functions_have_the_arguments_that_they_announce(kit: Kit) -> None:
    """The ones that defer and the generated ones replace each other: their signatures must be the same."""
    signatures = (
        "select p.proname, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), p.prosecdef"
        " from pg_proc p where p.pronamespace = '{f}'::regnamespace and p.proname = any (%s) order by 1"
    )
    usual = kit.rows(signatures, [list(PUBLIC)])
    with kit.conn.transaction():
        define(kit)
        assert deferring(kit) == len(PUBLIC) and kit.rows(signatures, [list(PUBLIC)]) == usual
    assert len(usual) == len(PUBLIC) and kit.rows(signatures, [list(PUBLIC)]) == usual


@pytest.mark.mode("single", why="a job is taken in the transaction that changes the definition")
def test_a_job_taken_in_the_transaction_that_changes_the_definition_is_completed(kit: Kit) -> None:
    define(kit)
    wid = kit.start(a="1")
    with counted(kit) as numbers:
        kit.trig("tr_z", "a = '2'")
        job = kit.take("tr_x", wid)
        kit.complete(job, {"a": "2"})
    assert numbers == [1, 1]
    assert [row.tgid for row in kit.rows("select tgid from {f}.job_pool")] == [tgid(kit, "tr_z")]
