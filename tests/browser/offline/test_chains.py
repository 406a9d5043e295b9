"""A task that becomes ready by a result made without a connection is performed on the device, too (T-298)."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from flows import api
from testkit.line import Line
from tests.browser.offline.device import Device

PERSON = {"performer": "person", "offline": True}
VISIT: dict[str, Any] = {
    "label": "Visits",
    "attributes": [
        {"name": "damage", "type": "integer", "label": "Damage"},
        {"name": "repaired", "label": "Repaired"},
        {"name": "signed", "label": "Signed"},
    ],
    "triggers": [
        {"transition": "visit", "label": "VisitarCliente", "predicate": "damage is null",
         "role": "Technician", "writes": ["damage"], **PERSON},
        {"transition": "repair", "label": "Consertar", "predicate": "damage > 100 and repaired is null",
         "same_as": "visit", "writes": ["repaired"], **PERSON},
        {"transition": "sign", "label": "Assinar", "predicate": "repaired is not null and signed is null",
         "same_as": "visit", "writes": ["signed"], **PERSON},
        {"predicate": "signed is not null or damage <= 100", "final": True},
    ],
}  # fmt: skip


@pytest.fixture
def conn(flow: str, connect: Any) -> psycopg.Connection[Any]:
    found: psycopg.Connection[Any] = connect()
    api.flows.publish(flow, VISIT, conn=found)
    return found


def complete(device: Device, title: str, field: str, text: str) -> None:

    def first() -> list[Any]:
        return [one for one in device.all("[data-task] a") if one.text == title][:1]

    device.go("")
    device.wait(lambda page: [one.click() or one for one in first()])
    device.one(f"[name=value-{field}]").send_keys(text)
    device.press("[data-task-form] button.primary")
    device.wait(lambda page: not device.all("[data-task-form]"))


def offered(device: Device) -> list[str]:
    """Return the titles of tasks that can be opened."""
    return [one.text for one in device.all("[data-task] a")]


def story(conn: psycopg.Connection[Any], wid: int) -> list[tuple[str, str]]:
    found = "select trw, actor from wedsql.wed_trace where wid = %s and actor = 'carol' order by seq"
    return [(trw, actor) for trw, actor in conn.execute(found, [wid]).fetchall()]


def test_t298_the_next_task_of_the_same_person_is_performed_without_a_connection(
    device: Device, line: Line, locked: Any, conn: psycopg.Connection[Any]
) -> None:
    task = locked()
    device.open()
    device.exchanged()
    device.wait(lambda page: device.tasks() == [str(task)])
    line.cut()
    complete(device, "VisitarCliente", "damage", "700")
    device.wait(lambda page: offered(device) == ["Consertar"])
    device.start_again()
    device.open()
    device.wait(lambda page: offered(device) == ["Consertar"])
    complete(device, "Consertar", "repaired", "yes")
    device.wait(lambda page: offered(device) == ["Assinar"])
    complete(device, "Assinar", "signed", "M. Silva")
    device.go("outbox")
    device.wait(lambda page: device.states() == ["waiting"] * 3)
    line.restore()
    device.log_in("carol")
    device.press("#send")
    device.wait(lambda page: device.states() == ["accepted"] * 3)
    wid = api.tasks.read(task, "carol", conn=conn).wid
    assert story(conn, wid) == [("visit", "carol"), ("repair", "carol"), ("sign", "carol")]
    assert conn.execute("select status from wedsql.instance where wid = %s", [wid]).fetchone() == ("F",)
    device.go("")
    device.wait(lambda page: not device.tasks())


def test_t298_where_the_site_decides_otherwise_the_second_is_a_late_result_with_a_case(
    device: Device, line: Line, locked: Any, conn: psycopg.Connection[Any]
) -> None:
    small, task = locked(), locked()
    device.open()
    device.exchanged()
    device.wait(lambda page: device.tasks() == [str(small), str(task)])
    line.cut()
    complete(device, "VisitarCliente", "damage", "7")
    device.wait(lambda page: offered(device) == ["VisitarCliente"])
    complete(device, "VisitarCliente", "damage", "700")
    device.wait(lambda page: offered(device) == ["Consertar"])
    complete(device, "Consertar", "repaired", "yes")
    api.tasks.release(task, "alice", force=True, conn=conn)
    api.tasks.take(task, "bob", ["r:Technician"], conn=conn)
    line.restore()
    device.go("outbox")
    device.press("#send")
    device.wait(lambda page: device.states() == ["late", "late", "accepted"])
    wid = api.tasks.read(task, "bob", conn=conn).wid
    assert conn.execute("select count(*) from wedsql.late_result where wid = %s", [wid]).fetchone() == (2,)
    assert story(conn, wid) == []
