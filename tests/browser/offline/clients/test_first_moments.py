"""What the client shows before its first exchange has ended, and which instance each task is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from flows import api
from testkit.cases import pairs
from testkit.line import Line
from tests.browser.offline.conftest import DEFINITION
from tests.browser.offline.device import Device

KEYED = DEFINITION | {
    "attributes": [{**one, "business_key": one["name"] == "model"} for one in DEFINITION["attributes"]]
}
# What is said, in each language, until the first exchange has ended.
SAID = {"en": "Connecting", "pt-br": "Conectando"}


def texts(device: Device, selector: str) -> list[str]:
    return [one.text for one in device.all(selector)]


@pytest.mark.parametrize("place, language", pairs(["", "away", "outbox"], SAID, 2))
def test_until_the_first_exchange_has_ended_it_is_said_that_the_device_connects(
    device: Device, line: Line, locked: Callable[[], int], place: str, language: str
) -> None:
    said, task = SAID[language], locked()
    device.page.delete_all_cookies()
    device.open(f"offline/{language}/")
    device.exchanged("log-in")
    device.page.get("about:blank")
    device.log_in("carol")
    line.rate = 0
    device.open(f"offline/{language}/#/{place}")
    device.wait(lambda page: said in device.one("#line").text)
    device.wait(lambda page: said in device.one("main p").text)
    shown = device.one("body").text
    assert not [one for one in ("Log in", "No connection", "Entre", "Sem conexão") if one in shown], shown
    line.rate = None
    device.exchanged()
    device.go("")
    device.wait(lambda page: device.tasks() == [str(task)])


# Types into the form as soon as it is there.
TYPED_AT_ONCE = """
    new MutationObserver((_changes, watching) => {
      const field = document.querySelector("[name=value-cost]");
      if (!field) return;
      watching.disconnect();
      field.value = "12";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }).observe(document.body, { childList: true, subtree: true });
"""


def test_what_is_typed_at_the_moment_in_which_a_form_is_shown_is_kept(
    device: Device, locked: Callable[[], int]
) -> None:
    task = locked()
    device.open()
    device.exchanged()
    device.wait(lambda page: device.tasks() == [str(task)])
    device.page.execute_script(TYPED_AT_ONCE)
    device.go(f"tasks/{task}")
    device.wait(lambda page: device.all("[data-task-form][data-kept]"))
    assert device.one("[name=value-cost]").get_property("value") == "12"


def test_a_line_that_answers_nothing_is_no_connection_in_the_end(device: Device, line: Line) -> None:
    device.open()
    device.exchanged()
    line.rate = 0
    device.open("offline/en/?again")
    device.exchanged("offline")
    assert "No task is on this device" in device.one("main").text


@pytest.mark.parametrize("keyed", [True, False])
def test_each_task_says_which_instance_it_is_about(
    device: Device, flow: str, conn: psycopg.Connection[Any], keyed: bool
) -> None:
    api.flows.publish(flow, KEYED if keyed else DEFINITION, conn=conn)
    wids = [api.instances.start(flow, {"model": name}, conn=conn) for name in ("M-1", "M-2")]
    tasks = [api.tasks.of_instance(wid, conn=conn)[0].job_id for wid in wids]
    api.tasks.take(tasks[0], "carol", ["r:Technician"], lock=True, conn=conn)
    named = ["M-1", "M-2"] if keyed else [f"Instance {wid}" for wid in wids]
    device.open()
    device.wait(lambda page: named[0] in device.one(f"[data-task='{tasks[0]}']").text)
    device.wait(lambda page: named[1] in device.one(f"[data-offer='{tasks[1]}']").text)
    device.go("away")
    device.wait(lambda page: len(device.all("[name=take]")) == 2)
    assert all(name in text for name, text in zip(named, texts(device, "#plan li label"), strict=False))


def test_a_task_that_is_not_transferred_yet_is_named_where_it_is_chosen(
    device: Device, flow: str, conn: psycopg.Connection[Any]
) -> None:
    api.flows.publish(flow, KEYED, conn=conn)
    device.open()
    device.exchanged()
    device.go("away")
    device.press("#prefetch")
    api.instances.start(flow, {"model": "M-7"}, conn=conn)
    device.page.refresh()
    label = device.wait(lambda page: texts(device, "#plan li label"))[0]
    assert "M-7" in label and "undefined" not in label, label
