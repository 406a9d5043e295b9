"""What people complain of most in tools for work in the field, each by its name."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import psycopg

from flows import api
from testkit.line import Line
from tests.browser.axe import against_the_rules, axe
from tests.browser.conftest import DESK, PHONE
from tests.browser.offline.device import Device
from tests.browser.offline.test_offline import count_steps

__all__ = ["axe"]

COUNT = """
    const [name, done] = arguments, asked = indexedDB.open("wedsql-offline");
    asked.onsuccess = () => {
      const work = asked.result.transaction(name), all = work.objectStore(name).count();
      work.oncomplete = () => { asked.result.close(); done(all.result); };
    };
"""
# Encrypts drafts slowly, as a weak phone does.
SLOW = """
    const encrypt = crypto.subtle.encrypt.bind(crypto.subtle);
    crypto.subtle.encrypt = async (...given) => {
      if (!given[2].byteLength || new TextDecoder().decode(given[2]).startsWith('{"fields"')) {
        document.body.dataset.slow = "yes";
        await new Promise((go) => setTimeout(go, 3000));
        document.body.dataset.slow = "no";
      }
      return encrypt(...given);
    };
"""
TWICE = """
    const form = document.querySelector("[data-task-form]");
    const button = form.querySelector("button[name=outcome]");
    form.requestSubmit(button); form.requestSubmit(button); button.click();
"""


def ready(device: Device, count: int) -> None:
    device.open()
    device.exchanged()
    device.wait(lambda page: len(device.tasks()) == count)


def stored(device: Device, name: str) -> int:
    return int(device.page.execute_async_script(COUNT, name))


def test_duplicates_made_by_the_sender_a_task_that_is_completed_twice_at_once_counts_once(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    task = locked()
    ready(device, 1)
    line.cut()
    device.go(f"tasks/{task}")
    device.one("[name=value-cost]").send_keys("5")
    device.page.execute_script(TWICE)
    device.wait(lambda page: device.all("#waiting")[0].text == "1")
    device.go("outbox")
    device.wait(lambda page: device.states() == ["waiting"])
    line.restore()
    for _turn in range(2):  # two tabs and an impatient finger
        device.page.execute_script("document.getElementById('send')?.click()")
    device.wait(lambda page: device.states() == ["accepted"])
    assert count_steps(conn, task) == 1
    kept = "select count(*) from wedsql.device_result where job_id = %s"
    assert conn.execute(kept, [task]).fetchone() == (1,)


def test_a_queue_that_cannot_be_looked_into_each_result_is_shown_as_it_was_filled_in(
    device: Device, line: Line, locked: Callable[[], int]
) -> None:
    tasks = [locked(), locked()]
    ready(device, 2)
    line.cut()
    for task, cost in zip(tasks, ("41", "42"), strict=True):
        device.complete(task, cost)
    device.go("outbox")
    device.wait(lambda page: device.states() == ["waiting"] * 2)
    device.press("a[href='#/result/1']")
    text = device.wait(lambda page: device.all("#result"))[0].text
    assert "Cost" in text and "41" in text and "Ready" in text and "42" not in text
    for size in (DESK, PHONE):
        device.page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False,
        })  # fmt: skip
        assert against_the_rules(device.page) == [], size
    line.restore()
    device.go("outbox")
    device.press("#send")
    device.wait(lambda page: device.states() == ["accepted"] * 2)
    device.go("result/2")
    device.wait(lambda page: "42" in device.one("#result").text)
    device.go("result/9")
    device.wait(lambda page: "no longer on this device" in device.one("main").text)


def test_a_queue_that_is_sent_only_as_a_whole_one_result_is_sent_by_itself_and_the_order_holds(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    tasks = [locked() for _ in range(3)]
    ready(device, 3)
    line.cut()
    for task in tasks:
        device.complete(task, "5")
    device.go("outbox")
    device.wait(lambda page: device.states() == ["waiting"] * 3)
    device.page.execute_script("for (let n = 0; n < 99999; n += 1) clearInterval(n)")  # nothing by itself
    line.restore()
    device.press("#send_one-1")
    device.wait(lambda page: device.states() == ["waiting", "waiting", "accepted"])
    device.press("#send_one-3")
    device.wait(lambda page: device.states() == ["held", "waiting", "accepted"])
    assert [count_steps(conn, task) for task in tasks] == [1, 0, 0], "the third waits for the second"
    assert "result 2" in device.one("tbody tr").text
    device.press("#send_one-2")
    device.wait(lambda page: device.states()[1:] == ["accepted", "accepted"])
    device.press("#send")
    device.wait(lambda page: device.states() == ["accepted"] * 3)
    assert [count_steps(conn, task) for task in tasks] == [1] * 3


def test_a_false_unsaved_record_what_was_saved_leaves_no_draft_and_nothing_that_is_not_sent(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    """A draft that is still being encrypted while its result is saved must not come back after it."""
    task = locked()
    ready(device, 1)
    line.cut()
    device.page.execute_script(SLOW)
    device.go(f"tasks/{task}")
    device.one("[name=value-cost]").send_keys("5")
    device.wait(lambda page: device.all("body[data-slow=yes]"))
    device.press("[data-task-form] button[name=outcome]")
    device.wait(lambda page: device.all("#waiting")[0].text == "1")
    device.wait(lambda page: device.all("body[data-slow=no]"))
    device.wait(lambda page: not device.all("[data-task-form]"))
    device.page.execute_async_script("setTimeout(arguments[0], 100)")
    assert stored(device, "drafts") == 0 and stored(device, "outbox") == 1
    line.restore()
    device.go("outbox")
    device.press("#send")
    device.wait(lambda page: device.states() == ["accepted"])
    device.exchanged()
    assert device.all("#waiting")[0].text == "" and stored(device, "drafts") == 0
    marked = json.loads(device.page.execute_script("return localStorage.getItem('wedsql-offline')"))
    assert marked["unsent"] == 0, "logging out is not refused"
    assert api.tasks.read(task, "carol", conn=conn).ended_at is not None
