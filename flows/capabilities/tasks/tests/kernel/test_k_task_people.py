"""Who may take a task (T-033, T-035)."""

from __future__ import annotations

import pytest
from psycopg.types.json import Jsonb

from flows import api
from flows.capabilities.tasks.tests.kernel.office import BOSS, CLERK, check, listed, only
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize(
    ("person", "keys", "said"),
    [
        ("bob", BOSS, 'for the role "Clerk", which bob does not have'),
        ("bob", [], 'for the role "Clerk"'),
        ("bob", ["p:ana", "r:clerk", "f:Clerk"], 'for the role "Clerk"'),
    ],
)
def test_who_has_not_the_role_cannot_take_it(office: Kit, person: str, keys: list[str], said: str) -> None:
    office.start()
    task = only(office, "ana", CLERK)
    with refused("WD591") as why:
        api.tasks.take(task, person, keys, conn=office.conn)
    assert said in why.message and listed(office, person, keys) == []


def test_four_eyes_whoever_checked_does_not_sign(office: Kit) -> None:
    office.start()
    check(office)
    assert listed(office, "ana", BOSS) == []
    task = only(office, "eva", BOSS)
    with refused("WD591") as why:
        api.tasks.take(task, "ana", BOSS, conn=office.conn)
    assert "having performed" in why.message
    with refused("WD591"):
        api.tasks.give(task, "eva", "ana", force=True, conn=office.conn)


@pytest.mark.parametrize(
    ("named", "person", "keys"),
    [
        ("eva", "eva", []),
        ("role:Judge", "jo", ["r:Judge"]),
        ("role: Judge ", "jo", ["r:Judge"]),
        ("", "eva", BOSS),
    ],
)
def test_an_attribute_names_who_performs_it(office: Kit, named: str, person: str, keys: list[str]) -> None:
    office.start(person=named)
    check(office)
    task = only(office, person, keys)
    if named:
        assert listed(office, "max", BOSS) == []
    assert api.tasks.take(task, person, keys, conn=office.conn).owner == person


def test_the_same_person_performs_the_next_step(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_a", "a is null", performer="person", role="Clerk")
    kit.trig("tr_b", "a is not null and b is null", performer="person", role="Clerk", same_as="tr_a")
    kit.final("b is not null")
    kit.start()
    task = only(kit, "ana", CLERK)
    api.tasks.take(task, "ana", CLERK, conn=kit.conn)
    api.tasks.complete(task, "ana", {"a": "x"}, conn=kit.conn)
    assert listed(kit, "bob", CLERK) == []
    assert only(kit, "ana", CLERK)


def test_without_a_role_it_is_for_the_people_of_the_flow(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_a", "a is null", performer="person")
    kit.start()
    assert listed(kit, "ana", CLERK) == []
    assert only(kit, "ana", [f"f:{kit.name}"])


def test_machines_never_get_a_task(office: Kit) -> None:
    wid = office.start()
    task = only(office, "ana", CLERK)
    for actor in ("", "w", "p:ana", "ana"):
        assert api.jobs.take_many(office.name, ["tr_check"], 9, actor=actor, conn=office.conn) == []
        assert api.jobs.lease_many(office.name, ["tr_check"], 9, actor or "w", conn=office.conn) == []
        assert not office.rows("select * from wedsql.offer({n}, array['tr_check'], 9, '{}', %s)", [actor])
        assert not office.rows("select * from {f}.hold(array['tr_check'], 9, %s)", [actor])
    sent = (
        "select ok from wedsql.complete_many({n}, array[%s], array[%s]::bigint[], array[null]::bigint[], %s)"
    )
    assert office.one(sent, [wid, task, [Jsonb({"checked": "yes"})]]) is False
    assert only(office, "ana", CLERK) == task


@pytest.mark.parametrize(("role", "audience"), [("Clerk", "r:Clerk + French"), ("", "r:+ French")])
def test_a_candidate_may_be_a_skill_of_those_of_the_role(kit: Kit, role: str, audience: str) -> None:
    kit.attrs("for_whom", "done")
    kit.trig("tr_a", "done is null", performer="person", role=role, candidate="for_whom", writes=["done"])
    kit.final("done is not null")
    kit.start(for_whom="skill: French ")
    (task,) = api.tasks.of_flow(kit.name, conn=kit.conn)
    assert task.audience == audience
    for keys in (["r:Clerk"], ["r:Clerk + German", "r:+ German"]):
        assert listed(kit, "ana", keys) == []
        with refused("WD591"):
            api.tasks.take(task.job_id, "ana", keys, conn=kit.conn)
    assert api.tasks.take(task.job_id, "ana", ["r:Clerk", audience], conn=kit.conn).owner == "ana"
