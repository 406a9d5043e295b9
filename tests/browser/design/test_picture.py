"""The picture of a flow in a browser: drawn, selected, found, moved by keyboard, and saved as a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from tests.browser.conftest import Login, Wait

Browser = webdriver.Chrome

FLOW = """
insert into wed_attr (aname) values ('a'), ('b'), ('c');
insert into wed_trig (tgname, trname, cname, cpred, writes, label) values
  ('g_one', 'tr_one', 'c_one', $$a is null$$, '{a}', 'Ask the customer'),
  ('g_two', 'tr_two', 'c_two', $$a is not null and b is null$$, '{b}', 'Pack'),
  ('g_far', 'tr_far', 'c_far', $$c = 'never'$$, '{}', 'Far away');
insert into wed_trig (cpred, cfinal) values ($$b is not null$$, true);
"""
# What a click on a button saved: the name and the beginning of the file.
SAVED = """
const done = arguments[1], create = URL.createObjectURL;
URL.createObjectURL = (blob) => {
  blob.slice(0, 60).text().then((text) => done([blob.type, text]));
  return create.call(URL, blob);
};
document.querySelector(`[name="${arguments[0]}"]`).click();"""

# Puts the focus on the link before the drawing, of which the window then has no more than its upper end.
ABOVE = """
document.querySelector('.picture-tools [href$=mermaid]').focus();
scrollBy(0, document.getElementById('picture').getBoundingClientRect().top - innerHeight + 100);"""
# What is in the window where the middle of the link with the focus is, if not the link.
HIDES = """
const link = document.activeElement, { left, right, top, bottom } = link.getBoundingClientRect();
const seen = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
return seen?.closest('a') === link ? '' : `${seen?.outerHTML ?? 'nothing'} at ${top}`"""


@pytest.fixture
def picture(
    loaded: Callable[[str], str], connect: Callable[..., psycopg.Connection[Any]], login: Login, wait: Wait
) -> None:
    """The page with the picture of a flow, opened as alice and drawn."""
    row = connect().execute("select id from wedsql.flow where name = %s", [loaded(FLOW)]).fetchone()
    assert row is not None
    login("alice", f"/admin/flows/flow/{row[0]}/picture/")
    wait(lambda page: len(page.find_elements(By.CSS_SELECTOR, "#picture .node")) == 5)


def node(browser: Browser, label: str) -> Any:
    return browser.find_element(By.CSS_SELECTOR, f'#picture .node[aria-label^="{label}"]')


def press(browser: Browser, key: str) -> None:
    """Press a key where the focus is: the driver would move the focus to send it to an element of an SVG."""
    ActionChains(browser).send_keys(key).perform()


def visible(browser: Browser) -> set[str]:
    """Return the labels of the nodes that are not faded, without their transitions."""
    nodes = browser.find_elements(By.CSS_SELECTOR, "#picture .node:not(.faded)")
    return {(each.get_attribute("aria-label") or "").split(" tr_")[0] for each in nodes}


def test_a_selected_rule_shows_its_neighbours(browser: Browser, picture: None, wait: Wait) -> None:
    node(browser, "Pack").click()

    wait(lambda page: "selected" in (node(page, "Pack").get_attribute("class") or ""))
    assert visible(browser) == {"Ask the customer", "Pack", "Final"}
    details = browser.find_element(By.ID, "picture-chosen")
    assert "a is not null and b is null" in details.text and "0 pending" in details.text
    assert "?rule=id:" in (details.find_element(By.LINK_TEXT, "Pack").get_attribute("href") or "")
    Select(browser.find_element(By.NAME, "steps")).select_by_value("1")
    wait(lambda page: len(page.find_elements(By.CSS_SELECTOR, "#picture .node")) == 3)
    browser.get(browser.current_url)  # which has what is shown
    wait(lambda page: "selected" in (node(page, "Pack").get_attribute("class") or ""))
    assert len(browser.find_elements(By.CSS_SELECTOR, "#picture .node")) == 3


def test_a_rule_is_found_by_any_of_its_texts(browser: Browser, picture: None, wait: Wait) -> None:
    browser.find_element(By.NAME, "find").send_keys("tr_far")

    wait(lambda page: visible(page) == {"Far away"})
    assert browser.find_element(By.ID, "picture-status").text.endswith("1")


def test_the_keyboard_goes_along_the_rules_and_moves_the_picture(
    browser: Browser, picture: None, wait: Wait
) -> None:
    browser.find_element(By.LINK_TEXT, "Mermaid").send_keys(Keys.TAB)
    first = browser.switch_to.active_element
    assert first.get_attribute("data-id"), first.get_attribute("outerHTML")
    before = browser.find_element(By.CSS_SELECTOR, "#picture svg").get_dom_attribute("viewBox")
    press(browser, Keys.ARROW_RIGHT)
    wait(
        lambda page: page.find_element(By.CSS_SELECTOR, "#picture svg").get_dom_attribute("viewBox") != before
    )
    press(browser, Keys.ENTER)
    wait(lambda page: page.find_elements(By.CSS_SELECTOR, "#picture .node.selected"))
    press(browser, Keys.ENTER)
    wait(lambda page: "#node-" in page.current_url)


def test_a_rule_that_gets_the_focus_comes_into_a_low_window(browser: Browser, picture: None) -> None:
    browser.set_window_size(800, 600)
    browser.execute_script(ABOVE)
    for _ in range(5):
        press(browser, Keys.TAB)
        assert "node" in (browser.switch_to.active_element.get_attribute("class") or "")
        assert browser.execute_script(HIDES) == ""


@pytest.mark.parametrize(
    ("button", "kind", "begins"), [("svg", "image/svg+xml", "<svg"), ("png", "image/png", "\ufffdPNG")]
)
def test_the_picture_is_saved_as_a_file(
    browser: Browser, picture: None, button: str, kind: str, begins: str
) -> None:
    browser.set_script_timeout(10)
    saved, text = browser.execute_async_script(SAVED, button)

    assert saved == kind and text.startswith(begins)


def large(rules: int) -> str:
    """Return a flow of areas with twenty rules each, every rule followed by the next one."""
    areas = range(rules // 20)
    attributes = ", ".join(f"('step{area}', 'integer')" for area in areas)
    values = ", ".join(
        f"('g_{area}_{n}', 'tr_{area}_{n}', 'c_{area}_{n}', 'step{area} = {n}', '{{step{area}}}',"
        f" 'Rule {area}-{n}')"
        for area in areas
        for n in range(20)
    )
    return (
        f"insert into wed_attr (aname, type) values {attributes};"
        f"insert into wed_trig (tgname, trname, cname, cpred, writes, label) values {values};"
    )


def rows(browser: Browser, css: str) -> int:
    """Return in how many rows the nodes stand."""
    return len({round(each.rect["y"]) for each in browser.find_elements(By.CSS_SELECTOR, f"#picture {css}")})


def test_three_hundred_rules_are_shown_in_groups_that_open(
    browser: Browser,
    loaded: Callable[[str], str],
    connect: Callable[..., psycopg.Connection[Any]],
    login: Login,
    wait: Wait,
) -> None:
    row = connect().execute("select id from wedsql.flow where name = %s", [loaded(large(300))]).fetchone()
    assert row is not None
    login("alice", f"/admin/flows/flow/{row[0]}/picture/")
    wait(lambda page: len(page.find_elements(By.CSS_SELECTOR, "#picture .kind-group")) == 15)
    assert browser.find_elements(By.CSS_SELECTOR, "#picture .kind-rule") == []
    assert rows(browser, ".kind-group") <= 8  # no edge connects them

    browser.find_element(By.CSS_SELECTOR, '#picture [aria-label^="step7 "]').click()
    wait(lambda page: len(page.find_elements(By.CSS_SELECTOR, "#picture .kind-rule")) == 20)
    assert rows(browser, ".kind-rule") <= 8
    press(browser, Keys.ENTER)  # the focus is on the title of the open group
    wait(lambda page: len(page.find_elements(By.CSS_SELECTOR, "#picture .kind-rule")) == 0)

    find = browser.find_element(By.NAME, "find")
    find.send_keys("tr_3_4", Keys.ENTER)
    wait(lambda page: "selected" in (node(page, "Rule 3-4").get_attribute("class") or ""))
    assert "step3 = 4" in browser.find_element(By.ID, "picture-chosen").text
    browser.get(browser.current_url)
    wait(lambda page: "selected" in (node(page, "Rule 3-4").get_attribute("class") or ""))


def test_the_live_picture_follows_each_commit(
    browser: Browser,
    loaded: Callable[[str], str],
    connect: Callable[..., psycopg.Connection[Any]],
    login: Login,
    wait: Wait,
) -> None:
    flow = loaded(FLOW)
    login("alice", f"/flows/{flow}/picture/")
    wait(lambda page: "0 waiting" in (node(page, "Pack").get_attribute("aria-label") or ""))
    assert node(browser, "Pack").get_attribute("data-wait") == "0"

    connect().execute("select wedsql.start(%s, %s)", [flow, json.dumps({"a": "x"})])

    wait(lambda page: "holds in 1 · 1 waiting" in (node(page, "Pack").get_attribute("aria-label") or ""))
    assert node(browser, "Pack").get_attribute("data-wait") == "1"
    node(browser, "Pack").click()
    wait(lambda page: "selected" in (node(page, "Pack").get_attribute("class") or ""))
    assert "1 pending" in browser.find_element(By.ID, "picture-chosen").text
    node(browser, "Pack").click()  # the selected one opens its list
    wait(lambda page: "/jobs/?transition=" in page.current_url)
    assert len(browser.find_elements(By.CSS_SELECTOR, "tr[id^=job-]")) == 1
