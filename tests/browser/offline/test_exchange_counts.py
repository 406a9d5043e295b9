"""What an exchange costs, counted in requests and bytes on the line."""

from __future__ import annotations

import time
from typing import Any

import psycopg

from flows import api
from testkit.cases import long
from testkit.line import Line
from tests.browser.offline.device import Device

TASKS, TEXT = 200 if long() else 50, "the meter in the cellar " * 80
LINE = 100_000  # bytes in a second
ASKED = "return performance.getEntriesByType('resource').filter((one) => one.name.includes('/offline/'))"
PACKAGES = f"{ASKED}.filter((one) => one.name.includes('/packages/'))"
ENDS = ["Everything is exchanged", "No connection"]
RAW = """
    const [tasks, device, done] = arguments;
    (async () => {
      let bytes = 0;
      for (const task of tasks) {
        const asked = `/offline/packages/${task}/?device=${device}&language=en`;
        const answer = await fetch(asked, { cache: "no-store" });
        bytes += (await answer.arrayBuffer()).byteLength;
      }
      return bytes;
    })().then(done, (error) => done(String(error)));
"""


def locked_tasks(flow: str, conn: psycopg.Connection[Any]) -> list[int]:
    """Start instances with texts, lock the task of each for carol, and return the numbers of the tasks."""
    found = [one.wid for one in api.instances.start_many(flow, [{"model": TEXT}] * TASKS, conn=conn)]
    tasks = [api.tasks.of_instance(int(wid or 0), conn=conn)[0].job_id for wid in found]
    for task in tasks:
        api.tasks.take(task, "carol", ["r:Technician"], lock=True, conn=conn)
    return tasks


def test_the_first_exchange_costs_its_packages_and_the_next_one_a_request_of_less_than_2_kb(
    device: Device, line: Line, flow: str, conn: psycopg.Connection[Any]
) -> None:
    device.open()
    device.exchanged()
    tasks = locked_tasks(flow, conn)
    device.page.execute_script("performance.setResourceTimingBufferSize(2000)")
    line.rate = LINE
    before, began = line.bytes, time.monotonic()
    device.go("outbox")
    device.press("#send")
    device.go("")
    device.wait(lambda page: len(device.tasks()) == TASKS)
    device.exchanged()
    device.wait(lambda page: "Everything is exchanged" in device.one("#said").text)
    first, took = line.bytes - before, time.monotonic() - began
    assert len(device.page.execute_script(f"{PACKAGES.replace('return ', 'return [...')}]")) == TASKS
    key = device.page.execute_script(f"return new URL({ASKED[7:]}.at(-1).name).searchParams.get('device')")
    before, began = line.bytes, time.monotonic()
    device.page.set_script_timeout(120)
    raw = device.page.execute_async_script(RAW, tasks, key)
    download, alone = line.bytes - before, time.monotonic() - began
    line.rate = None
    print(f"first {took:.1f} s, download of the same {alone:.1f} s: {alone / took:.0%} of its speed")
    assert took <= 2 * alone, "what is printed is compared; this finds what has become slow"
    assert isinstance(raw, int) and raw > TASKS * 5_000, raw
    assert first <= download / 0.8, (first, download)

    device.go("outbox")
    device.one("#send")
    device.page.execute_script("for (let n = 0; n < 99999; n += 1) clearInterval(n)")  # nothing by itself
    for _again in range(5):  # a busy site may not answer in time
        device.page.execute_script("performance.clearResourceTimings()")
        before = line.bytes
        device.press("#send")
        if device.wait(lambda page: [one for one in ENDS if one in device.one("#said").text]) == ENDS[:1]:
            break
    asked = device.page.execute_script(ASKED)
    print(f"first {first} bytes, download of the same {download}, next {line.bytes - before} in {len(asked)}")
    assert len(asked) == 1 and line.bytes - before < 2_000, (len(asked), line.bytes - before)
