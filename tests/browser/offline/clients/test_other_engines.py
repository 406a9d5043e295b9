"""The client in Firefox and in WebKit: tasks are taken along, performed, and delivered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from flows import api
from testkit.line import Line
from tests.browser.offline.clients.engines import ENGINES, OtherDevice
from tests.browser.offline.test_offline import count_steps

PHOTO = b"\x89PNG\r\n\x1a\n" + bytes(3000)


@pytest.fixture(params=ENGINES)
def other(
    request: pytest.FixtureRequest, tmp_path: Path, line: Line, technicians: None
) -> Iterator[OtherDevice]:
    start, is_installed = ENGINES[request.param]
    if not is_installed():
        pytest.skip(f"{request.param} is not installed: make tools")
    made = OtherDevice(start, tmp_path / "profile", line)
    made.open("static/wedsql_site/mark.svg")
    made.log_in("carol")
    yield made
    made.engine.kill()


def complete(other: OtherDevice, task: int, cost: str) -> None:
    other.run(f"location.hash = '#/tasks/{task}'")
    other.wait(lambda: other.texts("[name=value-cost]"), "the form is open")
    other.engine.type("[name=value-cost]", cost)
    other.wait(lambda: other.values("[data-task-form][data-kept=yes]", "class"), "what is typed is kept")
    other.press("[data-task-form] button[name=outcome]")
    other.wait(lambda: not other.texts("[data-task-form]"), "the form is closed")


def test_a_task_is_taken_along_performed_without_a_connection_and_delivered_once(
    other: OtherDevice, line: Line, flow: str, locked: Callable[[], int], conn: psycopg.Connection[Any]
) -> None:
    task, left = locked(), locked()
    (offer,) = api.tasks.of_instance(api.instances.start(flow, {}, conn=conn), conn=conn)
    other.open()
    other.exchanged()
    other.wait(lambda: set(other.values("[data-task]", "data-task")) == {str(task), str(left)}, "it has both")
    other.wait(lambda: other.values("[data-offer]", "data-offer") == [str(offer.job_id)], "one is prefetched")
    other.run("location.hash = '#/away'")
    other.press(f"[name=take][value='{offer.job_id}']")
    other.press("#go")
    other.wait(lambda: "perform without a connection: 3." in "".join(other.texts("#left")), "it is offline")
    line.cut()
    other.start_again()
    other.open()
    other.wait(lambda: len(other.values("[data-task]", "data-task")) == 3, "it has all three")
    complete(other, task, "17")
    complete(other, offer.job_id, "18")
    other.start_again()
    other.open()
    other.wait(lambda: other.texts("#waiting") == ["2"], "both results wait")
    line.restore()
    other.log_in("carol")
    other.run("location.hash = '#/outbox'")
    other.press("#send")
    states = ("[data-state]", "data-state")
    other.wait(lambda: other.values(*states) == ["accepted", "accepted"], "both are accepted")
    assert [count_steps(conn, one) for one in (task, offer.job_id, left)] == [1, 1, 0]
    sheets = [api.tasks.read(one, "carol", conn=conn) for one in (task, offer.job_id)]
    assert [str(sheet.state_of["cost"]) for sheet in sheets] == ["17", "18"]
