"""The form of a task in a browser: it follows its conditions, keeps what is typed, and works on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import Group
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from flows import api
from tests.browser.axe import against_the_rules, axe
from tests.browser.conftest import PHONE, Login, Sized, Wait

__all__ = ["axe"]
Browser = webdriver.Chrome
DEFINITION: dict[str, Any] = {
    "attributes": [
        {"name": "cost", "type": "numeric", "label": "Cost"},
        {"name": "reason", "label": "Reason"},
        {"name": "model", "label": "Model"},
        {"name": "kind", "type": "enum", "options": ["small", "large"], "label": "Kind"},
        {"name": "parts", "type": "jsonb", "label": "Parts"},
        {"name": "done"},
    ],
    "triggers": [
        {
            "transition": "inspect",
            "predicate": "done is null",
            "performer": "person",
            "outcomes": ["Ready: done = 'yes'"],
            "form": {
                "sections": [
                    {
                        "title": "Costs",
                        "fields": [
                            {"attribute": "cost", "width": "half", "unit": "BRL", "required": True},
                            {"attribute": "kind", "width": "half", "readonly": "reason = 'fixed'"},
                            {"attribute": "reason", "shown": "cost > 100", "required": "kind = 'large'"},
                            {"attribute": "model", "shown": "reason ilike 'a%'"},
                            {"attribute": "parts", "kind": "table", "columns": [{"name": "part"}]},
                        ],
                    }
                ]
            },
        },
    ],
}


@pytest.fixture
def task(
    flow: str, connect: Any, people: dict[str, Any], django_db_blocker: Any, login: Login
) -> Iterator[int]:
    """A task that carol has taken, whose page is open."""
    conn: psycopg.Connection[Any] = connect()
    api.flows.publish(flow, DEFINITION, conn=conn)
    api.instances.start(flow, {}, conn=conn)
    (found,) = api.tasks.of_flow(flow, conn=conn)
    api.tasks.take(found.job_id, "carol", [f"f:{flow}"], conn=conn)
    with django_db_blocker.unblock():
        group = Group.objects.create(name=f"flow:{flow}:handle")
        people["carol"].groups.add(group)
    login("carol", f"/tasks/{found.job_id}/")
    yield found.job_id
    with django_db_blocker.unblock():
        group.delete()


def entry(browser: Browser, name: str) -> Any:
    return browser.find_element(By.CSS_SELECTOR, f"[data-attribute={name}]")


def control(browser: Browser, name: str) -> Any:
    return browser.find_element(By.NAME, f"value-{name}")


def type_into(browser: Browser, name: str, text: str) -> None:
    found = control(browser, name)
    found.send_keys(Keys.CONTROL, "a")
    found.send_keys(text or Keys.DELETE)


def test_fields_follow_their_conditions_as_one_types(browser: Browser, wait: Wait, task: int) -> None:
    wait(lambda page: not entry(page, "reason").is_displayed())
    type_into(browser, "cost", "100.5")
    assert entry(browser, "reason").is_displayed()
    assert not entry(browser, "reason").find_element(By.CSS_SELECTOR, ".required").is_displayed()
    Select(control(browser, "kind")).select_by_value("large")
    assert entry(browser, "reason").find_element(By.CSS_SELECTOR, ".required").is_displayed()
    type_into(browser, "reason", "fixed")
    assert not control(browser, "kind").is_enabled()
    assert not entry(browser, "model").is_displayed()
    type_into(browser, "reason", "Age")  # what the browser cannot evaluate is asked of the server
    wait(lambda page: entry(page, "model").is_displayed())
    type_into(browser, "cost", "99")
    assert not entry(browser, "reason").is_displayed()
    type_into(browser, "cost", "101")
    assert control(browser, "reason").get_property("value") == "Age"


def test_what_was_typed_comes_back_in_another_tab_and_goes_with_the_task(
    browser: Browser, wait: Wait, task: int, connect: Any
) -> None:
    type_into(browser, "cost", "42")
    browser.find_element(By.CSS_SELECTOR, "[data-add-row]").click()
    browser.switch_to.active_element.send_keys("bolt")
    wait(lambda page: page.find_element(By.CSS_SELECTOR, "[data-kept]").is_displayed())
    address = browser.current_url
    browser.switch_to.new_window("tab")
    browser.get(address)
    assert control(browser, "cost").get_property("value") == "42"
    assert "bolt" in [
        each.get_property("value") for each in browser.find_elements(By.CSS_SELECTOR, "td input")
    ]
    browser.find_element(By.CSS_SELECTOR, "button[name=outcome]").click()
    wait(lambda page: page.current_url != address)
    browser.close()
    browser.switch_to.window(browser.window_handles[0])
    conn = connect()
    assert api.task_forms.read_draft(task, "carol", conn=conn) is None
    assert api.tasks.read(task, "carol", conn=conn).state_of["parts"] == [{"part": "bolt"}]


def test_errors_are_summed_up_with_links_to_their_fields(browser: Browser, wait: Wait, task: int) -> None:
    type_into(browser, "cost", "a lot")
    browser.find_element(By.CSS_SELECTOR, "button[name=outcome]").click()
    wait(lambda page: page.find_elements(By.CSS_SELECTOR, "[data-summary]"))
    type_into(browser, "cost", "")
    browser.find_element(By.CSS_SELECTOR, "button[name=outcome]").click()
    wait(lambda page: page.find_elements(By.CSS_SELECTOR, "[data-summary] li a"))
    browser.find_element(By.CSS_SELECTOR, "[data-summary] li a").click()
    wait(lambda page: page.switch_to.active_element.get_attribute("name") == "value-cost")


@pytest.mark.parametrize("phone", [False, True])
def test_the_form_is_accessible_and_fits_its_page(
    browser: Browser, wait: Wait, task: int, sized: Sized, phone: bool
) -> None:
    if phone:
        sized(PHONE)
    type_into(browser, "cost", "500")
    browser.find_element(By.CSS_SELECTOR, "button[name=preview]").click()
    wait(lambda page: page.find_elements(By.ID, "previews-title"))
    wide = browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    assert wide and against_the_rules(browser) == []
    first, second = entry(browser, "cost").rect, entry(browser, "kind").rect
    assert (first["y"] == second["y"]) is not phone


def test_the_designer_sees_the_form_as_it_is_typed(
    browser: Browser, wait: Wait, flow: str, connect: Any, login: Login
) -> None:
    conn = connect()
    api.flows.publish(flow, DEFINITION, conn=conn)
    number = conn.execute("select id from wedsql.flow where name = %s", [flow]).fetchone()[0]
    login("alice", f"/admin/flows/flow/{number}/design/?rule=1")
    browser.execute_script("for (const each of document.querySelectorAll('details.group')) each.open = true")
    wait(lambda page: page.find_elements(By.CSS_SELECTOR, ".form-preview .phone [data-attribute=cost]"))
    wide, narrow = (
        [
            browser.find_element(By.CSS_SELECTOR, f".form-preview .{kind} [data-attribute={name}]").rect["y"]
            for name in ("cost", "kind")
        ]
        for kind in ("desktop", "phone")
    )
    assert wide[0] == wide[1] and narrow[0] < narrow[1]
    area = browser.find_element(By.NAME, "form")
    area.send_keys(Keys.CONTROL, "a")
    area.send_keys('{"sections": [{"fields": [{"attribute": "none"}]}]}')
    wait(lambda page: "none" in page.find_element(By.CSS_SELECTOR, ".form-preview .phone").text)
    assert browser.find_elements(By.CSS_SELECTOR, ".form-preview .phone .field-error")
