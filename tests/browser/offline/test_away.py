"""Going offline: tasks are transferred before they are locked, locked by one request, and performed."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from flows import api
from testkit.line import Line
from tests.browser.axe import against_the_rules, axe
from tests.browser.conftest import DESK, LOOKS, PHONE
from tests.browser.offline.device import Device
from tests.browser.offline.test_offline import count_steps

__all__ = ["axe"]

ASKED = """return performance.getEntriesByType("resource").map((one) => one.name)
    .filter((one) => /offline\\/(away|packages|sync)\\//.test(one)).length"""


@pytest.fixture
def opened(flow: str, conn: psycopg.Connection[Any]) -> Callable[[], int]:
    """A function that starts an instance, and returns the number of its task, which is open."""

    def start() -> int:
        (task,) = api.tasks.of_instance(api.instances.start(flow, {}, conn=conn), conn=conn)
        return task.job_id

    return start


def offered(device: Device) -> set[str]:
    return {str(one.get_attribute("data-offer")) for one in device.all("[data-offer]")}


def go_offline(device: Device, *tasks: int) -> None:
    """Choose just these tasks, and go offline."""
    device.go("away")
    device.one("#plan")
    for box in device.all("[name=take]"):
        if (box.get_attribute("value") in map(str, tasks)) != box.is_selected():
            box.click()
    device.press("#go")


def test_t231_what_was_prefetched_is_taken_along_by_one_request_and_performed(
    device: Device, line: Line, opened: Callable[[], int], locked: Callable[[], int],
    conn: psycopg.Connection[Any],
) -> None:  # fmt: skip
    mine, task, other = locked(), opened(), opened()
    device.open()
    device.exchanged()
    device.wait(lambda page: {str(task), str(other)} <= offered(device))
    device.go(f"tasks/{task}")
    device.wait(lambda page: "not on this device" in device.one("h1").text)
    assert not device.all("[data-task-form]")
    device.go("away")
    device.one("#plan")
    before = device.page.execute_script(ASKED)
    go_offline(device, mine, task)
    device.wait(lambda page: "perform without a connection: 2." in device.one("#left").text)
    assert device.page.execute_script(ASKED) == before + 1
    assert api.tasks.read(task, "carol", conn=conn).state == "L"
    assert "carol" not in [one.name for one in api.persons.active(conn=conn)]
    line.cut()
    device.start_again()
    device.open()
    device.wait(lambda page: set(device.tasks()) == {str(mine), str(task)})
    device.complete(task, "500")
    line.restore()
    device.log_in("carol")
    device.go("outbox")
    device.press("#send")
    device.wait(lambda page: device.states() == ["accepted"])
    assert count_steps(conn, task) == 1
    assert str(api.tasks.read(task, "carol", conn=conn).state_of["cost"]) == "500"


def test_t175_who_cannot_take_everything_along_is_told_why_and_goes_on(
    device: Device, opened: Callable[[], int], locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    mine, taken, task = locked(), opened(), opened()
    device.open()
    device.exchanged()
    device.wait(lambda page: {str(task), str(taken)} <= offered(device))
    api.tasks.take(taken, "bob", ["r:Technician"], conn=conn)
    go_offline(device, taken, task)
    device.wait(lambda page: "bob has task" in device.one("[role=alert]").text)
    assert api.tasks.read(mine, "carol", conn=conn).state == "R", "what is not taken along is given back"
    device.page.refresh()
    device.wait(lambda page: str(taken) not in [b.get_attribute("value") for b in device.all("[name=take]")])
    go_offline(device, task)
    device.wait(lambda page: "perform without a connection: 1." in device.one("#left").text)
    device.press("#back")
    device.exchanged()
    device.wait(lambda page: device.all("#plan"))


def test_t175_t176_what_does_not_fit_is_said_before_anything_is_locked(
    device: Device, line: Line, opened: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    task = opened()
    device.open()
    device.exchanged()
    device.go("away")
    device.press("#prefetch")
    device.page.execute_script("location.reload()")
    device.wait(lambda page: not offered(device))
    device.page.execute_script("navigator.storage.estimate = async () => ({ quota: 1000, usage: 0 })")
    device.go("")
    go_offline(device, task)
    device.wait(lambda page: "It does not fit" in device.one("[role=alert]").text)
    assert api.tasks.read(task, "carol", conn=conn).state == "R"
    device.page.refresh()
    go_offline(device, task)
    device.wait(lambda page: "perform without a connection: 1." in device.one("#left").text)


@pytest.mark.parametrize("theme, language", LOOKS)
def test_going_offline_is_accessible_and_fits_a_phone(
    device: Device, opened: Callable[[], int], locked: Callable[[], int], theme: str, language: str
) -> None:
    locked(), opened()
    device.open(f"offline/{language}/#/away")
    device.wait(lambda page: len(device.all("[name=take]")) >= 2)
    device.page.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
    for size in (DESK, PHONE):
        device.page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False,
        })  # fmt: skip
        assert against_the_rules(device.page) == [], size
        assert device.page.execute_script("return document.documentElement.scrollWidth <= innerWidth"), size
        if folder := os.environ.get("WEDSQL_PICTURES"):
            device.page.save_screenshot(f"{folder}/away-{theme}-{language}-{size[0]}.png")
