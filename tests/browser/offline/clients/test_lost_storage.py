"""The browser removes what it has stored between two starts: it says so, and the task is done again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from flows import api
from testkit.line import Line
from tests.browser.axe import against_the_rules, axe
from tests.browser.offline.device import Device
from tests.browser.offline.test_offline import count_steps

__all__ = ["axe"]


@pytest.mark.parametrize("stores", ["indexeddb,cache_storage,service_workers", "all"])
def test_who_lost_what_the_device_had_stored_sees_it_and_does_the_task_again(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any], stores: str
) -> None:
    sent, lost, other = locked(), locked(), locked()
    device.open()
    device.exchanged()
    device.wait(lambda page: len(device.tasks()) == 3)
    device.complete(sent, "1")
    device.go("outbox")
    device.wait(lambda page: device.states() == ["accepted"])
    line.cut()
    device.complete(lost, "2")
    device.wait(lambda page: device.all("#waiting")[0].text == "1")
    device.page.get("about:blank")
    where = {"origin": line.url.rstrip("/"), "storageTypes": stores}
    device.page.execute_cdp_cmd("Storage.clearDataForOrigin", where)
    device.page.quit()  # not killed: the browser writes what is left within some seconds
    device.start_again()
    line.restore()
    device.log_in("carol")
    device.open()
    device.wait(lambda page: device.tasks() == [str(lost), str(other)])
    if stores != "all":
        device.wait(lambda page: "not sent are gone: 1." in device.one("#loss").text)
        assert [one.get_attribute("data-task") for one in device.all("[data-task]:has(.tag.warn)")] == [
            str(lost)
        ]
        assert against_the_rules(device.page) == []
    device.complete(lost, "3")
    device.go("outbox")
    device.wait(lambda page: device.states() == ["accepted"])
    assert [count_steps(conn, task) for task in (sent, lost, other)] == [1, 1, 0]
    assert str(api.tasks.read(lost, "carol", conn=conn).state_of["cost"]) == "3"
    if stores != "all":
        device.go("")
        device.press("#understood")
        device.wait(lambda page: not device.all("#loss"))


def test_a_database_that_is_closed_under_a_page_is_opened_again(
    device: Device, line: Line, locked: Callable[[], int]
) -> None:
    task = locked()
    device.open()
    device.exchanged()
    device.wait(lambda page: device.tasks() == [str(task)])
    where = {"origin": line.url.rstrip("/"), "storageTypes": "indexeddb"}
    device.page.execute_cdp_cmd("Storage.clearDataForOrigin", where)
    device.go("outbox")
    device.press("#send")
    device.go("")
    device.wait(lambda page: device.tasks() == [str(task)])
    assert device.one("#who").text == "carol"
