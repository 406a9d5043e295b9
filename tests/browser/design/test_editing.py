"""The tabs that edit a draft in a browser: a flow begun by keyboard alone, two people at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from flows.tests.pages import unique
from tests.browser.conftest import Login, Wait, problems

Browser = webdriver.Chrome


def link(browser: Browser, text: str) -> Any:
    return browser.find_element(By.LINK_TEXT, text)


def saved(page: Browser) -> bool:
    return bool(page.find_elements(By.CSS_SELECTOR, ".messages .note-success"))


def test_a_flow_is_begun_by_keyboard_alone(browser: Browser, login: Login, wait: Wait) -> None:
    login("alice", "/admin/flows/flow/new/")
    name = unique()
    ActionChains(browser).send_keys(name, Keys.ENTER).perform()  # the name has the focus
    wait(lambda page: "/design/attributes/" in page.current_url)
    link(browser, "Add an attribute").send_keys(Keys.ENTER)
    wait(lambda page: page.find_elements(By.ID, "id_name"))
    browser.find_element(By.ID, "id_name").send_keys("a1", Keys.ENTER)

    wait(saved)
    assert browser.find_element(By.CSS_SELECTOR, "#attribute-1 th a").text == "a1"


THEIRS = """
with running as (select wedsql.running_definition(%(flow)s) -> 'definition' as d),
opened as (select wedsql.open_draft(%(flow)s, 'main', null, '', 'bob') as draft)
select wedsql.save_draft(%(flow)s, 'main', (draft ->> 'revision')::integer,
  jsonb_set(d, '{triggers,0,label}', '"Theirs"'), '', null, 'bob') from running, opened"""
FLOW = """
insert into wed_attr (aname) values ('a');
insert into wed_trig (tgname, trname, cname, cpred) values ('g', 'tr', 'c', $$a is null$$);
insert into wed_trig (cpred, cfinal) values ($$a is not null$$, true);
"""


def test_one_chooses_where_two_people_changed_the_same(
    loaded: Callable[[str], str],
    connect: Callable[..., psycopg.Connection[Any]],
    browser: Browser,
    login: Login,
    wait: Wait,
) -> None:
    flow, database = loaded(FLOW), connect()
    row = database.execute("select id from wedsql.flow where name = %s", [flow]).fetchone()
    assert row is not None
    login("alice", f"/admin/flows/flow/{row[0]}/design/?rule=1")
    browser.find_element(By.ID, "id_label").send_keys("Mine")
    database.execute(THEIRS, {"flow": flow})
    browser.find_element(By.CSS_SELECTOR, "button[value=save]").click()

    wait(lambda page: page.find_elements(By.CSS_SELECTOR, ".conflict"))
    columns = [each.text for each in browser.find_elements(By.CSS_SELECTOR, ".conflict pre")]
    assert columns[1:] == ["Mine", "Theirs"]
    assert all("409 (Conflict)" in problem for problem in problems(browser))
    browser.find_element(By.CSS_SELECTOR, "input[value=mine]").click()
    browser.find_element(By.CSS_SELECTOR, "main form button.primary").click()
    wait(saved)
    assert browser.find_element(By.CSS_SELECTOR, "#rule-1 th a").text == "Mine"


def test_brackets_open_the_tabs_before_and_after(
    loaded: Callable[[str], str],
    connect: Callable[..., psycopg.Connection[Any]],
    browser: Browser,
    login: Login,
    wait: Wait,
) -> None:
    def shown(page: Browser) -> Any:
        return page.execute_script(
            "return document.readyState === 'complete'"
            " && document.querySelector('.tabs [aria-current]')?.textContent"
        )

    def press(key: str) -> None:
        ActionChains(browser).send_keys(key).perform()

    row = connect().execute("select id from wedsql.flow where name = %s", [loaded(FLOW)]).fetchone()
    assert row is not None
    login("alice", f"/admin/flows/flow/{row[0]}/design/")
    press("[")  # before the first there is none
    press("]")
    wait(lambda page: shown(page) == "Attributes")
    press("]")
    wait(lambda page: shown(page) == "Forms")
    press("[")
    wait(lambda page: shown(page) == "Attributes")
    press("[")
    wait(lambda page: shown(page) == "Rules")
    link(browser, "g").click()
    name = wait(lambda page: page.find_elements(By.ID, "id_label"))[0]
    name.send_keys("]")
    assert name.get_attribute("value") == "]" and shown(browser) == "Rules"
    browser.execute_script("document.activeElement.blur()")
    press("?")
    wait(lambda page: "tab before, next tab" in page.find_element(By.ID, "keys").text)


def test_a_rule_is_dragged_to_another_place(
    loaded: Callable[[str], str],
    connect: Callable[..., psycopg.Connection[Any]],
    browser: Browser,
    login: Login,
    wait: Wait,
) -> None:
    flow, database = loaded(FLOW), connect()
    row = database.execute("select id from wedsql.flow where name = %s", [flow]).fetchone()
    assert row is not None
    login("alice", f"/admin/flows/flow/{row[0]}/design/")
    handle = browser.find_element(By.CSS_SELECTOR, "#rule-2 .seq")
    assert handle.get_attribute("draggable") == "true"
    first = browser.find_element(By.CSS_SELECTOR, "#rule-1")
    above = -int(first.size["height"]) // 2 + 2
    drag = ActionChains(browser).click_and_hold(handle).move_by_offset(0, -3)
    drag.move_to_element_with_offset(first, 0, above).release().perform()

    wait(saved)
    assert browser.find_element(By.CSS_SELECTOR, "#rule-2 th a").text == "g"
    assert problems(browser) == []
