"""Random rounds: the browser and the web process are killed, the line is cut, at any moment of the work.

Each round says by its seed how to repeat it; WEDSQL_ROUNDS=40 runs more of them.
"""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import psycopg
import pytest
from selenium.common.exceptions import WebDriverException

from testkit.line import Line
from testkit.web import WebServer
from tests.browser.offline.device import Device
from tests.browser.offline.test_offline import count_steps

ROUNDS = int(os.environ.get("WEDSQL_ROUNDS", "2"))
STEPS, TASKS = 9, 4
SOON = 0.4


class Cellar:
    """A device, its site, and what the device has said to have saved."""

    def __init__(self, device: Device, line: Line, dsn: str, seed: int) -> None:
        self.device, self.line, self.dsn = device, line, dsn
        self.draw = random.Random(seed)  # noqa: S311
        self.site: WebServer | None = None
        self.said: list[int] = []
        self.log: list[str] = []
        self.start_site()

    def start_site(self) -> None:
        if self.site is None:
            self.site = WebServer.on(self.dsn)
            self.line.to = self.site.port

    def kill_site(self) -> None:
        if self.site is not None:
            os.kill(self.site.pid, signal.SIGKILL)
            self.site.end()
            self.site = None

    def soon(self, work: Callable[[], None]) -> threading.Timer:
        """Do something at a random moment of what is done next."""
        timer = threading.Timer(self.draw.uniform(0, SOON), work)
        timer.start()
        return timer

    def kill_browser(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.device.page.capabilities["goog:processID"], signal.SIGKILL)

    def begin(self) -> None:
        """Start the browser again, and open its tasks."""
        self.device.start_again()
        self.device.open()
        self.device.wait(lambda page: page.find_elements("css selector", "#line[data-line]"))

    def save(self, task: int) -> bool:
        """Complete a task on the device; return whether it has said that the result is saved."""
        try:
            self.device.complete(task, str(task))
            said = "is saved on this device" in self.device.one("#said").text
        except WebDriverException:  # it was killed meanwhile
            return False
        if said:
            self.said.append(task)
        return said

    def save_next(self) -> None:
        """Complete the first task that the device still offers, if there is one."""
        with suppress(WebDriverException):
            self.device.go("")
            self.device.wait(lambda page: page.find_elements("css selector", "body[data-page=list]"))
            offered = self.device.all("[data-task]:has(a)")
            if offered:
                self.save(int(str(offered[0].get_attribute("data-task"))))

    def step(self) -> None:
        """Do one random thing, and break another one meanwhile."""
        what = self.draw.choice(["save", "save", "save", "send", "send", "cut", "restore", "site"])
        breaks = self.draw.choice(["browser", "site", "line", "", ""])
        work = {"browser": self.kill_browser, "site": self.kill_site, "line": self.line.cut, "": lambda: None}
        self.log.append(f"{what} {breaks}".strip())
        timer = self.soon(work[breaks])
        if what == "save":
            self.save_next()
        elif what == "send":
            with suppress(WebDriverException):
                self.device.go("outbox")
                self.device.page.execute_script("document.getElementById('send')?.click()")
        timer.join()
        if what == "cut":
            self.line.cut()
        elif what == "restore":
            self.line.restore_again()
        elif what == "site":
            self.start_site()
        if breaks == "browser":
            self.begin()

    def end(self) -> None:
        """Bring everything back, and send what is there."""
        self.start_site()
        self.line.restore_again()
        self.begin()
        self.device.log_in("carol")
        self.save_next()
        self.device.go("outbox")
        self.device.press("#send")
        self.device.wait(lambda page: {*self.device.states()} == {"accepted"})


@pytest.fixture
def cellar(
    device: Device, line: Line, dsn: str, locked: Callable[[], int], request: pytest.FixtureRequest
) -> Iterator[Cellar]:
    made = Cellar(device, line, dsn, request.node.callspec.params["seed"])
    yield made
    made.kill_site()


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_whatever_is_killed_each_result_that_was_saved_counts_once_in_its_order(
    cellar: Cellar, locked: Callable[[], int], conn: psycopg.Connection[Any], seed: int
) -> None:
    tasks = [locked() for _ in range(TASKS)]
    cellar.device.open()
    cellar.device.exchanged()
    cellar.device.wait(lambda page: len(cellar.device.tasks()) == TASKS)
    for _ in range(STEPS):
        cellar.step()
    cellar.end()
    steps = {task: count_steps(conn, task) for task in tasks}
    assert cellar.said and {steps[task] for task in cellar.said} == {1}, cellar.log
    assert max(steps.values()) <= 1, cellar.log
    order = """
        select array_agg(t.job_id order by t.step) = array_agg(t.job_id order by t.number)
        from (select r.job_id, r.number, r.decided_at as step from wedsql.device_result r
              where r.job_id = any (%s) and r.state = 'A') t"""
    assert conn.execute(order, [tasks]).fetchone() in ((True,), (None,)), cellar.log
    assert conn.execute("select * from wedsql.violations() v where v.found > 0").fetchall() == []
