"""A browser in a network of its own whose link goes down, or that loses what is behind it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from flows import api
from testkit.waiting import until
from testkit.web import WebServer
from tests.browser.link import Link, lacking
from tests.browser.offline.device import Device
from tests.browser.offline.test_offline import count_steps

_WHY = lacking()
pytestmark = pytest.mark.skipif(bool(_WHY), reason=_WHY or "there are network namespaces")
# The clock of a page is put on by `ahead` milliseconds, so that its watchdog does not have to be waited for.
CLOCK = "const real = Date.now; window.ahead = 0; Date.now = () => real() + window.ahead;"


@pytest.fixture
def link(server: WebServer) -> Iterator[Link]:
    made = Link(server.port)
    yield made
    made.end()


@pytest.fixture
def inside(tmp_path: Path, link: Link, technicians: None) -> Iterator[Device]:
    made = Device(tmp_path / "profile", link)
    until(lambda: notices_no_change(made), pause=0.5)
    made.log_in("carol")
    yield made
    made.kill()


def notices_no_change(device: Device) -> bool:
    """Return whether the browser loads all of a page: it drops what it loads while it notices its network."""
    device.open("accounts/login/")
    return not any("ERR_NETWORK_CHANGED" in each["message"] for each in device.page.get_log("browser"))


def test_a_task_is_performed_while_the_link_is_down_and_delivered_once_it_is_up(
    inside: Device, link: Link, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    task = locked()
    inside.open()
    inside.exchanged()
    inside.wait(lambda page: inside.tasks() == [str(task)])
    link.cut()
    inside.complete(task, "5")
    inside.start_again()
    inside.open("offline/en/#/outbox")
    inside.exchanged("offline")
    assert inside.states() == ["waiting"]
    link.restore()
    inside.wait(lambda page: page.execute_script("return navigator.onLine"))
    inside.log_in("carol")
    inside.press("#send")
    inside.wait(lambda page: inside.states() == ["accepted"])
    assert api.tasks.read(task, "carol", conn=conn).state == "D" and count_steps(conn, task) == 1


def test_the_browser_itself_sends_what_waits_once_the_link_is_up_and_no_page_is_open(
    inside: Device, link: Link, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    task = locked()
    inside.open()
    inside.exchanged()
    inside.wait(lambda page: inside.tasks() == [str(task)])
    link.cut()
    inside.complete(task, "5")
    inside.exchanged("offline")
    inside.page.get("about:blank")
    link.restore()
    sent = "select state from wedsql.device_result where job_id = %s"
    until(lambda: conn.execute(sent, [task]).fetchall() == [("A",)])
    inside.open("offline/en/#/outbox")
    inside.wait(lambda page: inside.states() == ["accepted"])
    assert count_steps(conn, task) == 1


def test_a_live_page_notices_what_its_open_connection_does_not_report(inside: Device, link: Link) -> None:
    inside.page.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": CLOCK})
    inside.open("instances/")
    inside.wait(lambda page: inside.all("[data-socket][data-state=live]"))
    link.cut()
    inside.wait(lambda page: inside.all("[data-socket][data-state=stale]"))
    assert inside.page.execute_script("return window.ahead") == 0, "the browser has the event"
    link.restore()
    inside.wait(lambda page: inside.all("[data-socket][data-state=live]"))
    link.mute()
    time.sleep(5)
    assert inside.page.execute_script("return navigator.onLine"), "the browser has a network"
    assert inside.all("[data-socket][data-state=live]"), "its open connection reports nothing"
    inside.page.execute_script("window.ahead = 46000")
    inside.wait(lambda page: inside.all("[data-socket][data-state=stale]"))
    link.restore()
    inside.wait(lambda page: inside.all("[data-socket][data-state=live]"))


def test_the_page_of_a_task_waits_while_the_link_is_down_and_goes_on(
    inside: Device, link: Link, locked: Callable[[], int]
) -> None:
    inside.open(f"tasks/{locked()}/")
    inside.one("[data-line-note][data-watched]")
    link.cut()
    inside.wait(lambda page: "the task waits" in inside.one("[data-line-note]").text)
    link.restore()
    inside.wait(lambda page: "the task waits" not in inside.one("[data-line-note]").text)


def test_t232_a_device_that_gets_another_address_goes_on(
    inside: Device, link: Link, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    task = locked()
    inside.open()
    inside.exchanged()
    inside.wait(lambda page: inside.tasks() == [str(task)])
    link.move()
    inside.complete(task, "5")
    inside.go("outbox")
    inside.wait(lambda page: inside.press("#send") or inside.states() == ["accepted"])
    assert count_steps(conn, task) == 1
