"""Photos of tasks performed without a connection: kept on the device, sent with their form (T-191, T-225)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from flows import api
from testkit.line import Line
from tests.browser.design.test_form_fields import PNG
from tests.browser.offline.conftest import DEFINITION
from tests.browser.offline.device import Device

PHOTO = {"attribute": "photo", "kind": "file", "accept": ["image/*"], "max_kb": 3000, "required": True}
WITH_PHOTO: dict[str, Any] = DEFINITION | {
    "attributes": [*DEFINITION["attributes"], {"name": "photo", "type": "jsonb", "label": "Photo"}],
    "triggers": [
        DEFINITION["triggers"][0] | {"form": {"sections": [{"fields": [{"attribute": "cost"}, PHOTO]}]}},
    ],
}


@pytest.fixture
def conn(flow: str, connect: Any) -> psycopg.Connection[Any]:
    found: psycopg.Connection[Any] = connect()
    api.flows.publish(flow, WITH_PHOTO, conn=found)
    return found


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    made = tmp_path / "IMG_0001.png"
    made.write_bytes(PNG + bytes(range(256)) * 8000)
    return made


def choose(device: Device, file: Path) -> None:
    device.one("[type=file]").send_keys(str(file))


def ready(device: Device, task: int) -> None:
    device.open()
    device.exchanged()
    device.wait(lambda page: device.tasks() == [str(task)])


def complete(device: Device) -> None:
    device.press("[data-task-form] button[name=outcome]")
    device.wait(lambda page: not device.all("[data-task-form]"))


def test_a_photo_is_taken_without_a_connection_and_survives_two_kills(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any], photo: Path
) -> None:
    task = locked()
    ready(device, task)
    line.cut()
    device.start_again()
    device.open(f"offline/en/#/tasks/{task}")
    device.press("[data-task-form] button[name=outcome]")
    device.wait(lambda page: device.all("[type=file][aria-invalid]"))
    choose(device, photo)
    device.wait(lambda page: "IMG_0001.png" in device.one("[data-file-now]").text)
    device.wait(lambda page: device.all("form[data-kept]"))
    device.start_again()
    device.open(f"offline/en/#/tasks/{task}")
    device.wait(lambda page: "IMG_0001.png" in device.one("[data-file-now]").text)
    complete(device)
    device.start_again()
    line.restore()
    device.log_in("carol")
    device.open("offline/en/#/outbox")
    device.wait(lambda page: device.states() == ["accepted"])
    sheet = api.tasks.read(task, "carol", conn=conn)
    found, content = api.task_forms.read_file(sheet.wid, "photo", conn=conn)
    assert (found["name"], content) == ("IMG_0001.png", photo.read_bytes())
    assert device.page.execute_async_script(FILES) == 0, "what was delivered leaves the device"
    contents = "select count(*) from wedsql.task_file where wid = %s"
    assert conn.execute(contents, [sheet.wid]).fetchone() == (1,)


# Returns how many files the device has; one whose bytes can be read counts as 1000.
FILES = """
    const done = arguments[0], asked = indexedDB.open("wedsql-offline");
    asked.onsuccess = () => {
      const work = asked.result.transaction("files"), all = work.objectStore("files").getAll();
      work.oncomplete = () => {
        asked.result.close();
        const head = (one) => String.fromCharCode(...new Uint8Array(one.box.data).slice(1, 4));
        done(all.result.length + 1000 * all.result.filter((one) => head(one) === "PNG").length);
      };
    };
"""


def test_a_line_that_is_cut_in_the_photo_sends_it_again_and_never_one_without_the_other(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any], photo: Path
) -> None:
    task = locked()
    ready(device, task)
    line.cut()
    device.go(f"tasks/{task}")
    choose(device, photo)
    device.wait(lambda page: "IMG_0001.png" in device.one("[data-file-now]").text)
    assert device.page.execute_async_script(FILES) == 1, "it is encrypted"
    complete(device)
    device.go("outbox")
    device.wait(lambda page: device.states() == ["waiting"])
    for _turn in range(3):
        line.restore()
        device.press("#send")
        device.wait_for_bytes(600_000)
        line.cut()
        steps = conn.execute("select count(*) from wedsql.wed_trace where job_id = %s", [task]).fetchone()
        files = conn.execute("select count(*) from wedsql.task_file where job_id = %s", [task]).fetchone()
        assert steps == (0,) or files == (1,), (steps, files)
    line.restore()
    device.press("#send")
    device.wait(lambda page: device.states() == ["accepted"])
    assert conn.execute("select count(*) from wedsql.wed_trace where job_id = %s", [task]).fetchone() == (1,)
    sheet = api.tasks.read(task, "carol", conn=conn)
    assert api.task_forms.read_file(sheet.wid, "photo", conn=conn)[1] == photo.read_bytes()


def test_a_photo_that_is_too_large_or_has_no_room_is_told_at_once_and_nothing_is_lost(
    device: Device, line: Line, locked: Callable[[], int], photo: Path, tmp_path: Path
) -> None:
    task = locked()
    ready(device, task)
    line.cut()
    device.go(f"tasks/{task}")
    device.one("[name=value-cost]").send_keys("5")
    large = tmp_path / "large.png"
    large.write_bytes(PNG + bytes(3_100_000))
    choose(device, large)
    device.wait(lambda page: "too large" in device.one("[data-file-status]").text)
    device.wait(lambda page: device.all("form[data-kept]"))
    device.start_again()
    quota = {"origin": line.url.rstrip("/"), "quotaSize": 1_500_000}
    device.page.execute_cdp_cmd("Storage.overrideQuotaForOrigin", quota)
    device.open(f"offline/en/#/tasks/{task}")
    choose(device, photo)
    device.wait(lambda page: "no room" in device.one("[data-file-status]").text)
    assert device.one("[name=value-cost]").get_property("value") == "5"
    device.start_again()  # the browser has room again
    device.open(f"offline/en/#/tasks/{task}")
    assert device.one("[name=value-cost]").get_property("value") == "5"
    choose(device, photo)
    device.wait(lambda page: "IMG_0001.png" in device.one("[data-file-now]").text)
    complete(device)
    device.go("outbox")
    device.wait(lambda page: device.states() == ["waiting"])


def test_a_photo_that_the_site_does_not_take_is_corrected(
    device: Device, line: Line, locked: Callable[[], int], conn: psycopg.Connection[Any],
    photo: Path, tmp_path: Path,
) -> None:  # fmt: skip
    task = locked()
    ready(device, task)
    line.cut()
    device.go(f"tasks/{task}")
    wrong = tmp_path / "no_photo.png"
    wrong.write_bytes(b"This is a text.")
    choose(device, wrong)
    device.wait(lambda page: "no_photo.png" in device.one("[data-file-now]").text)
    device.one("[name=value-cost]").send_keys("5")
    complete(device)
    line.restore()
    device.go("outbox")
    device.press("#send")
    device.wait(lambda page: device.states() == ["refused"])
    assert conn.execute("select count(*) from wedsql.wed_trace where job_id = %s", [task]).fetchone() == (0,)
    device.press("tbody a[href^='#/tasks/']")
    assert device.one("[name=value-cost]").get_property("value") == "5"
    choose(device, photo)
    device.wait(lambda page: "IMG_0001.png" in device.one("[data-file-now]").text)
    complete(device)
    device.go("outbox")
    device.wait(lambda page: device.states() == ["accepted"])
    wid = api.tasks.read(task, "carol", conn=conn).wid
    assert api.task_forms.read_file(wid, "photo", conn=conn)[1] == photo.read_bytes()
