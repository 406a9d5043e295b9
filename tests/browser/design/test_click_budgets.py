"""What usual errands cost: clicks, besides what is typed, and the scripts of the page with most of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from flows import api
from flows.types import MAIN
from tests.browser.conftest import Login, Wait
from tests.browser.design.test_time_trial import ROWS, Hand
from tests.browser.work.test_clerks_day import Desk, desk

__all__ = ["desk"]

SCRIPTS = """
return performance.getEntriesByType('resource').filter(e => e.name.endsWith('.js'))
  .map(e => [e.name.replace(/.*\\//, ''), e.encodedBodySize])"""
# Of the page of a rule, as they are sent: when it opens, and with the editor, which comes with the focus.
AT_FIRST, WITH_EDITOR = 28_000, 142_000
FLOW = """
insert into wed_attr (aname) values ('a');
insert into wed_trig (tgname, trname, cname, cpred) values ('g', 'tr', 'c', $$a is null$$);
insert into wed_trig (cpred, cfinal) values ($$a is not null$$, true);
"""


def test_all_cases_of_a_cause_are_retried_with_five_clicks(desk: Desk) -> None:
    hand = Hand(desk, desk)
    desk.open("cases/?flow=orders")
    before = api.cases.list(["orders"], {"cause": "ATTEMPTS"}, limit=200, conn=desk.connection)
    (link,) = [
        one.find_element(By.PARTIAL_LINK_TEXT, "Retry all")
        for one in desk.browser.find_elements(By.CSS_SELECTOR, ROWS)
        if "503 Service Unavailable" in one.text
    ]
    hand.clicks += 1
    desk.leaving(link.click)
    hand.type("reason", "The carrier answers again.")
    hand.follow("main form button.primary")
    assert hand.clicks <= 5 and "/bulk/" in desk.browser.current_url
    (asked, *_others) = api.bulk.list(None, conn=desk.connection)
    assert asked.operation == "retry" and 1 < asked.total < len(before)


def test_a_new_colleague_has_a_flow_with_four_clicks(
    loaded: Callable[[str], str], browser: webdriver.Chrome, login: Login, wait: Wait
) -> None:
    flow = loaded(FLOW)
    login("alice", "/people/")
    browser.find_element(By.ID, "new-name").send_keys(f"colleague-{flow}")
    chosen = ["#new-flow", f"#new-flow option[value={flow}]", "[name=level][value=handle]"]
    steps = [*chosen, "form.operate button.primary"]
    for css in steps:
        browser.find_element(By.CSS_SELECTOR, css).click()
    wait(lambda page: page.find_elements(By.ID, "secret-title"))
    assert len(steps) <= 4


def test_a_rule_is_defined_by_the_form_with_three_clicks(
    loaded: Callable[[str], str],
    connect: Callable[..., psycopg.Connection[Any]],
    browser: webdriver.Chrome,
    login: Login,
    wait: Wait,
) -> None:
    flow, database = loaded(FLOW), connect()
    (number,) = database.execute("select id from wedsql.flow where name = %s", [flow]).fetchone() or (0,)
    login("alice", f"/admin/flows/flow/{number}/design/")
    browser.find_element(By.PARTIAL_LINK_TEXT, "Add a rule").click()
    wait(lambda page: page.find_elements(By.ID, "id_transition"))
    wait(lambda page: page.find_elements(By.CSS_SELECTOR, ".condition-editor"))
    scripts = dict(browser.execute_script(SCRIPTS))
    browser.find_element(By.ID, "id_transition").send_keys("tr_new")
    browser.find_element(By.CSS_SELECTOR, "textarea.wed-predicate").click()
    ActionChains(browser).send_keys("a = 'x'").perform()
    wait(lambda page: page.find_elements(By.CSS_SELECTOR, ".cm-content"))
    later = dict(browser.execute_script(SCRIPTS))
    browser.find_element(By.CSS_SELECTOR, "button[value=save]").click()
    wait(lambda page: page.find_elements(By.CSS_SELECTOR, ".messages .note-success"))
    draft = api.drafts.read(flow, MAIN, conn=database)
    fired = [one.get("transition") for one in draft.definition["triggers"]]
    assert "tr_new" in fired and "tr" in fired
    assert 0 < sum(scripts.values()) <= AT_FIRST, scripts
    assert "codemirror.js" in later and sum(later.values()) <= WITH_EDITOR, later
