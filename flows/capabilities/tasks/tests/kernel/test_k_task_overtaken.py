"""Who has a task, or has claimed a case, gets a message when another person changes the instance."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flows import api
from flows.capabilities.tasks.api import Task
from flows.capabilities.tasks.deadlines import Message
from flows.capabilities.tasks.tests.kernel.office import CLERK, only, violations
from flows.tests.kit import Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

Door = Callable[[Kit, int, int], object]
DOORS: dict[str, Door] = {
    "cancel": lambda kit, wid, _task: api.instances.cancel(wid, "no need", actor="boss", conn=kit.conn),
    "suspend": lambda kit, wid, _task: api.operations.suspend(wid, "no need", actor="boss", conn=kit.conn),
    "abort": lambda kit, wid, _task: api.compensations.abort(wid, "no need", actor="boss", conn=kit.conn),
    "withdraw": lambda kit, wid, task: api.operations.withdraw_job(
        wid, task, "no need", actor="boss", conn=kit.conn
    ),
    "complete": lambda kit, wid, task: api.repairs.repair(
        wid, "complete", {"job": task, "changes": {"checked": "x"}}, "no need", actor="boss", conn=kit.conn
    ),
    "release": lambda kit, _wid, task: api.tasks.release(task, "boss", True, conn=kit.conn),
    "give": lambda kit, _wid, task: api.tasks.give(task, "boss", "bob", "no need", True, conn=kit.conn),
}
HELD = ("abort", "withdraw", "complete")


def overtaken(kit: Kit, person: str) -> list[tuple[str, str]]:
    return [(each.facts["actor"], each.facts["reason"]) for each in messages(kit, person)]


def messages(kit: Kit, person: str) -> list[Message]:
    found = api.persons.messages(person, kind="o", conn=kit.conn)
    return [each for each in found if each.flow == kit.name]


@pytest.mark.parametrize("name", HELD)
def test_what_needs_the_job_names_who_has_the_task(office: Kit, name: str) -> None:
    wid = office.start()
    task = only(office, "ana", CLERK)
    api.tasks.take(task, "ana", CLERK, conn=office.conn)
    with refused("WD203") as why:
        DOORS[name](office, wid, task)
    assert why.message.startswith("ana has taken") and overtaken(office, "ana") == []


@pytest.mark.parametrize("name", [name for name in DOORS if name not in HELD])
def test_who_has_a_task_gets_a_message_that_another_person_changed_it(office: Kit, name: str) -> None:
    wid = office.start()
    task = only(office, "ana", CLERK)
    api.tasks.take(task, "ana", CLERK, conn=office.conn)
    DOORS[name](office, wid, task)
    held: list[Task] = api.tasks.own("ana", conn=office.conn)
    assert held == [] and violations(office) == []
    ((actor, reason),) = overtaken(office, "ana")
    assert actor == "boss" and ("no need" in reason or name == "release")
    assert overtaken(office, "boss") == []


def test_who_ends_or_gives_back_an_own_task_gets_no_message(office: Kit) -> None:
    wid = office.start()
    task = only(office, "ana", CLERK)
    for _time in range(2):
        api.tasks.take(task, "ana", CLERK, conn=office.conn)
        api.tasks.release(task, "ana", conn=office.conn)
    api.tasks.take(task, "ana", CLERK, conn=office.conn)
    api.tasks.complete(task, "ana", {"checked": "yes"}, conn=office.conn)
    other = office.start()
    task = only(office, "ana", CLERK)
    api.tasks.take(task, "ana", CLERK, conn=office.conn)
    api.instances.cancel(other, "mine", actor="ana", conn=office.conn)
    assert overtaken(office, "ana") == [] and wid < other


@pytest.mark.parametrize("name", ["cancel", "suspend", "abort", "patch"])
def test_who_has_claimed_a_case_gets_a_message(office: Kit, name: str) -> None:
    wid = office.start()
    task = only(office, "ana", CLERK)
    api.tasks.take(task, "ana", CLERK, conn=office.conn)
    api.tasks.fail(task, "ana", "torn", conn=office.conn)
    (case,) = api.cases.list([office.name], conn=office.conn)
    api.cases.claim(case.number, "eva", conn=office.conn)
    if name == "patch":
        changes = {"changes": {"checked": "x", "signed": "x"}}
        api.repairs.repair(wid, "patch", changes, "no need", actor="boss", conn=office.conn)
    else:
        DOORS[name](office, wid, task)
    assert overtaken(office, "eva") == [("boss", "no need")]
    (message,) = messages(office, "eva")
    assert message.facts["case"] == case.number


def test_who_closes_an_own_case_gets_no_message(office: Kit) -> None:
    wid = office.start()
    task = only(office, "ana", CLERK)
    api.tasks.take(task, "ana", CLERK, conn=office.conn)
    api.tasks.fail(task, "ana", "torn", conn=office.conn)
    (case,) = api.cases.list([office.name], conn=office.conn)
    api.cases.claim(case.number, "eva", conn=office.conn)
    api.instances.cancel(wid, "x", actor="eva", conn=office.conn)
    assert overtaken(office, "eva") == []
