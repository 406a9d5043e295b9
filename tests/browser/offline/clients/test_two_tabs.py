"""Two tabs of one device: what is made in one is sent once, and the other one shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg

from testkit.line import Line
from tests.browser.offline.device import Device
from tests.browser.offline.test_offline import count_steps


def test_a_result_made_in_one_tab_is_sent_once_and_shown_by_the_other(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    first, second = locked(), locked()
    device.open()
    device.exchanged()
    device.wait(lambda page: len(device.tasks()) == 2)
    here, there = device.page.current_window_handle, device.new_tab()
    device.open()
    device.exchanged()
    device.wait(lambda page: len(device.tasks()) == 2)
    line.cut()
    device.complete(first, "1")
    device.page.switch_to.window(here)
    device.wait(lambda page: device.all("#waiting")[0].text == "1")
    device.wait(lambda page: device.all(f"[data-task='{first}'] .tag"))
    device.complete(second, "2")
    device.page.switch_to.window(there)
    device.wait(lambda page: device.all("#waiting")[0].text == "2")
    line.restore()
    send = "setTimeout(() => document.dispatchEvent(new Event('visibilitychange')), 500)"
    for tab in (here, there):
        device.page.switch_to.window(tab)
        device.page.execute_script(send)
    for tab in (here, there):
        device.page.switch_to.window(tab)
        device.go("outbox")
        device.wait(lambda page: device.states() == ["accepted"] * 2)
    assert [count_steps(conn, task) for task in (first, second)] == [1, 1]
    counted = "select number from wedsql.device_result where job_id = any (%s) order by number"
    assert conn.execute(counted, [[first, second]]).fetchall() == [(1,), (2,)]


def test_a_task_that_is_open_in_two_tabs_is_completed_once(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    task = locked()
    device.open()
    device.exchanged()
    device.wait(lambda page: len(device.tasks()) == 1)
    line.cut()
    here, there = device.page.current_window_handle, device.new_tab()
    device.open(f"offline/en/#/tasks/{task}")
    device.one("[name=value-cost]").send_keys("1")
    device.page.switch_to.window(here)
    device.complete(task, "2")
    device.page.switch_to.window(there)
    device.press("[data-task-form] button[name=outcome]")
    device.wait(lambda page: "in the outbox" in device.one("[role=alert]").text)
    assert device.one("[name=value-cost]").get_property("value") == "1", "what was typed is still there"
    line.restore()
    device.go("outbox")
    device.press("#send")
    device.wait(lambda page: device.states() == ["accepted"])
    device.go(f"tasks/{task}")
    device.wait(lambda page: not device.all("[data-task-form]"))
    assert count_steps(conn, task) == 1
