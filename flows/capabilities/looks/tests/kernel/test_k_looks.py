"""Looks at masked values: recorded before they are answered, kept by all, read by auditors."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from flows import api
from flows.capabilities.looks.api import Asked, Shown, Viewer
from flows.tests.kit import Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
SITE = ("wed_web", "wed_worker", "wed_reaper", "wed_monitor")


@pytest.fixture
def clinic(kit: Kit) -> Kit:
    """A flow with a masked, a hidden and an open attribute, one of them named like a parameter."""
    kit.attr("p_wid", "4815")
    kit.attr("born", "1970-02-01", "date")
    kit.attr("place", "here")
    kit.rows("update {f}.wed_attr set visibility = 'masked' where aname = 'p_wid'")
    kit.rows("update {f}.wed_attr set visibility = 'hidden' where aname = 'born'")
    kit.trig("tr_x", "place = 'here'")
    kit.final("place = 'there'")
    return kit


def test_a_look_is_recorded_with_its_reason_and_answers_the_values(clinic: Kit) -> None:
    wid, other = clinic.start(), clinic.start()
    found = api.looks.look_at(wid, ["p_wid"], " A call. ", Viewer("ana"), conn=clinic.conn)
    assert found.values == {"p_wid": "4815"}
    again = api.looks.look_at(
        other, ["born", "p_wid", "born"], "A letter.", Viewer("bob", "http", hidden=True, address="/x"),
        conn=clinic.conn,
    )  # fmt: skip
    assert again.values == {"born": "1970-02-01", "p_wid": "4815"} and again.id > found.id
    last, first = api.looks.list(clinic.name, conn=clinic.conn)
    assert (first.id, first.at, first.flow, first.wid) == (found.id, found.at, clinic.name, wid)
    assert (first.actor, first.way, first.reason, first.attributes) == ("ana", "page", "A call.", ["p_wid"])
    assert (last.attributes, last.address, last.instances) == (["born", "p_wid"], "/x", 1)


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        (["p_wid"], "  "), (["p_wid"], "x" * 201), ([], "x"), (["p_wid"] * 51, "x"),
        (["born"], "x"), (["place"], "x"), (["nothing"], "x"), ([None], "x"),
    ],
)  # fmt: skip
def test_a_look_that_may_not_be_is_refused(attributes: list[str], reason: str, clinic: Kit) -> None:
    wid = clinic.start()
    with refused("WD550"):
        api.looks.look_at(wid, attributes, reason, Viewer("ana"), conn=clinic.conn)
    assert api.looks.list(clinic.name, conn=clinic.conn) == []


def test_an_instance_of_another_flow_is_refused_like_one_that_there_is_not(clinic: Kit) -> None:
    wid = clinic.start()
    said = []
    for asked in (wid, 2**31 - 1):
        with refused("WD104") as why:
            api.looks.look_at(asked, ["p_wid"], "x", Viewer("ana", flows=["other"]), conn=clinic.conn)
        said.append(why.message.replace(str(asked), "N"))
    assert said[0] == said[1]
    assert api.looks.list(clinic.name, conn=clinic.conn) == []


def test_what_a_role_shows_is_recorded_once_in_a_while(clinic: Kit) -> None:
    shown = Shown(clinic.name, "eva", "page", "/flows/x/")
    while_ = timedelta(minutes=10)
    first = api.looks.record(shown, while_, conn=clinic.conn)
    assert first is not None and api.looks.record(shown, while_, conn=clinic.conn) is None
    assert api.looks.record(shown, conn=clinic.conn) is not None, "a file is always recorded"
    assert api.looks.record(Shown(clinic.name, "eva", "page", "/y"), while_, conn=clinic.conn) is not None
    assert api.looks.record(Shown(clinic.name, "ana", "page", "/flows/x/"), while_, conn=clinic.conn)
    clinic.clock("11 minutes")
    assert api.looks.record(shown, while_, conn=clinic.conn) is not None
    (row,) = [one for one in api.looks.list(clinic.name, conn=clinic.conn) if one.id == first]
    assert (row.attributes, row.wid, row.reason) == (["born", "p_wid"], None, "")
    clinic.rows("update {f}.wed_attr set visibility = 'everyone'")
    assert api.looks.record(Shown(clinic.name, "eva", "page", "/z"), conn=clinic.conn) is None
    with refused("WD550"):
        clinic.rows("update {f}.wed_attr set visibility = 'masked' where aname = 'p_wid'")
        api.looks.record(Shown(clinic.name, "eva", "post"), conn=clinic.conn)


@pytest.mark.parametrize(
    "change",
    [
        "update wedsql.look set actor = 'x'",
        "delete from wedsql.look",
        "truncate wedsql.look",
        "insert into wedsql.look (at, flow_id, flow, attributes, actor, way, reason, address)"
        " values (now(), 1, 'x', '{}', 'x', 'page', '', '')",
        "select * from wedsql.look",
    ],
)
def test_no_role_changes_what_is_recorded(change: str, clinic: Kit) -> None:
    wid = clinic.start()
    api.looks.look_at(wid, ["p_wid"], "x", Viewer("ana"), conn=clinic.conn)
    for role in (*SITE, "wed_view"):
        with refused("42501"), clinic.conn.transaction():
            clinic.rows(f"set local role {role}")
            clinic.rows(change)
    if change.startswith(("update", "delete", "truncate")):  # not even its owner
        with refused("WD550"):
            clinic.rows(change)
    assert [one.actor for one in api.looks.list(clinic.name, conn=clinic.conn)] == ["ana"]


def test_only_the_web_may_look(clinic: Kit) -> None:
    wid = clinic.start()
    for role in SITE[1:]:
        with refused("42501"):
            api.looks.look_at(wid, ["p_wid"], "x", Viewer("ana"), conn=clinic.connect(role))
        with refused("42501"):
            api.looks.list(clinic.name, conn=clinic.connect(role))
    assert (
        api.looks.look_at(wid, ["p_wid"], "x", Viewer("ana"), conn=clinic.connect("wed_web")).values["p_wid"]
        == "4815"
    )


def test_looks_are_kept_for_two_years_also_those_of_a_dropped_flow(clinic: Kit) -> None:
    wid = clinic.start()
    api.looks.look_at(wid, ["p_wid"], "old", Viewer("ana"), conn=clinic.conn)
    reaper = clinic.connect("wed_reaper")
    clinic.clock("729 days", reaper)
    assert api.maintenance.maintain(conn=reaper)["looks_removed"] == 0
    clinic.clock("2 years 1 day", reaper)
    owner = clinic.connect()
    clinic.clock("2 years 1 day", owner)
    api.looks.record(Shown(clinic.name, "ana", "page"), conn=owner)
    assert api.maintenance.maintain(conn=reaper)["looks_removed"] >= 1
    (left,) = api.looks.list(clinic.name, conn=clinic.conn)
    assert left.reason == ""
    api.flows.drop(clinic.name, force=True, conn=clinic.conn)
    assert clinic.one("select count(*) from wedsql.look where flow = %s", [clinic.name]) == 1
    clinic.rows("select wedsql.maintain()")  # makes the partitions again that were empty in two years


def test_looks_are_selected_and_read_in_pages(clinic: Kit) -> None:
    one, two = clinic.start(), clinic.start()
    first = api.looks.look_at(one, ["p_wid"], "x", Viewer("ana"), conn=clinic.conn)
    second = api.looks.look_at(two, ["born"], "x", Viewer("bob", hidden=True), conn=clinic.conn)
    third = api.looks.look_at(two, ["p_wid"], "x", Viewer("bob"), conn=clinic.conn)

    def ids(**given: object) -> list[int]:
        return [each.id for each in api.looks.list(clinic.name, Asked(**given), conn=clinic.conn)]  # type: ignore[arg-type]

    assert ids() == [third.id, second.id, first.id]
    assert ids(actor="bob") == [third.id, second.id] and ids(wid=one) == [first.id]
    assert ids(attribute="born") == [second.id]
    assert ids(since=second.at) == [third.id, second.id] and ids(until=second.at) == [first.id]
    page = api.looks.list(clinic.name, before=third.id, limit=1, conn=clinic.conn)
    assert [each.id for each in page] == [second.id]
    with refused("WD550"):
        clinic.one("select wedsql.list_looks(%s, '{\"way\": 1}')", [clinic.name])
    with refused("WD001"):
        api.looks.list("no_flow", conn=clinic.conn)


def test_changes_are_the_steps_that_people_caused(clinic: Kit) -> None:
    one, two = clinic.start(), clinic.start()
    clinic.run("tr_x", one, place="nowhere")  # an exception, which the kernel records itself
    api.repairs.repair(
        one, "patch", {"changes": {"place": "here"}}, "Was wrong.", actor="ana", conn=clinic.conn
    )
    api.instances.cancel(two, "Not wanted.", actor="bob", conn=clinic.conn)
    found = api.looks.list_changes(clinic.name, conn=clinic.conn)
    assert [(each.wid, each.done, each.actor, each.reason, each.attributes) for each in found] == [
        (two, "_CANCEL", "bob", "Not wanted.", []),
        (one, "_RECOVER:patch", "ana", "Was wrong.", ["place"]),
    ]
    (older,) = api.looks.list_changes(clinic.name, before=found[0], conn=clinic.conn)
    assert older == found[1]
    for asked in (Asked(actor="ana"), Asked(wid=one), Asked(attribute="place"), Asked(until=found[0].at)):
        assert api.looks.list_changes(clinic.name, asked, conn=clinic.conn) == [found[1]], asked
    assert (
        api.looks.list_changes(
            clinic.name, Asked(since=datetime.now(UTC) + timedelta(days=1)), conn=clinic.conn
        )
        == []
    )


def test_the_step_of_a_worker_is_not_in_the_index_of_changes(clinic: Kit) -> None:
    """Otherwise each step would cost more."""
    (definition,) = clinic.rows(
        "select indexdef from pg_indexes where schemaname = 'wedsql' and indexname = 'wed_trace_reason'"
    )
    assert definition.indexdef.endswith("WHERE (reason IS NOT NULL)")
    wid = clinic.start()
    clinic.run("tr_x", wid, place="there")
    assert (
        clinic.one("select count(*) from wedsql.wed_trace where wid = %s and reason is not null", [wid]) == 0
    )
