"""Deadlines are counted on the device, by the clock of the site (T-014, T-135)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from flows import api
from testkit.line import Line
from tests.browser.offline.conftest import DEFINITION
from tests.browser.offline.device import Device


@pytest.fixture
def publish(flow: str, conn: psycopg.Connection[Any]) -> Callable[[str], None]:
    """A function that publishes the flow with this deadline, to which its tasks move."""

    def published(deadline: str) -> None:
        rule = DEFINITION["triggers"][0] | {"deadline": deadline}
        api.flows.publish(flow, DEFINITION | {"triggers": [rule]}, conn=conn)

    return published


def tags(device: Device) -> list[str]:
    return [one.text for one in device.all("[data-due]")]


def test_t135_a_deadline_that_passes_without_a_connection_is_shown(
    device: Device, line: Line, publish: Callable[[str], None], locked: Callable[[], int]
) -> None:
    publish("6 seconds")
    task = locked()
    device.open()
    device.exchanged()
    device.wait(lambda page: device.tasks() == [str(task)])
    line.cut()
    device.wait(lambda page: tags(device) == ["overdue"])


@pytest.mark.parametrize("minutes, zone", [(1440, "UTC"), (180, "America/Sao_Paulo"), (-180, "Asia/Tokyo")])
def test_t135_a_clock_that_is_wrong_by_a_day_or_a_zone_is_named_and_deadlines_count_by_that_of_the_site(
    device: Device,
    line: Line,
    publish: Callable[[str], None],
    locked: Callable[[], int],
    conn: psycopg.Connection[Any],
    minutes: int,
    zone: str,
) -> None:
    publish("5 hours")
    task = locked()
    conn.execute("update wedsql.task_watch set hours = '{3,0}' where job_id = %s", [task])
    wrong = f"const right = Date.now; Date.now = () => right() + {minutes * 60_000};"
    device.page.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": zone})
    device.page.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": wrong})
    device.open()
    device.exchanged()
    device.wait(lambda page: device.tasks() == [str(task)])
    device.wait(lambda page: f"{abs(minutes)} minutes" in device.one("#clock").text)
    assert tags(device) == []
    publish("2 hours")
    conn.execute("update wedsql.task_watch set hours = '{3,0}' where job_id = %s", [task])
    device.page.refresh()
    device.wait(lambda page: tags(device) == ["due in less than 3 h"])
    line.cut()
    device.page.refresh()
    device.exchanged("offline")
    device.wait(lambda page: tags(device) == ["due in less than 3 h"])
