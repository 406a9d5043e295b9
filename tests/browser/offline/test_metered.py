"""Prefetching pauses on lines that cost by volume, and by a switch; what is locked is transferred anyway."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.offline.device import Device
from tests.browser.offline.test_away import offered, opened

__all__ = ["opened"]
LINES = {"saving data": "{ saveData: true }", "mobile": "{ type: 'cellular', saveData: false }"}


def on_line(device: Device, facts: str) -> None:
    """Give the browser such a line, and open the client on it."""
    source = f"Object.defineProperty(Navigator.prototype, 'connection', {{ get: () => ({facts}) }});"
    device.page.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})
    device.open()
    device.exchanged()


@pytest.mark.parametrize("facts", LINES.values(), ids=LINES)
def test_t160_nothing_is_prefetched_on_a_line_that_costs_until_its_person_allows_it(
    device: Device, opened: Callable[[], int], locked: Callable[[], int], facts: str
) -> None:
    mine, task = locked(), opened()
    on_line(device, facts)
    device.wait(lambda page: device.tasks() == [str(mine)])
    assert offered(device) == set()
    device.go("away")
    device.wait(lambda page: "as this connection costs by volume" in device.one("main").text)
    device.press("#metered")
    device.go("")
    device.wait(lambda page: offered(device) == {str(task)})


def test_t160_a_switch_stops_prefetching_and_what_is_locked_is_transferred(
    device: Device, opened: Callable[[], int], locked: Callable[[], int]
) -> None:
    first = opened()
    device.open()
    device.exchanged()
    device.wait(lambda page: offered(device) == {str(first)})
    device.go("away")
    device.press("#prefetch")
    device.wait(lambda page: "The setting is saved" in device.one("#said").text)
    device.go("outbox")
    mine = locked()
    opened()
    device.press("#send")
    device.wait(lambda page: "Everything is exchanged" in device.one("#said").text)
    device.go("")
    device.wait(lambda page: device.tasks() == [str(mine)])
    assert offered(device) == set()
