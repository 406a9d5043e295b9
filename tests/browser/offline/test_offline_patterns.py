"""Patterns of fields are checked without a connection as on the site, and may change meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import psycopg

from flows import api
from testkit.line import Line
from tests.browser.offline.conftest import DEFINITION
from tests.browser.offline.device import Device
from tests.browser.offline.test_offline import _fill, count_steps

WRONG = ["a-1", "A-", "A-1 ", " A-1", "xA-1", "''''", "A-\u0661"]
RIGHT = "A-1"


def of_pattern(pattern: str) -> dict[str, Any]:
    """Return the definition in which the reason has this pattern, and is always shown."""
    found = deepcopy(DEFINITION)
    for section in found["triggers"][0]["form"]["sections"]:
        for field in section["fields"]:
            if field["attribute"] == "reason":
                field.pop("shown", None)
                field.pop("required", None)
                field["pattern"] = pattern
    return found


def ready(device: Device, task: int) -> None:
    device.open()
    device.exchanged()
    device.wait(lambda page: str(task) in device.tasks())


def press(device: Device) -> None:
    device.press("[data-task-form] button[name=outcome]")


def test_a_text_of_another_form_is_not_taken_and_says_which_one_is_asked_for(
    device: Device, line: Line, locked: Callable[[], int], flow: str, conn: psycopg.Connection[Any]
) -> None:
    api.flows.publish(flow, of_pattern("^[A-Z]-[0-9]+$"), conn=conn)
    task = locked()
    ready(device, task)
    line.cut()
    device.go(f"tasks/{task}")
    _fill(device, device.one("[name=value-cost]"), "5")
    field = device.one("[name=value-reason]")
    for text in WRONG:
        _fill(device, field, text)
        press(device)
        device.wait(lambda page: field.get_attribute("aria-invalid") == "true")
        assert "^[A-Z]-[0-9]+$" in device.one(".note-error:not([hidden])").text, text
        held = "select wedsql._broken_limit(%s, to_jsonb(%s::text))"
        value = "''" if text == "''''" else text
        known = conn.execute(held, ['{"pattern": "^[A-Z]-[0-9]+$"}', value]).fetchone()
        assert known == ("pattern",), "the kernel says the same"
        _fill(device, field, "")
    _fill(device, field, RIGHT)
    press(device)
    device.wait(lambda page: not device.all("[data-task-form]"))
    line.restore()
    device.go("outbox")
    device.press("#send")
    device.wait(lambda page: device.states() == ["accepted"])
    assert count_steps(conn, task) == 1


def test_what_only_the_site_can_say_is_left_to_it_and_comes_back_with_its_reason(
    device: Device, line: Line, locked: Callable[[], int], flow: str, conn: psycopg.Connection[Any]
) -> None:
    """Where a word ends depends on the language of the server."""
    api.flows.publish(flow, of_pattern(r"\mwet\M"), conn=conn)
    task = locked()
    ready(device, task)
    line.cut()
    device.go(f"tasks/{task}")
    _fill(device, device.one("[name=value-cost]"), "5")
    _fill(device, device.one("[name=value-reason]"), "wetter")
    press(device)
    device.wait(lambda page: not device.all("[data-task-form]"))
    line.restore()
    device.go("outbox")
    device.press("#send")
    device.wait(lambda page: device.states() == ["refused"])
    assert count_steps(conn, task) == 0


def test_a_pattern_that_is_published_meanwhile_refuses_the_result_which_is_corrected(
    device: Device, line: Line, locked: Callable[[], int], flow: str, conn: psycopg.Connection[Any]
) -> None:
    """Nothing typed is lost: the form opens again with it, and now asks for the new form of the text."""
    api.flows.publish(flow, of_pattern("^A-[0-9]+$"), conn=conn)
    task = locked()
    ready(device, task)
    line.cut()
    device.go(f"tasks/{task}")
    _fill(device, device.one("[name=value-cost]"), "5")
    _fill(device, device.one("[name=value-reason]"), "A-1")
    press(device)
    device.wait(lambda page: not device.all("[data-task-form]"))
    api.flows.publish(flow, of_pattern("^B-[0-9]+$"), conn=conn)
    line.restore()
    device.go("outbox")
    device.press("#send")
    device.wait(lambda page: device.states() == ["refused"])
    assert "^B-[0-9]+$" in device.one("tbody").text and count_steps(conn, task) == 0
    device.exchanged()
    device.press("tbody a[href^='#/tasks/']")
    field = device.one("[name=value-reason]")
    assert field.get_property("value") == "A-1"
    press(device)
    device.wait(lambda page: field.get_attribute("aria-invalid") == "true")
    assert "^B-[0-9]+$" in device.one(".note-error:not([hidden])").text
    _fill(device, field, "B-1")
    press(device)
    device.wait(lambda page: not device.all("[data-task-form]"))
    device.go("outbox")
    device.wait(lambda page: device.states() == ["accepted"])
    assert count_steps(conn, task) == 1
    assert api.tasks.read(task, "carol", conn=conn).state_of["reason"] == "B-1"
