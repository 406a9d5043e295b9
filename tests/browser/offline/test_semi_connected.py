"""A line that breaks: local data go on, remote data wait, a remote application is started again (T-200)."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import psycopg
from selenium import webdriver

from flows import api
from testkit.line import Line
from testkit.web import WebServer
from tests.browser.axe import against_the_rules, axe
from tests.browser.conftest import DESK, PHONE
from tests.browser.offline.conftest import DEFINITION
from tests.browser.offline.device import Device
from tests.browser.offline.test_offline import count_steps

__all__ = ["axe"]
APPLICATION = DEFINITION | {
    "triggers": [DEFINITION["triggers"][0] | {"application": "https://tools.example/cad"}]
}
KB, MB = 1000, 1_000_000
# Whether the task is on the device, has an application; bytes per second, in, out; the place, the reason.
TABLE: list[tuple[bool, bool, int, int, int, str, str]] = [
    (True, False, 0, 0, 0, "local", "here"),
    (True, False, 0, MB, 9 * MB, "local", "here"),
    (True, False, MB, MB, 0, "remote", "fast"),
    (True, False, MB, MB, 30 * MB, "remote", "fast"),
    (True, False, MB, MB, 31 * MB, "local", "slow"),
    (True, False, 49 * KB, MB, 0, "local", "slow"),
    (True, False, 50 * KB, MB, 0, "remote", "fast"),
    (False, False, 0, MB, MB, "remote", "not_here"),
    (False, False, MB, MB, MB, "remote", "not_here"),
    (False, False, 49 * KB, MB, 0, "lock", "not_here_slow"),
    (False, False, 100 * KB, MB, 9 * MB, "lock", "not_here_slow"),
    (True, True, 0, 0, 0, "remote", "application"),
    (False, True, 10, MB, MB, "remote", "application"),
]
ASK = """
    const [address, table, done] = arguments;
    import(address).then(({ recommended }) => done(table.map(([here, application, speed, input, output]) => {
      const found = recommended({ here, application, speed, input, output });
      return [found.place, found.why];
    })), (error) => done(String(error)));
"""


def test_t202_local_or_remote_is_recommended_from_bandwidth_and_volume(
    browser: webdriver.Chrome, server: WebServer
) -> None:
    browser.get(f"{server.url}static/wedsql_site/mark.svg")
    given = [list(one[:5]) for one in TABLE]
    found = browser.execute_async_script(ASK, f"{server.url}static/monitor/task_place.js", given)
    assert found == [list(one[5:]) for one in TABLE]


def on_page(device: Device, task: int) -> None:
    device.open(f"tasks/{task}/")
    device.one("[data-line-note][data-watched]")


def lost(device: Device, text: str) -> None:
    """Wait until the page of the task says this about its line."""
    device.wait(lambda page: text in device.one("[data-line-note]").text)


def test_t205_a_task_with_the_data_of_the_site_waits_and_goes_on(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    task = locked()
    on_page(device, task)
    line.cut()
    device.one("[name=value-cost]").send_keys("7")
    device.page.execute_script("dispatchEvent(new Event('offline'))")
    lost(device, "the task waits")
    device.press("[data-task-form] button[name=outcome]")
    device.wait(lambda page: page.switch_to.active_element == device.one("[data-line-note]"))
    assert device.one("[name=value-cost]").get_property("value") == "7" and count_steps(conn, task) == 0
    line.restore()
    lost(device, "there again")
    device.press("[data-task-form] button[name=outcome]")
    device.wait(lambda page: count_steps(conn, task) == 1)


def test_t205_what_is_sent_into_a_line_that_was_lost_unnoticed_stays_on_the_page(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    """No event says that the line is lost: the page asks before it sends, and asks in vain."""
    task = locked()
    on_page(device, task)
    device.one("[name=value-cost]").send_keys("7")
    device.page.execute_script("performance.now = () => 1e9")
    line.cut()
    device.press("[data-task-form] button[name=outcome]")
    lost(device, "the task waits")
    assert device.one("[name=value-cost]").get_property("value") == "7"
    line.restore()
    lost(device, "there again")
    device.press("[data-task-form] button[name=outcome]")
    device.wait(lambda page: count_steps(conn, task) == 1)


def test_t204_the_same_task_goes_on_with_the_data_on_the_device(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    task = locked()
    device.open()
    device.exchanged()
    device.wait(lambda page: device.tasks() == [str(task)])
    on_page(device, task)
    device.wait(lambda page: device.all("[data-place]:not([hidden]) [data-perform]:not([hidden])"))
    line.cut()
    device.press("[data-perform]")
    device.one("[data-task-form] [name=value-cost]").send_keys("8")
    device.press("[data-task-form] button[name=outcome]")
    device.wait(lambda page: not device.all("[data-task-form]"))
    device.go("outbox")
    device.wait(lambda page: device.states() == ["waiting"])
    line.restore()
    device.press("#send")
    device.wait(lambda page: device.states() == ["accepted"])
    assert count_steps(conn, task) == 1


def test_t206_an_application_of_the_site_is_started_again_by_the_person(
    device: Device, line: Line, flow: str, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    api.flows.publish(flow, APPLICATION, conn=conn)
    on_page(device, locked())
    link = device.one("[data-application]")
    device.page.execute_script("arguments[0].addEventListener('click', (e) => e.preventDefault())", link)
    link.click()
    line.cut()
    device.page.execute_script("dispatchEvent(new Event('offline'))")
    lost(device, "The application has lost its connection, too.")
    assert link.get_attribute("aria-disabled") == "true"
    line.restore()
    lost(device, "Open the application again")
    assert link.get_attribute("aria-disabled") is None


def test_t202_the_page_of_a_task_recommends_where_to_perform_it(
    device: Device, locked: Callable[[], int]
) -> None:
    task = locked()
    on_page(device, task)
    assert not device.all("[data-place]:not([hidden])"), "this browser is no device yet"
    device.open()
    device.exchanged()
    device.wait(lambda page: device.tasks() == [str(task)])
    on_page(device, task)
    device.wait(lambda page: device.all("[data-place]:not([hidden])"))
    assert "Recommended:" in device.one("[data-said]").text and "{" not in device.one("[data-said]").text
    for size in (DESK, PHONE):
        device.page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False,
        })  # fmt: skip
        assert against_the_rules(device.page) == [], size
        if folder := os.environ.get("WEDSQL_PICTURES"):
            device.page.save_screenshot(f"{folder}/task-{size[0]}.png")


def test_t300_a_device_that_is_low_on_energy_locks_no_task_on_its_page_and_says_why(
    device: Device, flow: str, conn: psycopg.Connection[Any]
) -> None:
    (task,) = api.tasks.of_instance(api.instances.start(flow, {}, conn=conn), conn=conn)
    device.open("offline/en/#/away")
    device.exchanged()
    device.press("#report")
    device.wait(lambda page: "saved" in device.one("#said").text)
    source = "navigator.getBattery = async () => ({{ level: {}, charging: false }})"
    made = device.page.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument", {"source": source.format(0.03)}
    )
    on_page(device, task.job_id)
    device.one("form[data-lock] [name=energy]")
    device.press("form[data-lock] button")
    device.wait(lambda page: "3 percent of its energy" in device.one("main").text)
    assert api.tasks.read(task.job_id, "carol", conn=conn).state == "R"
    device.page.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", made)
    on_page(device, task.job_id)
    device.one("form[data-lock] [name=device]")
    device.press("form[data-lock] button")
    device.wait(lambda page: device.all("[data-task-form]"))
    assert api.tasks.read(task.job_id, "carol", conn=conn).state == "L"
