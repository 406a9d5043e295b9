"""The condition editor in a browser: errors while typing, completion by keyboard, the value that is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from monitor.tests.test_looks import contrast
from tests.browser.conftest import PHONE, Login, Wait
from tests.browser.test_styleguide import colour

Browser = webdriver.Chrome

FLOW = """
insert into wed_attr (aname, type, options, adv, label) values
  ('payment', 'enum', '{open,paid}', 'open', 'Payment');
insert into wed_attr (aname, type, label) values ('stock', 'text', 'Stock'), ('amount', 'integer', 'Amount');
insert into wed_trig (tgname, trname, cname, cpred) values ('g_one', 'tr_one', 'c_one', $$stock is null$$);
insert into wed_trig (cpred, cfinal) values ($$stock is not null$$, true);
"""
EDITOR = ".cm-content"
VENDORED = "return performance.getEntriesByType('resource').some(e => e.name.includes('codemirror'))"


@pytest.fixture
def flow(
    loaded: Callable[[str], str], connect: Callable[..., psycopg.Connection[Any]], login: Login, wait: Wait
) -> str:
    """The form of a flow in the admin, opened as alice, with the sentence of its first condition."""
    name = loaded(FLOW)
    row = connect().execute("select id from wedsql.flow where name = %s", [name]).fetchone()
    assert row is not None
    login("alice", f"/admin/flows/flow/{row[0]}/change/")
    show(wait)
    return name


def show(wait: Wait) -> None:
    """Scroll to the first condition and wait until it has its sentence."""

    def shown(page: Browser) -> Any:
        page.execute_script("document.querySelector('.field-predicate').scrollIntoView({block: 'center'})")
        return sentence(page)

    wait(shown)


def editor(browser: Browser, row: int = 0) -> Any:
    """Return the editor, which takes the place of the text area when that gets the focus."""
    field = browser.find_element(By.NAME, f"triggers-{row}-predicate")
    if field.is_displayed():
        field.click()
        WebDriverWait(browser, 20).until(lambda page: not field.is_displayed())
    return browser.find_element(By.CSS_SELECTOR, f"#triggers-{row} {EDITOR}")


def area(browser: Browser, row: int = 0) -> str:
    return browser.find_element(By.NAME, f"triggers-{row}-predicate").get_property("value")


def sentence(browser: Browser) -> str:
    found = browser.find_elements(By.CSS_SELECTOR, "#triggers-0 .condition-sentence")
    return found[0].text if found else ""


def problem(browser: Browser) -> str:
    return browser.find_element(By.CSS_SELECTOR, "#triggers-0 .condition-problem").text


def press(browser: Browser, *keys: str) -> None:
    ActionChains(browser).send_keys(*keys).perform()


def choose(browser: Browser, *keys: str) -> None:
    """Press keys in the list of completions, which ignores them directly after it has opened."""
    ActionChains(browser).pause(0.3).send_keys(*keys).perform()


def write(browser: Browser, text: str) -> None:
    """Replace the first condition by typing, without what the editor would complete."""
    editor(browser).click()
    ActionChains(browser).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
    press(browser, *((text, Keys.ESCAPE) if text else (Keys.DELETE,)))


def offered(browser: Browser) -> list[str]:
    found = browser.find_elements(By.CSS_SELECTOR, ".cm-tooltip-autocomplete .cm-completionLabel")
    return [each.text for each in found]


def test_keys_that_are_pressed_before_the_editor_is_there_are_kept(
    browser: Browser, flow: str, wait: Wait
) -> None:
    field = browser.find_element(By.NAME, "triggers-0-predicate")
    assert not browser.execute_script(VENDORED) and not browser.find_elements(By.CSS_SELECTOR, EDITOR)
    slow = {"offline": False, "latency": 400, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", slow)
    try:
        field.click()
        ActionChains(browser).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
        press(browser, "amount >  and stock = 'x'", *[Keys.ARROW_LEFT] * len(" and stock = 'x'"))
        assert field.is_displayed(), "the editor came before the keys"
        wait(lambda page: page.find_elements(By.CSS_SELECTOR, f"#triggers-0 {EDITOR}"))
    finally:
        fast = {**slow, "latency": 0}
        browser.execute_cdp_cmd("Network.emulateNetworkConditions", fast)
    assert browser.switch_to.active_element == editor(browser)
    press(browser, "12")
    assert area(browser) == "amount > 12 and stock = 'x'"
    wait(lambda page: sentence(page) == "Amount is greater than 12 and Stock is 'x'")


def test_without_the_editor_the_text_area_says_what_is_wrong(browser: Browser, flow: str, wait: Wait) -> None:
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*codemirror*"]})
    field = browser.find_element(By.NAME, "triggers-0-predicate")
    try:
        field.clear()
        field.send_keys("stok is null")
        wait(lambda page: "Did you mean stock?" in problem(page))
    finally:
        browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    assert field.is_displayed() and field.get_attribute("aria-invalid") == "true"
    described = (field.get_attribute("aria-describedby") or "").split()
    assert any("Did you mean" in browser.find_element(By.ID, each).text for each in described)
    browser.find_element(By.NAME, "triggers-0-timeout").click()
    assert editor(browser).text == "stok is null", "it is fetched again at the next focus"
    assert browser.find_element(By.CSS_SELECTOR, ".cm-problem").text == "stok"


def test_the_condition_is_said_in_a_sentence(browser: Browser, flow: str, wait: Wait) -> None:
    assert sentence(browser) == "Stock is empty"
    write(browser, "amount >= 5")

    wait(lambda page: sentence(page) == "Amount is at least 5")


def test_an_error_is_under_its_characters_while_typing(browser: Browser, flow: str, wait: Wait) -> None:
    write(browser, "amount > 1 and stok is null")

    wait(lambda page: "There is no attribute" in problem(page))
    assert browser.find_element(By.CSS_SELECTOR, ".cm-problem").text == "stok"
    assert "Did you mean stock?" in problem(browser)
    field = editor(browser)
    assert field.get_attribute("aria-invalid") == "true"
    described = (field.get_attribute("aria-describedby") or "").split()
    texts = [browser.find_element(By.ID, each) for each in described]
    assert any("There is no attribute" in each.text for each in texts)
    assert any("as in an SQL WHERE" in each.text for each in texts), "the help text is still read"
    assert field.get_attribute("aria-label") == "Condition"

    press(browser, *[Keys.BACKSPACE] * len("ok is null"), "ock is null")
    wait(lambda page: not page.find_elements(By.CSS_SELECTOR, ".cm-problem") and problem(page) == "")
    assert editor(browser).get_attribute("aria-invalid") == "false"


def test_the_keyboard_completes_attributes_values_and_functions(
    browser: Browser, flow: str, wait: Wait
) -> None:
    write(browser, "")
    press(browser, "pay")
    wait(lambda page: offered(page)[:1] == ["payment"])
    choose(browser, Keys.ENTER)
    press(browser, " = ")
    wait(lambda page: offered(page) == ["'open'", "'paid'"])
    choose(browser, Keys.ARROW_DOWN, Keys.ENTER)
    wait(lambda page: area(page) == "payment = 'paid'")
    press(browser, " and lengt")
    wait(lambda page: "length" in offered(page))
    choose(browser, Keys.ENTER)
    press(browser, "sto")
    wait(lambda page: "stock" in offered(page))
    choose(browser, Keys.ENTER)
    wait(lambda page: area(page) == "payment = 'paid' and length(stock)")


def test_the_list_closes_when_a_whole_word_is_typed(browser: Browser, flow: str, wait: Wait) -> None:
    write(browser, "")
    press(browser, "stock is nul")
    wait(lambda page: "null" in offered(page))
    press(browser, "l")
    wait(lambda page: offered(page) == [])
    press(browser, "i")
    wait(lambda page: offered(page) == ["nullif"])
    press(browser, Keys.BACKSPACE, " and stoc")
    wait(lambda page: offered(page) == ["stock"])
    press(browser, "k")
    wait(lambda page: offered(page) == [])


def test_ctrl_space_offers_and_escape_closes(browser: Browser, flow: str, wait: Wait) -> None:
    write(browser, "")
    ActionChains(browser).key_down(Keys.CONTROL).send_keys(Keys.SPACE).key_up(Keys.CONTROL).perform()

    wait(lambda page: {"payment", "stock", "amount"} <= set(offered(page)))
    press(browser, Keys.ESCAPE)
    wait(lambda page: offered(page) == [])
    assert area(browser) == ""


def test_tab_leaves_the_editor_in_both_directions(browser: Browser, flow: str) -> None:
    editor(browser).click()
    press(browser, Keys.TAB)
    assert browser.switch_to.active_element.get_attribute("name") == "triggers-0-timeout"
    ActionChains(browser).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()
    assert browser.switch_to.active_element == editor(browser)
    ActionChains(browser).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()
    assert browser.switch_to.active_element.get_attribute("name") == "triggers-0-transition"
    assert area(browser) == "stock is null"


def test_what_was_typed_is_saved(
    browser: Browser, flow: str, wait: Wait, connect: Callable[..., psycopg.Connection[Any]]
) -> None:
    write(browser, "payment = 'paid'\nand amount > 3")
    browser.find_element(By.NAME, "_continue").click()

    wait(lambda page: page.find_elements(By.CSS_SELECTOR, ".messagelist .success"))
    saved = connect().execute(f"select cpred from {flow}.wed_trig where trname = %s", ["tr_one"]).fetchone()
    assert saved == ("payment = 'paid'\nand amount > 3",)


def test_a_row_that_is_added_is_an_editor_and_knows_new_attributes(
    browser: Browser, flow: str, wait: Wait
) -> None:
    browser.find_element(By.NAME, "attributes-3-name").send_keys("colour")
    browser.find_element(By.CSS_SELECTOR, "#triggers-group .add-row a").click()

    wait(lambda page: page.find_elements(By.CSS_SELECTOR, "#triggers-3 .condition-editor"))
    editor(browser, 3).click()
    press(browser, "colo")
    wait(lambda page: offered(page)[:1] == ["colour"])
    choose(browser, Keys.ENTER)
    wait(lambda page: area(page, 3) == "colour")
    assert not browser.find_elements(By.CSS_SELECTOR, f".empty-form {EDITOR}")


def test_without_javascript_the_condition_is_a_text_area(
    browser: Browser, flow: str, wait: Wait, connect: Callable[..., psycopg.Connection[Any]]
) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.refresh()
        field = browser.find_element(By.NAME, "triggers-0-predicate")
        assert field.is_displayed() and not browser.find_elements(By.CSS_SELECTOR, EDITOR)
        field.clear()
        field.send_keys("amount = 7")
        browser.find_element(By.NAME, "_continue").click()
        wait(lambda page: page.find_elements(By.CSS_SELECTOR, ".messagelist .success"))
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    saved = connect().execute(f"select cpred from {flow}.wed_trig where trname = %s", ["tr_one"]).fetchone()
    assert saved == ("amount = 7",)


def test_each_colour_is_legible(browser: Browser, flow: str, wait: Wait) -> None:
    write(browser, "amount > 3 and length(stock) = 'x'::text and nothing = true")
    wait(lambda page: page.find_elements(By.CSS_SELECTOR, ".cm-problem"))
    press(browser, " and s")
    wait(offered)
    for theme in ("light", "dark"):
        browser.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
        assert illegible(browser) == {}, theme


def illegible(browser: Browser) -> dict[str, float]:
    """Return the parts of the editor whose colour is too near to that of their ground."""
    parts = "#triggers-0 .cm-line span, #triggers-0 .condition-answer strong, .cm-tooltip li *"
    low = {}
    for element in browser.find_elements(By.CSS_SELECTOR, parts):
        ratio = contrast(colour(element, "color"), colour(element, "backgroundColor"))
        if ratio < 4.5:
            low[element.text] = round(ratio, 2)
    return low


def test_nothing_is_wider_than_a_phone(browser: Browser, flow: str, wait: Wait) -> None:
    browser.set_window_size(*PHONE)
    write(browser, "stock = '" + "x" * 200 + "' and unknown_attribute_of_a_long_name = 1")

    wait(lambda page: problem(page))
    box = browser.find_element(By.CSS_SELECTOR, "#triggers-0 .condition-editor").rect
    assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE[0]
    assert browser.execute_script("return document.documentElement.scrollWidth - window.innerWidth") <= 0
