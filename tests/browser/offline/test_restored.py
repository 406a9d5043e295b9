"""The site is restored from a backup that is older than what it has acknowledged to a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg

from testkit.line import Line
from tests.browser.offline.device import Device
from tests.browser.offline.test_offline import count_steps

LOSE = """
    with lost as (delete from wedsql.device_result r using wedsql.device d
                  where d.id = r.device_id and d.person = 'carol' and r.job_id = any (%s)
                  returning r.device_id)
    update wedsql.device d set settled = 0 where d.id = any (array(select device_id from lost))"""


def test_results_that_a_restored_site_has_lost_are_sent_again(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    tasks = [locked() for _ in range(3)]
    device.open()
    device.exchanged()
    device.wait(lambda page: len(device.tasks()) == 3)
    for task in tasks[:2]:
        device.complete(task, "5")
    device.go("outbox")
    device.wait(lambda page: device.states() == ["accepted"] * 2)
    device.exchanged()
    line.cut()
    device.complete(tasks[2], "7")
    conn.execute(LOSE, [tasks])
    device.start_again()
    line.restore()
    device.log_in("carol")
    device.open("offline/en/#/outbox")
    device.wait(lambda page: device.states() == ["accepted"] * 3)
    assert "lost results of this device: 2." in device.one("#restored").text
    numbers = "select number, state from wedsql.device_result where job_id = any (%s) order by number"
    assert conn.execute(numbers, [tasks]).fetchall() == [(1, "A"), (2, "A"), (3, "A")]
    assert [count_steps(conn, task) for task in tasks] == [1] * 3
    device.press("#restored button")
    device.wait(lambda page: not device.all("#restored"))
