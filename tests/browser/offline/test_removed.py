"""What a device has is removed when its task leaves the list, and when the device is reported lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from flows import api
from testkit.line import Line
from tests.browser.offline.device import Device

# Returns how many entries each store has, the first of those that hold what belongs to persons.
STORED = """
    const done = arguments[0], asked = indexedDB.open("wedsql-offline");
    asked.onsuccess = () => {
      const names = ["people", "packages", "outbox", "drafts", "files"];
      const work = asked.result.transaction(names);
      const counts = names.map((name) => work.objectStore(name).count());
      work.oncomplete = () => { asked.result.close(); done(counts.map((one) => one.result)); };
    };
"""


def stored(device: Device) -> list[int]:
    return [*device.page.execute_async_script(STORED)]


def has(device: Device, counts: list[int]) -> None:
    device.wait(lambda page: stored(device) == counts)


def begun(device: Device, task: int) -> None:
    """Begin a task on the device: its package and what was typed are there."""
    device.open()
    device.exchanged()
    device.wait(lambda page: device.tasks() == [str(task)])
    device.go(f"tasks/{task}")
    device.one("[name=value-cost]").send_keys("7")
    device.wait(lambda page: device.all("form[data-kept]"))
    has(device, [1, 1, 0, 1, 0])
    device.go("outbox")


def test_t163_the_data_of_a_task_that_leaves_the_list_are_removed(
    device: Device, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    task = locked()
    begun(device, task)
    api.tasks.release(task, "eva", force=True, conn=conn)
    api.tasks.take(task, "bob", ["r:Technician"], conn=conn)
    device.press("#send")
    has(device, [1, 0, 0, 0, 0])


@pytest.mark.parametrize("unsent", [False, True])
def test_a_device_that_is_reported_lost_has_nothing_at_its_next_contact(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any], unsent: bool
) -> None:
    task = locked()
    begun(device, task)
    line.cut()
    if unsent:
        device.complete(task, "8")
    (one,) = [each for each in api.offline.devices("carol", conn=conn) if each.tasks]
    api.offline.set_device_state(one.id, "L", "eva", conn=conn)
    line.restore()
    device.go("outbox")
    device.page.refresh()
    has(device, [0, 0, 0, 0, 0])
    device.wait(lambda page: "reported lost" in device.one("#line").text)
