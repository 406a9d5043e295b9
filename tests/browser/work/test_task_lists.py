"""Lists of tasks in a browser: an order of one's own by mouse and by keyboard, and notifications."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import Group
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from flows import api
from tests.browser.axe import against_the_rules, axe
from tests.browser.conftest import PHONE, Login, Sized, Wait

__all__ = ["axe"]
Browser = webdriver.Chrome
DEFINITION: dict[str, Any] = {
    "label": "Claims",
    "attributes": [{"name": "policy", "label": "Policy", "business_key": True}, {"name": "done"}],
    "triggers": [
        {"transition": "assess", "label": "Assess the damage", "predicate": "done is null",
         "performer": "person", "writes": ["done"], "deadline": "2 days"},
    ],
}  # fmt: skip

ASKING = """
    window.shown = [];
    window.Notification = class extends EventTarget {
      static permission = "granted";
      static async requestPermission() { return "granted"; }
      constructor(title) { super(); window.shown.push(title); }
      close() {}
    };
"""


@pytest.fixture
def tasks(
    flow: str, connect: Any, people: dict[str, Any], django_db_blocker: Any, login: Login
) -> Iterator[list[int]]:
    """Five tasks that are open to carol, whose list of them in her own order is shown."""
    conn: psycopg.Connection[Any] = connect()
    api.flows.publish(flow, DEFINITION, conn=conn)
    for number in range(5):
        api.instances.start(flow, {"policy": f"P-{number}"}, conn=conn)
    with django_db_blocker.unblock():
        group = Group.objects.create(name=f"flow:{flow}:handle")
        people["carol"].groups.add(group)
    login("carol", "/tasks/?show=open&order=own")
    yield [one.job_id for one in api.tasks.of_flow(flow, conn=conn)]
    conn.execute("delete from wedsql.task_place where person = 'carol'")
    with django_db_blocker.unblock():
        group.delete()


def listed(browser: Browser) -> list[int]:
    rows = browser.find_elements(By.CSS_SELECTOR, "tr[id^=task-]")
    return [int(row.get_attribute("data-key") or 0) for row in rows]


def kept(flow: str, connect: Any) -> list[int]:
    """Return the order that the server has, as a session on another machine reads it."""
    return [one.job_id for one in api.tasks.open("carol", [f"f:{flow}"], "own", conn=connect())]


def grip(browser: Browser, task: int) -> Any:
    return browser.find_element(By.CSS_SELECTOR, f"#task-{task} [data-grip]")


def test_a_task_is_dragged_to_another_place_and_stays_there(
    tasks: list[int], flow: str, browser: Browser, connect: Any, wait: Wait
) -> None:
    first, second, third, fourth, fifth = tasks
    assert listed(browser) == tasks
    height = browser.find_element(By.ID, f"task-{first}").size["height"]
    drag = ActionChains(browser).click_and_hold(grip(browser, fifth))
    for place in (fourth, third, second):
        drag = drag.move_to_element(grip(browser, place))
    drag.move_to_element_with_offset(grip(browser, first), 0, height // 4).release().perform()
    expected = [first, fifth, second, third, fourth]
    wait(lambda _page: listed(browser) == expected)
    wait(lambda _page: kept(flow, connect) == expected)
    browser.refresh()
    assert listed(browser) == expected


def test_a_drag_that_is_ended_by_escape_changes_nothing(
    tasks: list[int], flow: str, browser: Browser, connect: Any, wait: Wait
) -> None:
    drag = ActionChains(browser).click_and_hold(grip(browser, tasks[4]))
    drag.move_to_element(grip(browser, tasks[2])).move_to_element(grip(browser, tasks[1])).perform()
    wait(lambda _page: listed(browser) != tasks)
    ActionChains(browser).send_keys(Keys.ESCAPE).release().perform()
    wait(lambda _page: listed(browser) == tasks)
    assert kept(flow, connect) == tasks


def test_a_task_is_moved_by_the_keyboard_which_keeps_the_focus_and_says_where_it_is(
    tasks: list[int], flow: str, browser: Browser, connect: Any, wait: Wait
) -> None:
    first, second, third, fourth, fifth = tasks
    browser.find_element(By.CSS_SELECTOR, f"#task-{third} th a").send_keys(Keys.ALT, Keys.ARROW_UP)
    wait(lambda _page: kept(flow, connect) == [first, third, second, fourth, fifth])
    assert browser.execute_script("return document.activeElement.closest('tr').id") == f"task-{third}"
    wait(lambda _page: browser.find_element(By.CSS_SELECTOR, "[data-said]").text == "Place 2 of 5")
    down = browser.find_element(By.CSS_SELECTOR, f"#task-{first} [data-move='1']")
    down.send_keys(Keys.ENTER)
    wait(lambda _page: kept(flow, connect) == [third, first, second, fourth, fifth])
    assert not browser.find_element(By.CSS_SELECTOR, f"#task-{first} [data-move='-1']").get_attribute(
        "disabled"
    )
    assert browser.find_element(By.CSS_SELECTOR, f"#task-{third} [data-move='-1']").get_attribute("disabled")


def test_a_move_that_is_refused_is_undone(
    tasks: list[int], flow: str, browser: Browser, connect: Any, wait: Wait
) -> None:
    first, *_others, last = tasks
    conn = connect()
    api.tasks.take(tasks[1], "dan", [f"f:{flow}"], conn=conn)
    api.tasks.complete(tasks[1], "dan", {"done": "yes"}, conn=conn)
    browser.find_element(By.CSS_SELECTOR, f"#task-{first} [data-move='1']").send_keys(Keys.ENTER)
    said = "[data-said]"
    wait(lambda _page: "no longer to be done" in browser.find_element(By.CSS_SELECTOR, said).text)
    assert listed(browser)[0] == first and listed(browser)[-1] == last


def test_the_lists_suit_a_phone_and_the_rules_of_accessibility(
    axe: None, tasks: list[int], browser: Browser, sized: Sized
) -> None:
    browser.find_element(By.XPATH, "//summary[contains(., 'Columns')]").click()
    assert against_the_rules(browser) == []
    sized(PHONE)
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    assert against_the_rules(browser) == []


@pytest.fixture
def asking(browser: Browser) -> Iterator[None]:
    """A browser that allows notifications and notes them: one without a screen always refuses them."""
    added = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": ASKING})
    browser.refresh()
    yield
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


def test_who_asks_for_notifications_is_asked_for_the_newest_task_and_can_end_them(
    tasks: list[int], flow: str, browser: Browser, asking: None, connect: Any, wait: Wait
) -> None:
    button = browser.find_element(By.CSS_SELECTOR, "[data-notify]")
    button.click()
    wait(lambda _page: button.get_attribute("aria-pressed") == "true")
    ask = (
        "const done = arguments[0]; import(document.querySelector('script[src*=\"/pages/app.js\"]').src"
        ".replace('app.js', 'notices.js')).then(async ({ notices }) => {"
        " const { tasks } = await (await fetch('/messages/unread/' + notices.query())).json();"
        " notices.show(tasks); done([notices.query(), tasks.length]); })"
    )
    assert browser.execute_async_script(ask) == [f"?tasks={tasks[-1]}", 1]
    assert browser.execute_async_script(ask) == [f"?tasks={tasks[-1]}", 0]
    api.instances.start(flow, {"policy": "P-new"}, conn=connect())
    query, count = browser.execute_async_script(ask)
    assert count == 1 and query != f"?tasks={tasks[-1]}"
    assert len(browser.execute_script("return shown")) == 1
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
