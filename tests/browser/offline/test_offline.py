"""Tasks performed without a connection: in a real browser that is killed, behind a line that is cut."""

from __future__ import annotations

import os
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import psycopg
import pytest

from flows import api
from testkit.line import Line
from tests.browser.axe import against_the_rules, axe
from tests.browser.conftest import DESK, LOOKS, PHONE
from tests.browser.offline.conftest import DEFINITION
from tests.browser.offline.device import Device

__all__ = ["axe"]


def test_a_value_outside_of_the_limits_of_its_field_is_not_taken_without_a_connection(
    device: Device, line: Line, locked: Callable[[], int], flow: str, conn: psycopg.Connection[Any]
) -> None:
    api.flows.publish(flow, limited(), conn=conn)
    task = locked()
    device.open()
    device.exchanged()
    device.wait(lambda page: device.tasks() == [str(task)])
    line.cut()
    device.go(f"tasks/{task}")
    assert "From 5 to 90" in device.one("[data-attribute=cost]").text
    for name, wrong, right in LIMITED:
        field = device.one(f"[name=value-{name}]")
        for text in wrong:
            _fill(device, field, text)
            device.press("[data-task-form] button[name=outcome]")
            error = device.wait(lambda page: device.all(".note-error:not([hidden])"))[0]
            limits = device.one(f"[data-attribute={name}] [id$=-limits]").text
            assert limits and limits in error.text, text
            assert field.get_attribute("aria-invalid") == "true", text
        _fill(device, field, right)
    device.press("[data-task-form] button[name=outcome]")
    device.wait(lambda page: not device.all("[data-task-form]"))


# For each attribute: texts outside of its limits, and one that keeps them.
LIMITED = (
    ("cost", ("90.5", "4"), "9"),
    ("reason", ("w", "a very long text"), "wet"),
    ("day", ("2024-03-02", "2023-12-31"), "2024-03-01"),
)


def _fill(device: Device, field: Any, text: str) -> None:
    """Write a text into a field as a person does, who types a date in a way of the browser's own."""
    said = (
        "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', {bubbles: true}))"
    )
    device.page.execute_script(said, field, text)


def limited() -> dict[str, Any]:
    """Return the definition with limits of a number, of a text and of a day."""
    found = deepcopy(DEFINITION)
    found["attributes"].append({"name": "day", "type": "date"})
    rule = found["triggers"][0]
    limits = {"cost": {"min": 5, "max": 90}, "reason": {"min_length": 2, "max_length": 5}}
    for section in rule["form"]["sections"]:
        for field in section["fields"]:
            field.update(limits.get(field["attribute"], {}))
            if field["attribute"] == "reason":
                field.pop("shown", None)
                field.pop("required", None)
    fields = rule["form"]["sections"][0]["fields"]
    fields.append({"attribute": "day", "min": "2024-01-01", "max": "2024-03-01"})
    return found


