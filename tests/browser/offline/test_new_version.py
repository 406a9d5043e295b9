"""A new version of the program while a form is open: it waits for the form, and unsent results stay."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from testkit.line import Line
from testkit.web import WebServer
from tests.browser.offline.device import Device
from tests.browser.offline.test_offline import count_steps

UPDATED = """
    const done = arguments[0];
    navigator.serviceWorker.getRegistration().then(async (found) => { await found.update(); done(true); });
"""
WAITING = """
    const done = arguments[0];
    navigator.serviceWorker.getRegistration().then((found) => done(Boolean(found.waiting)));
"""


@pytest.fixture
def newer(dsn: str, tmp_path: Path) -> Iterator[WebServer]:
    """The same site with one static file more: another version of the program."""
    files = tmp_path / "more_files"
    files.mkdir()
    (files / "newer.css").write_text("/* newer */")
    base = os.environ["DJANGO_SETTINGS_MODULE"]
    (tmp_path / "newer_settings.py").write_text(
        f"from {base} import *\n\nSTATICFILES_DIRS = [{str(files)!r}]\n"
    )
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    with WebServer.on(dsn, DJANGO_SETTINGS_MODULE="newer_settings", PYTHONPATH=path) as running:
        yield running


def program(device: Device) -> str:
    return str(device.one("body").get_attribute("data-program"))


def test_a_new_version_takes_over_when_no_form_is_open_and_unsent_results_stay(
    device: Device, line: Line, newer: WebServer, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    done, other = locked(), locked()
    device.open()
    device.exchanged()
    device.wait(lambda page: len(device.tasks()) == 2)
    old = program(device)
    line.cut()
    device.complete(done, "1")
    here, there = device.page.current_window_handle, device.new_tab()
    device.open(f"offline/en/#/tasks/{other}")
    device.one("[name=value-cost]").send_keys("2")
    device.wait(lambda page: device.all("form[data-kept]"))
    device.page.switch_to.window(here)
    device.page.delete_all_cookies()
    line.to = newer.port
    line.restore()
    device.wait(lambda page: page.execute_async_script(UPDATED))
    device.wait(lambda page: page.execute_async_script(WAITING))
    device.go("outbox")
    for _turn in range(3):  # each exchange asks for the new version
        device.press("#send")
        device.wait(lambda page: "Log in again" in device.one("#said").text)
    assert program(device) == old and device.page.execute_async_script(WAITING)
    device.page.switch_to.window(there)
    assert program(device) == old and device.one("[name=value-cost]").get_property("value") == "2"
    device.go("outbox")
    device.press("#send")
    device.wait(lambda page: not page.execute_async_script(WAITING))
    for tab in (there, here):
        device.page.switch_to.window(tab)
        device.wait(lambda page: program(device) not in ("", old))
        device.wait(lambda page: device.states() == ["waiting"])
    device.log_in("carol")
    device.press("#send")
    device.wait(lambda page: device.states() == ["accepted"])
    device.go(f"tasks/{other}")
    assert device.one("[name=value-cost]").get_property("value") == "2", "what was typed is still there"
    assert [count_steps(conn, task) for task in (done, other)] == [1, 0]
