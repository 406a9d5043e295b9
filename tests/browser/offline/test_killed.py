"""The browser is killed right after it has said that a result is saved."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import psycopg

from testkit.line import Line
from tests.browser.offline.device import Device
from tests.browser.offline.test_offline import count_steps


def save_and_kill(device: Device, task: int) -> None:
    """Complete a task, and kill the browser as soon as the page says that the result is saved."""
    device.go(f"tasks/{task}")
    device.one("[name=value-cost]").send_keys(str(task))
    device.press("[data-task-form] button[name=outcome]")
    device.wait(lambda page: "is saved on this device" in device.one("#said").text)
    device.start_again()


def test_each_result_that_was_said_to_be_saved_survives_a_kill(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    tasks = [locked() for _ in range(4)]
    device.open()
    device.exchanged()
    device.wait(lambda page: len(device.tasks()) == 4)
    line.cut()
    for place, task in enumerate(tasks):
        device.open()
        save_and_kill(device, task)
        device.open("offline/en/#/outbox")
        device.wait(lambda page, place=place: device.states() == ["waiting"] * (place + 1))
    line.restore()
    device.log_in("carol")
    device.press("#send")
    device.wait(lambda page: device.states() == ["accepted"] * 4)
    assert [count_steps(conn, task) for task in tasks] == [1] * 4


def test_what_was_lost_with_a_kill_before_anything_was_noted_is_named(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    """No result and no note of it is left in the browser: the site says what its former device had."""
    task = locked()
    device.open()
    device.exchanged()
    device.wait(lambda page: device.tasks() == [str(task)])
    line.cut()
    save_and_kill(device, task)
    device.kill()
    for name in ("IndexedDB", "Local Storage", "Service Worker", "WebStorage"):
        shutil.rmtree(device.folder / "Default" / name, ignore_errors=True)
    device.start_again()
    line.restore()
    device.log_in("carol")
    device.open()
    device.wait(lambda page: device.tasks() == [str(task)])
    assert "another device of yours" in device.one("#elsewhere").text
    device.complete(task, "3")
    device.go("outbox")
    device.wait(lambda page: device.states() == ["accepted"])
    assert count_steps(conn, task) == 1