def test_t181_a_task_is_performed_in_a_browser_that_is_killed_without_a_connection(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    task = locked()
    device.open()
    device.exchanged()
    device.wait(lambda page: device.tasks() == [str(task)])
    line.cut()
    device.start_again()
    device.open()
    device.exchanged("offline")
    assert device.tasks() == [str(task)]
    device.go(f"tasks/{task}")
    device.one("[name=value-cost]").send_keys("500")
    assert device.one("[data-attribute=reason]").is_displayed(), "conditions are evaluated here"
    device.one("[name=value-reason]").send_keys("wet")
    device.wait(lambda page: device.all("form[data-kept]"))
    device.start_again()
    device.open(f"offline/en/#/tasks/{task}")
    assert device.one("[name=value-cost]").get_property("value") == "500", "what was typed is there again"
    device.press("[data-task-form] button[name=outcome]")
    device.wait(lambda page: not device.all("[data-task-form]"))
    device.go("outbox")
    device.wait(lambda page: device.states() == ["waiting"])
    device.start_again()
    line.restore()
    device.open("offline/en/#/outbox")
    device.exchanged("log-in", "connected")
    device.log_in("carol")
    device.press("#send")
    device.wait(lambda page: device.states() == ["accepted"])
    sheet = api.tasks.read(task, "carol", conn=conn)
    assert (sheet.state, sheet.ended_by) == ("D", "carol") and str(sheet.state_of["cost"]) == "500"
    times = """
        select r.made_at < r.arrived_at, l.message from wedsql.device_result r
        join wedsql.job_log l on l.job_id = r.job_id and l.outcome = 'offline' where r.job_id = %s"""
    both = conn.execute(times, [task]).fetchall()
    assert len(both) == 1 and both[0][0]
    assert count_steps(conn, task) == 1
    device.open(f"instances/{sheet.wid}/")


def count_steps(conn: psycopg.Connection[Any], task: int) -> int:
    found = conn.execute("select count(*) from wedsql.wed_trace where job_id = %s", [task]).fetchone()
    return int(found[0]) if found else 0


def test_t189_a_line_that_is_cut_while_results_are_sent_loses_and_doubles_none(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    tasks = [locked() for _ in range(4)]
    device.open()
    device.exchanged()
    device.wait(lambda page: len(device.tasks()) == 4)
    line.cut()
    for place, task in enumerate(tasks):
        device.complete(task, str(place))
    device.go("outbox")
    device.wait(lambda page: device.states() == ["waiting"] * 4)
    for _turn in range(3):
        line.restore()
        device.press("#send")
        device.wait_for_bytes(1500)
        line.cut()
    line.restore()
    device.press("#send")
    device.wait(lambda page: device.states() == ["accepted"] * 4)
    assert [count_steps(conn, task) for task in tasks] == [1] * 4
    decided = "select job_id from wedsql.device_result where job_id = any (%s) order by decided_at"
    assert [one[0] for one in conn.execute(decided, [tasks]).fetchall()] == tasks


def test_t185_who_lost_the_task_meanwhile_sends_a_late_result_with_a_case(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    task = locked()
    device.open()
    device.exchanged()
    device.wait(lambda page: device.tasks() == [str(task)])
    line.cut()
    device.complete(task, "7")
    api.tasks.release(task, "alice", force=True, conn=conn)
    api.tasks.take(task, "bob", ["r:Technician"], conn=conn)
    line.restore()
    device.go("outbox")
    device.press("#send")
    device.wait(lambda page: device.states() == ["late"])
    wid = api.tasks.read(task, "bob", conn=conn).wid
    (cause,) = conn.execute("select cause from wedsql.repair_case where wid = %s", [wid]).fetchall()
    assert cause[0] == "LATE_RESULT"
    device.go("")
    device.wait(lambda page: device.all(f"[data-task='{task}'] .tag"))


def test_a_refused_result_is_corrected_and_sent_again(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    task = locked()
    device.open()
    device.exchanged()
    device.wait(lambda page: device.tasks() == [str(task)])
    device.go(f"tasks/{task}")
    device.press("[data-task-form] button[name=outcome]")
    device.wait(lambda page: device.all("[aria-invalid]"))
    device.one("[name=value-cost]").send_keys("1")
    line.cut()
    device.page.execute_script("document.querySelector('[name=value-cost]').inputMode = 'text'")
    device.one("[name=value-cost]").send_keys(" hours")
    device.press("[data-task-form] button[name=outcome]")
    device.wait(lambda page: not device.all("[data-task-form]"))
    line.restore()
    device.go("outbox")
    device.press("#send")
    device.wait(lambda page: device.states() == ["refused"])
    device.press("tbody a[href^='#/tasks/']")
    field = device.one("[name=value-cost]")
    assert field.get_property("value") == "1 hours"
    field.clear()
    field.send_keys("1")
    device.press("[data-task-form] button[name=outcome]")
    device.wait(lambda page: not device.all("[data-task-form]"))
    device.go("outbox")
    device.wait(lambda page: device.states() == ["accepted"])
    assert count_steps(conn, task) == 1


def test_another_person_on_the_device_sees_nothing_and_the_first_one_loses_nothing(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    task = locked()
    device.open()
    device.exchanged()
    device.wait(lambda page: device.tasks() == [str(task)])
    line.cut()
    device.complete(task, "4711")
    device.wait(lambda page: device.all("#waiting")[0].text == "1")
    line.restore()
    device.log_in("bob")
    device.open("tasks/")
    device.wait(lambda page: not page.execute_script("return localStorage.getItem('wedsql-offline')"))
    line.cut()
    device.open()
    device.exchanged("offline")
    assert device.tasks() == [] and "4711" not in device.page.page_source
    assert device.page.execute_async_script(STORED) == [], "no value can be read in what is stored"
    line.restore()
    device.open()
    device.exchanged()
    assert device.tasks() == [] and count_steps(conn, task) == 0
    device.log_in("carol")
    device.open("offline/en/#/outbox")
    device.wait(lambda page: device.states() == ["accepted"])
    assert count_steps(conn, task) == 1


# Returns the records of the database that have a readable value or a key of a person.
STORED = """
    const done = arguments[0], asked = indexedDB.open("wedsql-offline");
    asked.onsuccess = () => {
      const work = asked.result.transaction(["people", "packages", "outbox", "drafts"]), found = [];
      for (const name of work.objectStoreNames) {
        work.objectStore(name).getAll().onsuccess = (event) => {
          for (const one of event.target.result) {
            if (one.key || /4711|cost|Costs/i.test(JSON.stringify(one))) found.push(name);
          }
        };
      }
      work.oncomplete = () => { asked.result.close(); done(found); };
    };
"""


# Lets no page exchange any more. Returns when none does: one that has begun would send when the line is back.
HELD = """
    const done = arguments[0];
    navigator.locks.request("wedsql-sync", () => { done(); return new Promise(() => {}); });
"""


def test_who_logs_out_with_results_that_are_not_sent_is_asked_what_becomes_of_them(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    first, second = locked(), locked()
    device.open()
    device.exchanged()
    device.wait(lambda page: len(device.tasks()) == 2)
    line.cut()
    device.complete(first, "1")
    device.complete(second, "2")
    api.tasks.release(second, "alice", force=True, conn=conn)
    device.page.execute_async_script(HELD)
    line.restore()
    first_tab = device.page.current_window_handle
    device.page.switch_to.new_window("tab")
    device.open("tasks/")
    device.page.execute_script(
        "document.querySelector('form[data-log-out] button').closest('details').open = true"
    )
    device.press("form[data-log-out] button")
    device.wait(lambda page: page.current_url.endswith("/offline/en/#/outbox/leave"))
    assert "2 results" in device.one("[role=alert]").text
    assert device.all("#send") and "Export" in device.one("main").text
    device.press("tbody tr:first-child button:last-child")
    device.press("dialog .danger")
    device.wait(lambda page: device.states() == ["discarding", "waiting"])
    device.page.switch_to.window(first_tab)
    device.page.close()
    device.page.switch_to.window(device.page.window_handles[0])
    device.wait(lambda page: device.states() == ["accepted"])
    assert count_steps(conn, first) == 1 and count_steps(conn, second) == 0
    device.open("tasks/")
    device.page.execute_script(
        "document.querySelector('form[data-log-out] button').closest('details').open = true"
    )
    device.press("form[data-log-out] button")
    device.wait(lambda page: "/login" in page.current_url)
    assert device.page.execute_async_script(STORED) == []


FONTS = """
    return [...document.querySelectorAll("td .actions .small")].map((one) => getComputedStyle(one).fontSize);
"""


@pytest.mark.parametrize("theme, language", LOOKS)
def test_the_client_is_accessible_and_fits_a_phone(
    device: Device, line: Line, locked: Callable[[], int], theme: str, language: str
) -> None:
    tasks = [locked(), locked()]
    device.open(f"offline/{language}/")
    device.exchanged()
    device.wait(lambda page: len(device.tasks()) == 2)
    device.page.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
    line.cut()
    device.complete(tasks[0], "1")
    for size in (DESK, PHONE):
        device.page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False,
        })  # fmt: skip
        places = {"": ".offline-list", "outbox": "#send", f"tasks/{tasks[1]}": "[data-task-form]"}
        for place, shown in places.items():
            device.go(place)
            device.one(shown)
            if place == "outbox":
                assert len({*device.page.execute_script(FONTS)}) == 1, "of links and buttons"
            if place.startswith("tasks"):
                assert device.one("#said").text == "", "what was saved is another task"
                title = device.one("#about-title").text
                assert title == ("What it is about" if language == "en" else "De que se trata"), title
            assert against_the_rules(device.page) == [], (place, size)
            wide = device.page.execute_script("return document.documentElement.scrollWidth <= innerWidth")
            assert wide, (place, size)
            if folder := os.environ.get("WEDSQL_PICTURES"):
                name = f"{theme}-{language}-{size[0]}-{place.partition('/')[0] or 'list'}.png"
                device.page.save_screenshot(f"{folder}/{name}")
