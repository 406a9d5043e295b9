"""Definitions that are accepted or rejected, through the paper's tables.

K-03, K-13, K-19 to K-23, K-34 to K-37, K-40 to K-42, K-52.
"""

from __future__ import annotations

import json

import pytest

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize(
    ("predicate", "code"),
    [
        ("a1 = ", "WD005"),
        ("a1 = 'x", "WD005"),
        ("nope = '1'", "WD005"),
        ("", "WD005"),
        ("a1", "WD006"),
        ("a1 + 1", "WD006"),
        ("(select 1) = 1", "WD005"),
        ("exists (select 1 from wed_flow)", "WD005"),
        ("a1 = '1'; drop table wed_flow", "WD005"),
        ("a1 = '1' -- comment", "WD005"),
        ("a='7') or (a='0'", "WD005"),
        ("now() > '2020-01-01'", "WD005"),
        ("random() > 0.5", "WD005"),
        ("'now'::timestamptz > '2020-01-01'", "WD005"),
        ("generate_series(1, 2) = 1", "WD005"),
        ("pg_sleep(1) is null", "WD005"),
        ("wedsql.now() is not null", "WD005"),
    ],
)
def test_k03_k36_k37_bad_predicates_are_refused_at_definition(kit: Kit, predicate: str, code: str) -> None:
    kit.attrs("a1")
    with refused(code) as why:
        kit.trig("tr_x", predicate)
    assert why.message
    assert kit.one("select count(*) from {f}.wed_trig") == 0


def test_k03_the_error_has_the_position(kit: Kit) -> None:
    kit.attrs("a1")
    with refused("WD005") as why:
        kit.trig("tr_x", "a1 = '1' and pg_sleep(1) is null")
    where = json.loads(why.detail)
    assert where["position"] == 14
    assert where["token"] == "pg_sleep"


def test_w054_a_broken_trigger_leaves_nothing_of_the_definition(kit: Kit) -> None:
    with refused("WD005"), kit.conn.transaction():
        kit.attrs("a1", "a2")
        kit.trig("tr_x", "a1 = '1'")
        kit.trig("tr_y", "a1 = and")
    assert kit.one("select count(*) from {f}.wed_attr") == 0
    assert kit.one("select count(*) from {f}.wed_trig") == 0
    columns = kit.one(
        "select count(*) from pg_attribute where attrelid = '{f}.wed_flow'::regclass and attnum > 0"
    )
    assert columns == 1


@pytest.mark.parametrize(
    "name", ["A", "1a", "_x", "a b", "a-b", "", "x" * 64, 'a"b', "á", "wid", "status", "seq", "ctid"]
)
def test_k34_names_of_attributes(kit: Kit, name: str) -> None:
    with refused("WD004"):
        kit.attr(name)


def test_w021_a_second_attribute_of_that_name(kit: Kit) -> None:
    kit.attrs("a1")
    with refused("WD004"):
        kit.attr("a1")
    with refused("WD004"):
        kit.attr("A1")


@pytest.mark.parametrize("name", ["_INIT", "_x", "Tr_A", "tr-a", "", None, "x" * 64, 'tr"; notify x'])
def test_k13_k33_names_of_transitions(kit: Kit, name: str | None) -> None:
    kit.attrs("a1")
    with refused("WD004"):
        kit.trig(name, "a1 = '1'")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["wedsql", "public", "pg_x", "wed_x", "Big", "a b", ""])
def test_k13_names_of_flows(kit: Kit, name: str) -> None:
    with refused("WD004"):
        api.flows.create(name, conn=kit.conn)


def test_k13_a_flow_of_that_name_exists(kit: Kit) -> None:
    with refused("WD004"):
        api.flows.create(kit.name, conn=kit.conn)


@pytest.mark.parametrize("timeout", ["0", "-1 second", "-3 days"])
def test_k22_timeouts_are_longer_than_nothing(kit: Kit, timeout: str) -> None:
    kit.attrs("a1")
    with refused("WD009", "23514"):
        kit.trig("tr_x", "a1 = '1'", timeout=timeout)


