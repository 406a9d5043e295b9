"""What only some browsers have is taken away before the client starts: it works without."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import psycopg
import pytest

from flows import api
from testkit.line import Line
from tests.browser.offline.device import Device
from tests.browser.offline.test_away import go_offline
from tests.browser.offline.test_photos import choose, complete, conn, photo

__all__ = ["conn", "photo"]
ROOT = Path(__file__).parents[4]
EVERYWHERE = {"locks", "serviceWorker", "language", "onLine"}
"""what each browser has that the client supports; all else of `navigator` may be missing"""
WITHOUT = {
    "room, energy, line, background": """
        delete StorageManager.prototype.estimate; delete StorageManager.prototype.persist;
        delete Navigator.prototype.getBattery; delete Navigator.prototype.connection;
        delete window.SyncManager; delete ServiceWorkerRegistration.prototype.sync;""",
    "anything about storage": """
        Object.defineProperty(Navigator.prototype, "storage", { get: () => undefined });""",
}
LEFT = """
    const { storage, getBattery, connection } = navigator;
    const others = getBattery || connection || window.SyncManager;
    return [storage?.estimate, storage?.persist, arguments[0] && others].filter(Boolean).length"""


def start_without(device: Device, what: str) -> None:
    """Open the client in a browser that has less."""
    source = {"source": WITHOUT[what]}
    device.page.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", source)
    device.open()
    assert device.page.execute_script(LEFT, "energy" in what) == 0


@pytest.mark.parametrize("what", WITHOUT)
def test_a_photo_is_taken_along_and_delivered_by_a_browser_that_does_not_have(
    device: Device, line: Line, flow: str, conn: psycopg.Connection[Any], photo: Path, what: str
) -> None:
    start_without(device, what)
    device.exchanged()
    device.go("away")
    device.press("#prefetch")  # so that there is something to transfer, which needs room
    (task,) = api.tasks.of_instance(api.instances.start(flow, {}, conn=conn), conn=conn)
    device.page.refresh()
    device.wait(lambda page: device.all("[name=take]"))
    go_offline(device, task.job_id)
    device.wait(lambda page: "perform without a connection: 1." in device.one("#left").text)
    line.cut()
    device.start_again()
    start_without(device, what)
    device.wait(lambda page: device.tasks() == [str(task.job_id)])
    assert "NaN" not in device.one("main").text and "free" not in device.one("main").text
    device.go(f"tasks/{task.job_id}")
    choose(device, photo)
    device.wait(lambda page: "IMG_0001.png" in device.one("[data-file-now]").text)
    complete(device)
    line.restore()
    device.log_in("carol")
    device.go("outbox")
    device.press("#send")
    device.wait(lambda page: device.states() == ["accepted"])
    wid = api.tasks.read(task.job_id, "carol", conn=conn).wid
    assert api.task_forms.read_file(wid, "photo", conn=conn)[1] == photo.read_bytes()


def test_what_only_some_browsers_have_is_asked_for_before_it_is_used() -> None:
    files = [*(ROOT / "monitor/static/monitor/offline").glob("*.js"), ROOT / "pages/static/pages/device.js"]
    files += [ROOT / "templates/monitor/offline/worker.js", ROOT / "monitor/static/monitor/task_place.js"]
    used = [
        (file.name, found[0])
        for file in files
        for found in re.finditer(r"navigator\.(\w+)(\??\.\w+(?:\?\.)?)?", file.read_text())
        if found[1] not in EVERYWHERE and not is_asked_for(found)
    ]
    assert used == []


def is_asked_for(found: re.Match[str]) -> bool:
    """Return whether it may be missing: itself, and what is called of it."""
    follows = found.string[found.end() :]
    member = found[2] or ""
    if not member:  # a value, or a function: `navigator.connection;`, `navigator.getBattery?.()`
        return not follows.startswith("(")
    return member.startswith("?.") and (member.endswith("?.") or not follows.startswith("("))
