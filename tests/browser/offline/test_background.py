"""Results that the browser sends when no page of the client is open, where it has background sync."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings

from flows import api
from testkit.line import Line
from testkit.waiting import until
from tests.browser.offline.device import Device, Shelf
from tests.browser.offline.test_offline import count_steps
from tests.browser.offline.test_photos import choose, complete, conn, photo, ready

__all__ = ["conn", "photo"]
ELSEWHERE = "static/wedsql_site/mark.svg"
# Returns how many records the device has besides that of its person, and whether a key is among them.
STORED = """
    const done = arguments[0], asked = indexedDB.open("wedsql-offline");
    asked.onsuccess = () => {
      const database = asked.result, found = [];
      const work = database.transaction(["people", "packages", "outbox", "files"]);
      for (const name of work.objectStoreNames) {
        work.objectStore(name).getAll().onsuccess = ({ target: { result } }) => {
          found.push(...result.filter((one) => name !== "people" || one.key).map(() => name));
        };
      }
      work.oncomplete = () => { database.close(); done(found.sort()); };
    };
"""
# Returns the locks that the worker holds or waits for.
LOCKS = """
    const done = arguments[0];
    navigator.locks.query().then(({ held, pending }) => done([...held, ...pending].map(({ name }) => name)));
"""


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    """Browsers with new profiles: the first worker that is registered in one has the number 0."""
    made = Shelf(tmp_path)
    yield made
    made.close()


@pytest.fixture
def done(device: Device, line: Line, locked: Callable[[], int], photo: Path) -> int:
    """Return a task that was performed with a photo without a connection; no page of the client is open."""
    task = locked()
    ready(device, task)
    line.cut()
    device.go(f"tasks/{task}")
    device.one("[name=value-cost]").send_keys("7")
    choose(device, photo)
    device.wait(lambda page: "IMG_0001.png" in device.one("[data-file-now]").text)
    complete(device)
    line.restore()
    return task


def sync(device: Device, *, asks: bool = True) -> None:
    """Have the worker get the event that there is a connection; wait until it has ended.

    The browser has such an event of its own once the line is back: who has nothing after it `asks` no more.
    """
    device.open(ELSEWHERE)
    device.page.execute_cdp_cmd("ServiceWorker.enable", {})
    event = {
        "origin": device.line.url[:-1], "registrationId": "0", "tag": "wedsql-results", "lastChance": False,
    }  # fmt: skip
    before = device.line.bytes
    device.page.execute_cdp_cmd("ServiceWorker.dispatchSyncEvent", event)
    if asks:
        until(lambda: device.line.bytes > before)
    device.wait(lambda page: page.execute_async_script(LOCKS) == [])


def revoke(device: Device) -> None:
    """End the session of carol on the site; the browser does not know it."""
    device.log_in("carol")
    key = device.page.get_cookie(settings.SESSION_COOKIE_NAME)["value"]
    import_module(settings.SESSION_ENGINE).SessionStore(key).flush()


def kept(conn: psycopg.Connection[Any], task: int) -> Any:
    return conn.execute("select state from wedsql.device_result where job_id = %s", [task]).fetchall()


def test_what_waits_is_sent_with_its_photo_while_no_page_is_open_and_counts_once(
    device: Device, done: int, conn: psycopg.Connection[Any]
) -> None:
    sync(device)
    until(lambda: kept(conn, done) == [("A",)])
    assert device.page.execute_async_script(STORED).count("outbox") == 1, (
        "it stays until a page has read the answer"
    )
    device.open("offline/en/#/outbox")
    device.wait(lambda page: device.states() == ["accepted"])
    assert count_steps(conn, done) == 1
    assert api.tasks.read(done, "carol", conn=conn).state_of["photo"]["name"] == "IMG_0001.png"


def test_nothing_is_sent_in_the_session_of_another_person_or_in_one_that_was_revoked(
    device: Device, done: int, conn: psycopg.Connection[Any]
) -> None:
    for enter in (lambda: device.log_in("bob"), lambda: revoke(device), device.page.delete_all_cookies):
        enter()
        sync(device)
        assert kept(conn, done) == [] and count_steps(conn, done) == 0
    assert device.page.execute_async_script(STORED) == ["files", "outbox", "packages", "people"], (
        "all is kept"
    )
    device.log_in("carol")
    device.open("offline/en/#/outbox")
    device.wait(lambda page: device.states() == ["accepted"])
    assert count_steps(conn, done) == 1


def test_a_device_that_was_reported_lost_has_nothing_after_its_worker_has_asked(
    device: Device, done: int, conn: psycopg.Connection[Any]
) -> None:
    conn.execute("select wedsql.set_device_state(id, 'L', 'ada') from wedsql.device where person = 'carol'")
    sync(device, asks=False)
    device.wait(lambda page: page.execute_async_script(STORED) == [])
    assert kept(conn, done) == [] and count_steps(conn, done) == 0
    device.open("offline/en/#/")
    device.exchanged("lost")
    assert not device.all("#loss"), "the browser has removed nothing by itself"
