"""Notification policies, active persons, and substitutes (T-103, T-104, T-126, T-129, T-208)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel


@pytest.fixture
def role(kit: Kit) -> str:
    """The name of a role that no other test has: persons are shared by the tests of a database."""
    return f"Clerk_{kit.name}"


@pytest.fixture
def office(kit: Kit, role: str) -> Kit:
    kit.attrs("checked", "person")
    kit.trig(
        "tr_check", "checked is null", performer="person", role=role, writes=["checked"], candidate="person"
    )
    kit.final("checked is not null")
    return kit


def start(kit: Kit, policy: str, count: int = 1, **state: Any) -> int:
    """Start an instance whose tasks are offered by a policy; return the number of its task."""
    settings = {"notified": policy, "notified_count": count}
    wid = api.persons.start_with_settings(kit.name, state, settings, conn=kit.conn)
    return api.tasks.of_instance(wid, conn=kit.conn)[0].job_id


def named(kit: Kit, name: str) -> str:
    return f"{name}_{kit.name}"


def connect(kit: Kit, role: str, *names: str) -> None:
    for name in names:
        api.persons.seen(named(kit, name), [f"r:{role}"], conn=kit.conn)


def sees(kit: Kit, role: str, name: str) -> list[int]:
    return [t.job_id for t in api.tasks.open(named(kit, name), [f"r:{role}"], conn=kit.conn, flow=kit.name)]


def offered(kit: Kit, task: int) -> list[str]:
    found = kit.one("select offered from wedsql.task_watch where job_id = %s", [task])
    return [name.split("_")[0] for name in found]


def test_policy_1_offers_a_task_to_all_of_the_role_and_keeps_no_row(office: Kit, role: str) -> None:
    connect(office, role, "ana", "bob")
    task = start(office, "all")
    assert sees(office, role, "ana") == sees(office, role, "zoe") == [task]
    assert office.rows("select from wedsql.task_watch where job_id = %s", [task]) == []


def test_policy_2_offers_it_to_the_n_with_the_fewest_assigned_tasks(office: Kit, role: str) -> None:
    connect(office, role, "cid", "bob", "ana")
    first = start(office, "fewest_assigned")
    assert offered(office, first) == ["ana"]  # of equals by name
    assert offered(office, start(office, "fewest_assigned")) == ["bob"]
    assert offered(office, start(office, "fewest_assigned", 2)) == ["cid", "ana"]
    assert sees(office, role, "ana")[0] == first and first not in sees(office, role, "bob")


def test_policy_3_offers_it_to_the_n_who_have_taken_the_fewest(office: Kit, role: str) -> None:
    connect(office, role, "ana", "bob")
    first = start(office, "fewest_selected")
    assert offered(office, first) == ["ana"]
    assert offered(office, start(office, "fewest_selected")) == ["ana"]  # none is taken yet
    api.tasks.take(first, named(office, "ana"), [f"r:{role}"], conn=office.conn)
    assert offered(office, start(office, "fewest_selected")) == ["bob"]


def test_policy_4_offers_it_to_the_n_who_connected_last(office: Kit, role: str) -> None:
    connect(office, role, "zoe", "ana", "bob")
    assert offered(office, start(office, "last_connected", 2)) == ["bob", "ana"]
    office.rows(
        "update wedsql.person set connected_at = '2020-01-01' where name like %s", [f"%\\_{office.name}"]
    )
    assert offered(office, start(office, "last_connected", 2)) == ["ana", "bob"]  # of equals by name


def test_who_is_not_notified_may_not_take_the_task(office: Kit, role: str) -> None:
    connect(office, role, "ana", "bob")
    task = start(office, "fewest_assigned")
    with refused("WD591") as why:
        api.tasks.take(task, named(office, "bob"), [f"r:{role}"], conn=office.conn)
    assert "offered to others" in why.message and role in why.message
    assert api.tasks.take(task, named(office, "ana"), [], conn=office.conn).owner == named(office, "ana")


def test_who_connects_later_is_offered_what_is_still_open(office: Kit, role: str) -> None:
    """T-129: log in later, the task appears; after it is taken, not."""
    task = start(office, "fewest_assigned", 2)
    assert offered(office, task) == []
    connect(office, role, "ana", "bob")
    assert sees(office, role, "ana") == sees(office, role, "bob") == [task]
    connect(office, role, "cid")
    assert sees(office, role, "cid") == []  # two have it, with no other tasks, and come first by name
    api.tasks.take(task, named(office, "ana"), [], conn=office.conn)
    connect(office, role, "aba")
    assert sees(office, role, "aba") == sees(office, role, "bob") == []
    api.tasks.release(task, named(office, "ana"), conn=office.conn)
    assert sees(office, role, "bob") == [task]


def test_a_person_with_fewer_tasks_than_who_was_notified_is_offered_it_too(office: Kit, role: str) -> None:
    connect(office, role, "ana")
    first, second = start(office, "fewest_assigned"), start(office, "fewest_assigned")
    connect(office, role, "bob")
    assert sees(office, role, "bob") == [first] and sees(office, role, "ana") == [first, second]


def test_inactive_persons_are_not_notified(office: Kit, role: str) -> None:
    """T-126, T-208: three heartbeats missed, inactive; any action, active."""
    connect(office, role, "ana")
    office.clock("2 minutes 50 seconds")
    assert named(office, "ana") in [p.name for p in api.persons.active(conn=office.conn)]
    office.clock("3 minutes 10 seconds")
    assert named(office, "ana") not in [p.name for p in api.persons.active(conn=office.conn)]
    task = start(office, "last_connected")
    assert offered(office, task) == []
    assert api.persons.seen(named(office, "ana"), [f"r:{role}"], conn=office.conn)
    assert offered(office, task) == ["ana"]


def test_who_left_before_the_clock_was_set_back_is_inactive(office: Kit, role: str) -> None:
    """A clock that was a day ahead: who was seen then counts neither as active nor as last connected."""
    office.clock("1 day")
    connect(office, role, "ana")
    office.clock("0")
    connect(office, role, "bob")
    active = [person.name for person in api.persons.active(conn=office.conn)]
    assert named(office, "bob") in active and named(office, "ana") not in active
    task = start(office, "last_connected")
    assert offered(office, task) == ["bob"]
    assert api.persons.seen(named(office, "ana"), [f"r:{role}"], conn=office.conn), "connected again"
    assert named(office, "ana") in [person.name for person in api.persons.active(conn=office.conn)]
    later = start(office, "last_connected")
    assert offered(office, later) == ["ana"]


def test_a_heartbeat_writes_once_a_minute(office: Kit, role: str) -> None:
    connect(office, role, "ana")
    read = "select xmin::text from wedsql.person where name = %s"
    first = office.one(read, [named(office, "ana")])
    for offset in ("10 seconds", "50 seconds"):
        office.clock(offset)
        connect(office, role, "ana")
    assert office.one(read, [named(office, "ana")]) == first
    office.clock("61 seconds")
    connect(office, role, "ana")
    assert office.one(read, [named(office, "ana")]) != first
    second = office.one(read, [named(office, "ana")])
    office.clock("0")  # the clock was set back: the next heartbeat counts from there
    connect(office, role, "ana")
    assert office.one(read, [named(office, "ana")]) != second


def test_a_changed_policy_is_that_of_later_tasks(office: Kit, role: str) -> None:
    """T-104."""
    connect(office, role, "ana", "bob")
    task = start(office, "fewest_assigned")
    wid = api.tasks.read(task, "ana", conn=office.conn).wid
    api.persons.set_settings(wid, {"notified": "all"}, "boss", force=True, conn=office.conn)
    assert sees(office, role, "bob") == []
    assert sees(office, role, "ana") == [task]


def test_a_task_for_a_named_person_is_not_offered_to_others(office: Kit, role: str) -> None:
    connect(office, role, "ana", "bob")
    task = start(office, "fewest_assigned", person=named(office, "bob"))
    assert sees(office, role, "bob") == [task] and sees(office, role, "ana") == []


def test_a_task_that_was_offered_can_be_given(office: Kit, role: str) -> None:
    connect(office, role, "ana", "bob")
    task = start(office, "fewest_assigned")
    api.tasks.take(task, named(office, "ana"), [], conn=office.conn)
    api.tasks.give(task, named(office, "ana"), named(office, "bob"), conn=office.conn)
    assert sees(office, role, "bob") == [task] and sees(office, role, "ana") == []


def test_the_tasks_of_who_is_away_are_open_to_the_substitute(office: Kit, role: str) -> None:
    now = office.one("select wedsql.now()")
    ana, bob = named(office, "ana"), named(office, "bob")
    task = start(office, "all", person=ana)
    assert sees(office, role, "bob") == []
    number = api.persons.set_absence(
        ana, bob, now + timedelta(days=1), now + timedelta(days=3), conn=office.conn
    )
    assert sees(office, role, "bob") == []
    office.clock("2 days")
    assert sees(office, role, "bob") == sees(office, role, "ana") == [task]
    office.clock("4 days")
    assert sees(office, role, "bob") == [] and api.persons.absences(ana, conn=office.conn) == []
    office.clock("2 days")
    assert api.tasks.take(task, bob, [], conn=office.conn).owner == bob
    assert [a.id for a in api.persons.absences(bob, conn=office.conn)] == [number]
    assert not api.persons.delete_absence(bob, number, conn=office.conn)
    assert api.persons.delete_absence(ana, number, conn=office.conn)


@pytest.mark.parametrize(
    ("substitute", "begin", "end"),
    [("ana", 1, 2), ("bob", 2, 1), ("bob", -3, -1), ("", 1, 2), ("bob", 0, 99999)],
)
def test_a_wrong_absence_is_refused(office: Kit, substitute: str, begin: int, end: int) -> None:
    now = office.one("select wedsql.now()")
    with refused("WD009"):
        api.persons.set_absence(
            "ana", substitute, now + timedelta(days=begin), now + timedelta(days=end), conn=office.conn
        )


def test_a_substitute_who_performed_what_excludes_may_not(kit: Kit) -> None:
    kit.attrs("a", "b", "person")
    kit.trig("tr_a", "a is null", performer="person", role="X", writes=["a"])
    kit.trig(
        "tr_b",
        "a is not null and b is null",
        performer="person",
        candidate="person",
        not_by=["tr_a"],
        writes=["b"],
    )
    kit.final("b is not null")
    wid = kit.start(person=named(kit, "ana"))
    task = api.tasks.of_instance(wid, conn=kit.conn)[0].job_id
    api.tasks.take(task, named(kit, "bob"), ["r:X"], conn=kit.conn)
    api.tasks.complete(task, named(kit, "bob"), {"a": "1"}, conn=kit.conn)
    now = kit.one("select wedsql.now()")
    api.persons.set_absence(named(kit, "ana"), named(kit, "bob"), now, now + timedelta(days=1), conn=kit.conn)
    with refused("WD591"):
        api.tasks.take(
            api.tasks.of_instance(wid, conn=kit.conn)[0].job_id, named(kit, "bob"), [], conn=kit.conn
        )
