"""Tasks performed without a connection: in a real browser that is killed, behind a line that is cut."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.test import Client
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from flows import api
from testkit.line import Line
from testkit.web import WebServer
from tests.browser.axe import against_the_rules, axe
from tests.browser.conftest import DESK, FLAGS, PHONE, PROGRAMS, wait_in
from tests.browser.test_task_form import DEFINITION as FORM

__all__ = ["axe"]
DEFINITION = FORM | {"triggers": [FORM["triggers"][0] | {"offline": True, "role": "Technician"}]}
Browser = webdriver.Chrome


class Device:
    """A browser with a profile of its own on a line of its own."""

    def __init__(self, folder: Path, line: Line) -> None:
        self.folder, self.line = folder, line
        self.page = self._started()

    def _started(self) -> Browser:
        options = webdriver.ChromeOptions()
        # The program without windows does not start on a profile of its own.
        options.binary_location = str(next(filter(None, map(shutil.which, PROGRAMS[1:]))))
        for flag in (*FLAGS, f"--user-data-dir={self.folder}"):
            options.add_argument(flag)
        chrome = webdriver.Chrome(options=options, service=Service(str(shutil.which("chromedriver"))))
        chrome.set_window_size(*DESK)
        return chrome

    def kill(self) -> None:
        """Kill the browser as the system does when it has no memory; the profile stays."""
        with suppress(ProcessLookupError):
            os.kill(self.page.capabilities["goog:processID"], signal.SIGKILL)
        with suppress(Exception):
            self.page.quit()

    def start_again(self) -> None:
        self.kill()
        self.page = self._started()

    def open(self, path: str = "offline/en/") -> None:
        self.page.get(self.line.url + path)

    def log_in(self, name: str) -> None:
        client = Client()
        client.force_login(get_user_model().objects.get(username=name))
        key = client.cookies[settings.SESSION_COOKIE_NAME].value
        self.page.execute_cdp_cmd("Network.setCookie", {
            "name": settings.SESSION_COOKIE_NAME, "value": key, "url": self.line.url, "httpOnly": True,
        })  # fmt: skip

    def wait(self, condition: Callable[[Browser], Any]) -> Any:
        return wait_in(self.page, condition, 60)

    def exchanged(self, *lines: str) -> None:
        """Wait until the client says that its line is this, and its worker has all files."""
        self.wait(lambda page: self.all("#line")[0].get_attribute("data-line") in (lines or ("connected",)))
        self.wait(lambda page: self.all("body[data-kept]"))

    def all(self, selector: str) -> list[Any]:
        return self.page.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> Any:
        return self.wait(lambda page: (self.all(selector) or [None])[0])

    def wait_for_bytes(self, count: int) -> None:
        """Wait until so many bytes have gone over the line, or all results were accepted."""
        before = self.line.bytes
        self.wait(lambda page: self.line.bytes > before + count or {*self.states()} == {"accepted"})

    def press(self, selector: str) -> None:
        """Click, again where the list was replaced meanwhile."""
        self.wait(lambda page: [one.click() or one for one in self.all(selector)[:1]])

    def tasks(self) -> list[str]:
        return [one.get_attribute("data-task") for one in self.all("[data-task]")]

    def states(self) -> list[str]:
        """Return the states in the outbox, the last result first."""
        return [one.get_attribute("data-state") for one in self.all("[data-state]")]

    def go(self, place: str) -> None:
        self.page.execute_script("location.hash = arguments[0]", f"#/{place}")

    def complete(self, task: int, cost: str) -> None:
        self.go(f"tasks/{task}")
        field = self.one("[name=value-cost]")
        field.clear()
        field.send_keys(cost)
        self.press("[data-task-form] button[name=outcome]")
        self.wait(lambda page: not self.all("[data-task-form]"))


@pytest.fixture
def technicians(people: dict[str, Any], django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock():
        group = Group.objects.get_or_create(name="role:Technician")[0]
        for name in ("carol", "bob"):
            people[name].groups.add(group)
        yield
        group.delete()


@pytest.fixture
def line(server: WebServer) -> Iterator[Line]:
    made = Line(server.port)
    yield made
    made.cut()


@pytest.fixture
def device(tmp_path: Path, line: Line, technicians: None) -> Iterator[Device]:
    made = Device(tmp_path / "profile", line)
    made.open("static/wedsql_site/mark.svg")
    made.log_in("carol")
    yield made
    made.kill()


@pytest.fixture
def conn(flow: str, connect: Any) -> psycopg.Connection[Any]:
    found: psycopg.Connection[Any] = connect()
    api.publish(flow, DEFINITION, conn=found)
    return found


@pytest.fixture
def locked(flow: str, conn: psycopg.Connection[Any]) -> Callable[[], int]:
    """A function that starts an instance, locks its task for carol, and returns the number of the task."""

    def lock() -> int:
        (task,) = api.instance_tasks(api.start(flow, {}, conn=conn), conn=conn)
        api.take_task(task.job_id, "carol", ["r:Technician"], lock=True, conn=conn)
        return task.job_id

    return lock


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
    sheet = api.read_task(task, "carol", conn=conn)
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
    api.release_task(task, "alice", force=True, conn=conn)
    api.take_task(task, "bob", ["r:Technician"], conn=conn)
    line.restore()
    device.go("outbox")
    device.press("#send")
    device.wait(lambda page: device.states() == ["late"])
    wid = api.read_task(task, "bob", conn=conn).wid
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
    device.press("tbody a.button")
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
    api.release_task(second, "alice", force=True, conn=conn)
    device.page.execute_script("navigator.locks.request('wedsql-sync', () => new Promise(() => {}))")
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


@pytest.mark.parametrize("language", ["en", "pt-br"])
@pytest.mark.parametrize("theme", ["light", "dark"])
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
        for place in ("", "outbox", f"tasks/{tasks[1]}"):
            device.go(place)
            device.wait(lambda page: device.all(".offline-list, #send, [data-task-form]"))
            if place.startswith("tasks"):
                title = device.one("#about-title").text
                assert title == ("What it is about" if language == "en" else "De que se trata"), title
            assert against_the_rules(device.page) == [], (place, size)
            wide = device.page.execute_script("return document.documentElement.scrollWidth <= innerWidth")
            assert wide, (place, size)
            if folder := os.environ.get("WEDSQL_PICTURES"):
                name = f"{theme}-{language}-{size[0]}-{place.partition('/')[0] or 'list'}.png"
                device.page.save_screenshot(f"{folder}/{name}")