def test_k22_no_timeout_and_the_default_one(kit: Kit) -> None:
    kit.attrs("a1")
    kit.trig("tr_none", "a1 = '1'", timeout=None)
    kit.rows("insert into {f}.wed_trig (trname, cpred) values ('tr_default', $$a1 = '1'$$)")
    wid = kit.start(a1="1")
    assert [str(job.timeout) for job in kit.pending(wid)] == ["None", "0:01:00"]


def test_w032_one_final_condition(kit: Kit) -> None:
    kit.attrs("a1")
    kit.final("a1 = 'x' or a1 = 'y'")
    with refused("WD008"):
        kit.final("a1 = 'z'")
    assert kit.status(kit.start(a1="y")) == "F"


def test_w027_names_of_triggers_and_conditions_are_free(kit: Kit) -> None:
    kit.attrs("a1")
    for transition in ("tr_x", "tr_y"):
        kit.trig(transition, "a1 = '1'", tgname="t1", cname="c1")
    assert kit.jobs(kit.start(a1="1")) == ["tr_x", "tr_y"]


def test_k23_one_transition_under_two_conditions_waits_its_turn(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_pay", "a = '1'", cname="by_card")
    kit.trig("tr_pay", "b = '1'", cname="by_bill")
    wid = kit.start(a="1", b="1")
    assert kit.jobs(wid) == ["tr_pay", "tr_pay"]
    other = kit.connect()
    with kit.conn.transaction():
        first = kit.take("tr_pay", wid)
        assert first.id == kit.pending(wid)[0].id
        assert api.jobs.take_many(kit.name, ["tr_pay"], 5, conn=other) == [], "the second waits for the first"
        kit.complete(first, {"a": "0"})
    assert kit.take("tr_pay", wid).id == kit.pending(wid)[0].id


def test_k23_concurrent_lets_both_run(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_pay", "a = '1'", concurrent=True)
    kit.trig("tr_pay", "b = '1'", concurrent=True)
    wid = kit.start(a="1", b="1")
    other = kit.connect()
    with kit.conn.transaction():
        kit.take("tr_pay", wid)
        assert len(api.jobs.take_many(kit.name, ["tr_pay"], 5, conn=other)) == 1


def test_k25_two_flows_with_the_same_attribute(kit: Kit) -> None:
    twin = f"{kit.name}_b"
    api.flows.create(twin, conn=kit.conn)
    other = Kit(twin, kit.connect)
    for one, predicate in ((kit, "a1 = '1'"), (other, "a1 = '2'")):
        one.attrs("a1")
        one.trig("tr_x", predicate)
    with refused("WD101"):
        other.start(a1="1")
    wid, wid2 = kit.start(a1="1"), other.start(a1="2")
    assert wid != wid2
    assert [row.wid for row in kit.rows("select wid from {f}.job_pool")] == [wid]
    api.flows.drop(twin, force=True, conn=kit.conn)
    assert kit.status(wid) == "R"


def test_k19_a_disabled_trigger_does_not_fire_pending_jobs_stay(kit: Kit) -> None:
    kit.attrs("a", "b")
    tgid = kit.numbered_trig("tr_x", "a = '1'")
    kit.trig("tr_y", "b = '1'")
    wid = kit.start(a="1")
    kit.rows("update {f}.wed_trig set enabled = false where tgid = %s", [tgid])
    assert kit.jobs(wid) == ["tr_x"]
    assert kit.jobs(kit.start(a="1", b="1")) == ["tr_y"]
    kit.run("tr_x", wid, b="1", a="1")
    assert kit.jobs(wid) == ["tr_y"]


def test_k20_rename_an_attribute(kit: Kit) -> None:
    kit.attrs("a1", "b")
    kit.trig("tr_x", "a1 = 'a1' and b is null", writes=["a1"])
    wid = kit.start(a1="a1")
    kit.rows("update {f}.wed_attr set aname = 'renamed' where aname = 'a1'")
    row = kit.rows("select cpred, writes from {f}.wed_trig")[0]
    assert row.writes == ["renamed"]
    assert "renamed = 'a1'" in row.cpred
    assert kit.jobs(kit.start(renamed="a1")) == ["tr_x"]
    kit.run("tr_x", wid, renamed="a1")
    assert kit.state(wid) == {"renamed": "a1", "b": None}


def test_k20_rename_back_and_forth_and_swap_in_one_transaction(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_x", "a = '1' and b = '2'")
    with kit.conn.transaction():
        for old, new in (("a", "tmp"), ("b", "a"), ("tmp", "b")):
            kit.rows("update {f}.wed_attr set aname = %s where aname = %s", (new, old))
    assert kit.jobs(kit.start(a="2", b="1")) == ["tr_x"]


def test_k21_an_attribute_in_use_is_not_removed(kit: Kit) -> None:
    kit.attrs("a1", "a2")
    kit.trig("tr_x", "a1 = '1'", tgname="first", writes=["a1", "a2"])
    with refused("WD007") as why:
        kit.rows("delete from {f}.wed_attr where aname = 'a1'")
    assert why.facts["places"] == ["first.predicate", "first.writes"]
    with refused("WD007") as why:
        kit.rows("delete from {f}.wed_attr where aname = 'a2'")
    assert why.facts["places"] == ["first.writes"]


def test_k21_the_removed_values_stay_in_the_history(kit: Kit) -> None:
    kit.attrs("a1", "extra")
    kit.trig("tr_x", "a1 = '1'")
    wid = kit.start(a1="1", extra="kept")
    kit.rows("delete from {f}.wed_attr where aname = 'extra'")
    assert kit.state(wid) == {"a1": "1"}
    archived = kit.trace(wid)[1]
    assert (archived.trw, archived.before) == ("_REMATCH", {"extra": "kept"})


def test_w022_a_new_attribute_is_a_column_and_old_rows_get_its_default(kit: Kit) -> None:
    kit.attrs("a1")
    kit.trig("tr_x", "a1 = '1'")
    wid = kit.start(a1="1")
    kit.attr("a2", "new")
    assert kit.state(wid) == {"a1": "1", "a2": "new"}


def test_k51_a_new_attribute_is_recorded_in_the_history(kit: Kit) -> None:
    kit.attrs("a1")
    kit.trig("tr_x", "a1 = '1'")
    wid = kit.start(a1="1")
    kit.attr("a2", "new")
    row = kit.trace(wid)[-1]
    assert (row.trw, row.state) == ("_REMATCH", {"a1": "1", "a2": "new"})


def test_k40_without_a_final_condition_all_end_as_exceptions(kit: Kit) -> None:
    kit.attrs("a1")
    kit.trig("tr_x", "a1 = '1'")
    wid = kit.start(a1="1")
    kit.run("tr_x", wid, a1="0")
    assert kit.status(wid) == "E"


def test_k41_a_job_is_of_the_version_that_fired_it(kit: Kit) -> None:
    kit.attrs("a1")
    tgid = kit.numbered_trig("tr_x", "a1 = '1'")
    wid = kit.start(a1="1")
    before = kit.pending(wid)[0].version
    kit.rows("update {f}.wed_trig set timeout = '9 minutes' where tgid = %s", [tgid])
    assert kit.pending(wid)[0].version == before
    assert kit.pending(kit.start(a1="1"))[0].version > before
    assert (
        kit.one(
            "select count(*) from wedsql.flow_version where flow_id = %s and version = %s", (kit.id, before)
        )
        == 1
    )


def test_k42_a_trigger_with_pending_jobs_is_not_deleted(kit: Kit) -> None:
    kit.attrs("a1")
    tgid = kit.numbered_trig("tr_x", "a1 = '1'", tgname="x")
    kit.trig("tr_y", "a1 = '1'")
    wid = kit.start(a1="1")
    with refused("WD007") as why:
        kit.rows("delete from {f}.wed_trig where tgid = %s", [tgid])
    assert "has pending jobs: 1" in why.message
    kit.rows("update {f}.wed_trig set enabled = false where tgid = %s", [tgid])
    assert kit.one("select wedsql.withdraw(%s, %s)", (kit.name, tgid)) == 1
    kit.rows("delete from {f}.wed_trig where tgid = %s", [tgid])
    assert kit.jobs(wid) == ["tr_y"]
    assert kit.logged(wid) == ["released"]


def test_k36_predicates_are_evaluated_by_a_role_that_may_read_nothing(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    owners = kit.rows(
        "select pg_get_userbyid(proowner), prosecdef from pg_proc where proname = %s", [f"f_{kit.id}"]
    )
    assert owners == [("wed_eval", True)]
