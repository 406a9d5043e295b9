"""Hundreds of odd values in the forms of tasks: what a person does not change is never written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import Group
from selenium.webdriver.common.by import By

from flows import api
from flows.tests.corpus import values
from tests.browser.conftest import Login, wait_in
from tests.browser.offline.conftest import device, line, shelf, technicians
from tests.browser.offline.device import Device
from tests.browser.test_odd_values import MOST, Forms, accepted, standing_flow

__all__ = ["device", "line", "shelf", "technicians"]
# In the cells of tables and in lists of choices.
TEXTS = [
    "a\nb",
    "a\r\nb",
    " a ",
    "\ta",
    "",
    " ",
    "''",
    "''''",
    "\u2028",
    "<b>&amp;</b>",
    '"',
    "5",
    "true",
    "2024-01-01",
]
CELLS: list[Any] = [*TEXTS, None, True, False, 0, 1, -5, [1], {"a": "x\ny"}, 1.5, 10**30, [], {}, "infinity"]
COLUMNS: list[dict[str, Any]] = [
    {"name": "t"}, {"name": "i", "type": "integer"}, {"name": "n", "type": "numeric"},
    {"name": "b", "type": "boolean"}, {"name": "d", "type": "date"},
    {"name": "c", "type": "choice", "options": ["a", " b ", "''", "a\nb"]},
]  # fmt: skip
# What a list of choices or a table may find, as they are written by other doors than its form.
LISTS: list[Any] = [
    TEXTS, [*reversed(TEXTS)], [], ["a", "a"], [5, "5"], [None], {"a": 1}, "x", 5, True, [[]],
    [{"t": "x", "hidden": "é"}, {}, {"t": None}, {"other": 1}], [{"t": "a"}, "b", 5],
    [{column["name"]: cell for column in COLUMNS} | {"hidden": n} for n, cell in enumerate(CELLS)],
    [{"n": "1.50"}] * 501,
]  # fmt: skip
PARTS = 3  # a form has at most 200 fields
KINDS = {
    "text": ["", "short", "long", "choice", "person", "query"], "enum": ["", "choice"], "date": ["", "query"],
    "integer": ["", "choice", "query"], "numeric": ["", "choice", "query"],
}  # fmt: skip


def with_options(field: dict[str, Any], shops: str, kind: str) -> dict[str, Any]:
    """Return a field with what its kind needs."""
    needed: dict[str, dict[str, Any]] = {
        "choices": {"options": ["a", "b", "a\nb", " "]},
        "table": {"columns": COLUMNS},
        "query": {"query": {"flow": shops, "value": kind}},
        "choice": {} if kind == "enum" else {"options": ["1", "2"]},
    }
    more = needed.get(field["kind"], {})
    return {name: each for name, each in (field | more).items() if each != ""}


def declared(session: psycopg.Connection[Any]) -> list[dict[str, Any]]:
    """Return an attribute for each odd value, which is its first one."""
    made: list[dict[str, Any]] = [{"name": "n", "type": "integer"}]
    for kind in values.KINDS:
        found = [*dict.fromkeys(accepted(session, kind))][:MOST]
        for place, text in enumerate(found):
            one = {"name": f"{kind}_{place}", "type": kind, "default": text}
            made.append(one | ({"options": [*found, ""]} if kind == "enum" else {}))
    return made + [
        {"name": f"{kind}_of_{place}", "type": "jsonb", "default": json.dumps(value)}
        for kind in ("choices", "table") for place, value in enumerate(LISTS)
    ]  # fmt: skip


def in_form(attributes: list[dict[str, Any]], shops: str) -> dict[str, Any]:
    """Return a form with these attributes, the kinds of a type alternating."""
    fields = []
    for place, one in enumerate(attributes):
        kinds = KINDS.get(one["type"], [""])
        kind = one["name"].split("_of_")[0] if "_of_" in one["name"] else kinds[place % len(kinds)]
        fields.append(with_options({"attribute": one["name"], "kind": kind}, shops, one["type"]))
    return {"sections": [{"fields": fields[at : at + 50]} for at in range(0, len(fields), 50)]}


@pytest.fixture(scope="module")
def odd(dsn: str, chromium: Any, request: pytest.FixtureRequest) -> Iterator[str]:
    """A flow whose task may write hundreds of attributes: all without a form, or a part of them by one."""
    with standing_flow(dsn, chromium) as (shops, session), standing_flow(dsn, chromium) as (flow, _):
        offered = [{"name": kind, "type": kind} for kind, kinds in KINDS.items() if "query" in kinds]
        api.flows.publish(shops, {"attributes": offered, "triggers": []}, conn=session)
        attributes = declared(session)
        task = {"transition": "look", "predicate": "n is null", "performer": "person", "role": "Technician",
                "offline": True, "writes": [one["name"] for one in attributes]}  # fmt: skip
        if request.param != "fields":
            part = attributes[1 + request.param :: PARTS]
            task["form"] = in_form([attributes[0], *part], shops)
        triggers = [task, {"predicate": "n = 7", "final": True}]
        api.flows.publish(flow, {"attributes": attributes, "triggers": triggers}, conn=session)
        assert len(attributes) > 330
        yield flow


@pytest.fixture
def task(odd: str, connect: Any, people: dict[str, Any], django_db_blocker: Any) -> Iterator[int]:
    """A task that carol has locked."""
    session = connect()
    (found,) = api.tasks.of_instance(api.instances.start(odd, {}, conn=session), conn=session)
    api.tasks.take(found.job_id, "carol", ["r:Technician"], lock=True, conn=session)
    with django_db_blocker.unblock():
        group = Group.objects.get_or_create(name="role:Technician")[0]
        people["carol"].groups.add(group)
    yield found.job_id


@pytest.fixture
def forms(odd: str, browser: Any, server: Any, connect: Any, login: Login) -> Forms:
    login("carol")
    return Forms(browser, server.url, odd, connect())


def wid_of(forms: Forms, task: int) -> int:
    return api.tasks.read(task, "carol", conn=forms.session).wid


def is_done(forms: Forms, task: int) -> bool:
    return api.tasks.read(task, "carol", conn=forms.session).ended_at is not None


@pytest.mark.parametrize("odd", ["fields", *range(PARTS)], indirect=True)
def test_a_form_of_a_task_writes_only_what_was_changed(forms: Forms, task: int) -> None:
    wid = wid_of(forms, task)
    before = forms.state(wid)
    forms.open(f"tasks/{task}/")
    forms.type("value-n", "7")
    forms.press("[data-task-form] button.primary")
    shown = forms.browser.find_elements(By.CSS_SELECTOR, "[data-summary]")
    assert is_done(forms, task), shown[0].text if shown else "it was not completed"
    assert (forms.state(wid), forms.written(wid)) == (before, {"n"})


@pytest.mark.parametrize("odd", ["fields", 0], indirect=True)
def test_a_draft_of_a_task_and_what_is_refused_change_nothing(forms: Forms, task: int) -> None:
    wid = wid_of(forms, task)
    before = forms.state(wid)
    forms.open(f"tasks/{task}/")
    forms.type("value-n", "7")
    wait_in(forms.browser, lambda page: page.find_element(By.CSS_SELECTOR, "[data-kept]").is_displayed())
    kept = api.task_forms.read_draft(task, "carol", conn=forms.session)
    assert kept is not None and kept["fields"] == {"value-n": ["7", ""]}
    forms.open(f"tasks/{task}/")
    forms.type("value-n", "x")
    forms.press("[data-task-form] button.primary")
    assert forms.browser.find_element(By.CSS_SELECTOR, "[data-summary]").is_displayed()
    forms.type("value-n", "7")
    forms.press("[data-task-form] [name=preview]")
    forms.press("[data-task-form] button.primary")
    assert is_done(forms, task)
    assert (forms.state(wid), forms.written(wid)) == (before, {"n"})


@pytest.mark.parametrize("odd", [1, 2], indirect=True)
def test_a_form_without_a_connection_writes_only_what_was_changed(
    device: Device, task: int, odd: str, connect: Any
) -> None:
    forms = Forms(device.page, device.line.url, odd, connect())
    wid = wid_of(forms, task)
    before = forms.state(wid)
    device.open()
    device.exchanged()
    device.wait(lambda page: device.tasks() == [str(task)])
    device.go(f"tasks/{task}")
    device.one("[name=value-n]").send_keys("7")
    device.press("[data-task-form] button.primary")
    device.wait(lambda page: not device.all("[data-task-form]"))
    device.go("outbox")
    device.wait(lambda page: device.states() and device.states() != ["waiting"])
    assert device.states() == ["accepted"]
    assert (forms.state(wid), forms.written(wid)) == (before, {"n"})
