"""A browser of the tests ends with them."""

from __future__ import annotations

import psutil

from testkit.waiting import until
from tests.browser.conftest import new_chromium, processes_of


def runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_no_process_of_a_browser_is_left() -> None:
    with new_chromium() as chrome:
        chrome.get("data:text/html,<p>a page</p>")
        found = processes_of(chrome)
        assert len(found) > 2 and all(map(runs, found))

    until(lambda: not any(map(runs, found)), 20, lambda: f"left: {[each for each in found if runs(each)]}")
