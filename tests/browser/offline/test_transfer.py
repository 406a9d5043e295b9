"""A transfer that breaks off goes on where it was (T-180)."""

from __future__ import annotations

import psycopg

from flows import api
from testkit.line import Line
from tests.browser.offline.device import Device
from tests.browser.offline.test_exchange_counts import PACKAGES

TASKS, TEXT, LINE = 8, "the meter in the cellar " * 400, 20_000
KEPT = """
    const done = arguments[0], asked = indexedDB.open("wedsql-offline");
    asked.onsuccess = () => {
      asked.result.transaction("packages").objectStore("packages").count().onsuccess = (event) => {
        asked.result.close();
        done(event.target.result);
      };
    };
"""


def test_t180_a_transfer_that_breaks_off_goes_on_where_it_was(
    device: Device, line: Line, flow: str, conn: psycopg.Connection[object]
) -> None:
    device.open()
    device.exchanged()
    for wid in [one.wid for one in api.instances.start_many(flow, [{"model": TEXT}] * TASKS, conn=conn)]:
        (task,) = api.tasks.of_instance(int(wid or 0), conn=conn)
        api.tasks.take(task.job_id, "carol", ["r:Technician"], lock=True, conn=conn)

    def kept() -> int:
        return int(device.page.execute_async_script(KEPT))

    device.go("outbox")
    line.rate = LINE
    device.press("#send")
    device.wait(lambda page: 0 < kept() < TASKS)
    line.cut()
    device.exchanged("offline")
    there = kept()
    assert 0 < there < TASKS
    device.page.execute_script("performance.clearResourceTimings()")
    line.rate = None
    line.restore()
    device.press("#send")
    device.go("")
    device.wait(lambda page: len(device.tasks()) == TASKS)
    asked = device.page.execute_script(
        f"{PACKAGES.replace('return ', 'return [...')}].map((one) => one.name)"
    )
    assert len({*asked}) == TASKS - there, (there, asked)
