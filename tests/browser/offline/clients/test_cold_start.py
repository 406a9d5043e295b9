"""How long a browser that was just started takes to the list: without a connection, and connected."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import psycopg

from testkit.cases import long
from testkit.line import Line
from tests.browser.offline.device import Device

ROUNDS, TASKS = 7 if long() else 3, 20  # rounds, each with two starts of the browser
MOST = 1.5  # on a busy machine; what is printed is compared
# Notes when the first task is shown, in milliseconds since the navigation began.
WATCH = """
    const watched = new MutationObserver(() => {
      if (document.querySelector("[data-task], [data-row], main tbody a[href*='/tasks/']")) {
        requestAnimationFrame(() => { window.shownAfter ??= performance.now(); });
        watched.disconnect();
      }
    });
    watched.observe(document, { childList: true, subtree: true });
"""


def cold(device: Device, path: str) -> float:
    """Start the browser, open a page, and return after how many milliseconds it shows the first task."""
    device.start_again()
    device.log_in("carol")
    device.page.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
    device.open(path)
    return float(device.wait(lambda page: page.execute_script("return window.shownAfter ?? null")))


def test_a_cold_start_without_a_connection_is_as_fast_as_the_connected_page(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    for _ in range(TASKS):
        locked()
    device.open("tasks/")
    device.open()
    device.exchanged()
    device.wait(lambda page: len(device.tasks()) == TASKS)
    offline, connected = [], []
    for _ in range(ROUNDS):
        connected.append(cold(device, "tasks/"))
        line.cut()
        offline.append(cold(device, "offline/en/"))
        line.restore()
    there, here = statistics.median(connected), statistics.median(offline)
    times = f"offline {here:.0f} ms, connected {there:.0f} ms, {here / there:.2f} times"
    print(f"cold start to the list: {times}")
    assert here <= there * MOST, (offline, connected)
