"""Tasks go as a file to a device that has no connection, and its results come back as one (R-009)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from flows import api
from testkit.line import Line
from testkit.web import WebServer
from tests.browser.axe import against_the_rules, axe
from tests.browser.conftest import DESK, LOOKS, PHONE
from tests.browser.offline.device import Device, Shelf
from tests.browser.offline.test_offline import count_steps
from tests.browser.offline.test_photos import PNG, WITH_PHOTO

__all__ = ["axe"]


@pytest.fixture
def conn(flow: str, connect: Any) -> psycopg.Connection[Any]:
    found: psycopg.Connection[Any] = connect()
    api.flows.publish(flow, WITH_PHOTO, conn=found)
    return found


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    made = tmp_path / "IMG_0001.png"
    made.write_bytes(PNG + bytes(range(256)) * 400)
    return made


@pytest.fixture
def other(shelf: Shelf, server: WebServer, technicians: None) -> Iterator[Callable[[str], Device]]:
    """A function that makes another device, on which a person was logged in once, and cuts its line."""
    made: list[Device] = []

    def device(person: str) -> Device:
        one = shelf.take(Line(server.port))
        made.append(one)
        one.open("static/wedsql_site/mark.svg")
        one.log_in(person)
        one.open()
        one.exchanged()
        return one

    yield device
    for one in made:
        shelf.give_back(one)
        one.line.cut()


def open_file(device: Device, file: Path) -> list[str]:
    """Open a file on the page for files, and return what became of what is in it."""
    device.go("files")
    device.one("#file").send_keys(str(file))
    device.wait(lambda page: device.all("#opened li") or device.all("#file-error:not([hidden])"))
    return [str(one.get_attribute("data-became")) for one in device.all("#opened li")]


def save_task(device: Device, task: int) -> Path:
    device.open()
    device.exchanged()
    device.wait(lambda page: str(task) in device.tasks())
    device.go("files")
    device.one(f"#save-{task}").click()
    device.press("#save-tasks button")
    return device.saved_file("task-*.wedsql")


def complete_with_photo(device: Device, task: int, photo: Path) -> None:
    device.go(f"tasks/{task}")
    device.one("[name=value-cost]").send_keys("5")
    device.one("[type=file]").send_keys(str(photo))
    device.wait(lambda page: photo.name in device.one("[data-file-now]").text)
    device.press("[data-task-form] button[name=outcome]")
    device.wait(lambda page: not device.all("[data-task-form]"))


def save_results(device: Device) -> Path:
    device.go("files")
    device.press("#save-results")
    return device.saved_file("results-*.wedsql")


def test_r009_a_task_and_its_result_go_as_files_and_the_result_counts_once(
    device: Device, other: Callable[[str], Device], locked: Callable[[], int],
    conn: psycopg.Connection[Any], photo: Path,
) -> None:  # fmt: skip
    laptop = other("carol")
    laptop.line.cut()
    task = locked()
    file = save_task(device, task)
    assert b"Release" not in file.read_bytes() and b"cost" not in file.read_bytes(), "it is encrypted"
    assert open_file(laptop, file) == ["opened"]
    laptop.start_again()
    laptop.open("offline/en/")
    laptop.exchanged("offline")
    assert laptop.tasks() == [str(task)], "it stays when the browser is killed"
    complete_with_photo(laptop, task, photo)
    assert open_file(laptop, file) == ["opened_done"], "what is completed is not opened again"
    results = save_results(laptop)
    assert open_file(device, results) == ["became_accepted"]
    assert open_file(device, results) == ["became_accepted"], "opened again it is the same result"
    laptop.line.restore()
    laptop.log_in("carol")
    laptop.open("offline/en/#/outbox")
    laptop.wait(lambda page: laptop.states() == ["accepted"])
    assert count_steps(conn, task) == 1
    sheet = api.tasks.read(task, "carol", conn=conn)
    found, content = api.task_forms.read_file(sheet.wid, "photo", conn=conn)
    assert (found["name"], content) == ("IMG_0001.png", photo.read_bytes())
    kept = "select count(*), count(distinct device_id) from wedsql.device_result where job_id = %s"
    assert conn.execute(kept, [task]).fetchone() == (1, 1)


def test_r009_what_is_no_file_of_the_person_is_not_opened_and_says_why(
    device: Device, other: Callable[[str], Device], locked: Callable[[], int],
    conn: psycopg.Connection[Any], tmp_path: Path,
) -> None:  # fmt: skip
    file, strange = save_task(device, locked()), other("bob")
    device.press("[name=task]:checked")
    device.press("#save-tasks button")
    device.wait(lambda page: device.all("#file-error:not([hidden])"))
    assert "Choose a task first." in device.one("#file-error").text
    assert open_file(strange, file) == []
    assert "no file that a device of yours" in strange.one("#file-error").text
    strange.go("")
    assert strange.tasks() == []
    whole = file.read_bytes()
    bad = {
        "empty": b"", "text": b"hello", "head": whole[:17], "cut": whole[:-1], "flipped": whole[:-1] + b"?",
        "newer": whole.replace(b"offline 1", b"offline 2", 1), "json": b'{"kind": "tasks"}',
    }  # fmt: skip
    for name, content in bad.items():
        (tmp_path / f"{name}.wedsql").write_bytes(content)
        assert open_file(device, tmp_path / f"{name}.wedsql") == [], name
        said = "newer version" if name == "newer" else "no file that a device of yours"
        assert said in device.one("#file-error").text, name
        device.go("")
        device.wait(lambda page: not device.all("#file-error"))


def test_r009_results_that_cannot_be_sent_now_are_named_and_sent_when_the_file_is_opened_again(
    device: Device, line: Line, other: Callable[[str], Device], locked: Callable[[], int],
    conn: psycopg.Connection[Any], photo: Path,
) -> None:  # fmt: skip
    laptop, task = other("carol"), locked()
    laptop.line.cut()
    open_file(laptop, save_task(device, task))
    complete_with_photo(laptop, task, photo)
    results = save_results(laptop)
    line.cut()
    assert open_file(device, results) == []
    assert "without a connection" in device.one("#file-error").text
    line.restore()
    device.go("")
    device.wait(lambda page: not device.all("#file"))
    assert open_file(device, results) == ["became_accepted"] and count_steps(conn, task) == 1


@pytest.mark.parametrize("theme, language", LOOKS)
def test_the_page_for_files_is_accessible_and_fits_a_phone(
    device: Device, line: Line, locked: Callable[[], int], theme: str, language: str
) -> None:
    tasks = [locked(), locked()]
    save_task(device, tasks[0])
    line.cut()
    device.page.refresh()
    device.page.get(f"{line.url}offline/{language}/#/files")
    device.wait(lambda page: device.all("#save-tasks"))
    device.page.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
    for size in (DESK, PHONE):
        device.page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False,
        })  # fmt: skip
        assert against_the_rules(device.page) == [], size
        assert device.page.execute_script("return document.documentElement.scrollWidth <= innerWidth"), size
        if folder := os.environ.get("WEDSQL_PICTURES"):
            device.page.save_screenshot(f"{folder}/files-{theme}-{language}-{size[0]}.png")
