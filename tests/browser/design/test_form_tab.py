"""The tab Forms in a browser: arranged by keys alone and by mouse, seen at two widths, accessible."""

from __future__ import annotations

from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from flows import api
from testkit.cases import pairs
from tests.browser.axe import against_the_rules, axe
from tests.browser.conftest import PHONE, Login, Sized, Wait
from tests.browser.work.test_task_form import DEFINITION

__all__ = ["axe"]
Browser = webdriver.Chrome


@pytest.fixture
def tab(flow: str, connect: Any, login: Login) -> Any:
    """The tab of a flow whose task has a form with five fields."""
    conn = connect()
    api.flows.publish(flow, DEFINITION, conn=conn)
    number = conn.execute("select id from wedsql.flow where name = %s", [flow]).fetchone()[0]
    address = f"/admin/flows/flow/{number}/design/forms/"
    login("alice", address)
    return address


def order(browser: Browser) -> list[str]:
    found = browser.find_elements(By.CSS_SELECTOR, ".form-parts li[data-part] a")
    return [each.text for each in found]


def looks(browser: Browser, kind: str, name: str) -> dict[str, float]:
    return browser.find_element(By.CSS_SELECTOR, f".form-looks .{kind} [data-attribute={name}]").rect


def focused(browser: Browser) -> str:
    return browser.execute_script("return document.activeElement.id")


def open_part(browser: Browser, wait: Wait, text: str) -> None:
    browser.find_element(By.LINK_TEXT, text).send_keys(Keys.ENTER)
    wait(lambda page: page.find_element(By.ID, "panel-title").text == text)


def test_both_widths_show_the_form_and_follow_what_is_typed(browser: Browser, wait: Wait, tab: str) -> None:
    wide, narrow = (
        [looks(browser, kind, name)["y"] for name in ("cost", "kind")] for kind in ("desktop", "phone")
    )
    assert wide[0] == wide[1] and narrow[0] < narrow[1]
    open_part(browser, wait, "Cost")
    browser.find_element(By.NAME, "label").send_keys("Amount due")
    for kind in ("desktop", "phone"):
        wait(lambda page, kind=kind: "Amount due" in page.find_element(By.CSS_SELECTOR, f".{kind}").text)
    Select(browser.find_element(By.NAME, "width")).select_by_value("")
    wait(lambda page: looks(page, "desktop", "cost")["y"] < looks(page, "desktop", "kind")["y"])


def test_a_form_is_arranged_by_keys_alone(browser: Browser, wait: Wait, tab: str) -> None:
    browser.find_element(By.ID, "part-0.0").send_keys(Keys.ENTER)
    wait(lambda page: page.find_elements(By.NAME, "label"))
    label = browser.find_element(By.NAME, "label")
    label.send_keys("Amount", Keys.ENTER)  # as Save
    wait(lambda page: order(page)[0] == "Amount")
    browser.find_element(By.ID, "part-0.0").send_keys(Keys.ALT, Keys.ARROW_DOWN)
    wait(lambda page: order(page)[:2] == ["Kind", "Amount"])
    wait(lambda page: focused(page) == "part-0.1")
    browser.find_element(By.ID, "part-0.1").send_keys(Keys.ALT, Keys.ARROW_UP)
    wait(lambda page: order(page)[:2] == ["Amount", "Kind"])
    browser.find_element(By.CSS_SELECTOR, ".draft-bar button[value=undo]").send_keys(Keys.ENTER)
    wait(lambda page: order(page)[:2] == ["Kind", "Amount"])


def test_opening_another_field_saves_what_was_typed(browser: Browser, wait: Wait, tab: str) -> None:
    open_part(browser, wait, "Reason")
    browser.find_element(By.NAME, "unit").send_keys("words")
    open_part(browser, wait, "Cost")
    open_part(browser, wait, "Reason")
    assert browser.find_element(By.NAME, "unit").get_property("value") == "words"


def test_only_what_belongs_to_the_kind_is_asked_for(browser: Browser, wait: Wait, tab: str) -> None:
    open_part(browser, wait, "Parts")
    assert browser.find_element(By.NAME, "column-0-name").is_displayed()
    assert not browser.find_element(By.NAME, "accept").is_displayed()
    Select(browser.find_element(By.NAME, "kind")).select_by_value("file")
    assert browser.find_element(By.NAME, "accept").is_displayed()
    assert not browser.find_element(By.NAME, "column-0-name").is_displayed()
    open_part(browser, wait, "Model")
    area = browser.find_element(By.NAME, "shown_when")
    browser.execute_script("arguments[0].scrollIntoView()", area)
    wait(lambda page: page.find_elements(By.CSS_SELECTOR, ".by-condition .condition-editor"))
    condition = browser.find_element(By.CSS_SELECTOR, ".by-condition .condition-editor")
    assert condition.is_displayed()
    Select(browser.find_element(By.NAME, "shown_when")).select_by_value("")
    assert not condition.is_displayed()


def test_a_field_is_dragged_into_another_section(browser: Browser, wait: Wait, tab: str) -> None:
    browser.find_element(By.CSS_SELECTOR, "button[value=section]").click()
    wait(lambda page: page.find_elements(By.ID, "part-1"))
    from_, to = (browser.find_element(By.CSS_SELECTOR, f"[data-part='{part}']") for part in ("0.2", "1"))
    ActionChains(browser).drag_and_drop(from_, to).perform()
    wait(lambda page: page.find_elements(By.ID, "part-1.0"))
    assert browser.find_element(By.ID, "part-1.0").text == "Reason"


@pytest.mark.parametrize("phone, dark", pairs([False, True], [False, True], 2))
def test_the_tab_is_accessible_and_fits_its_page(
    browser: Browser, wait: Wait, tab: str, sized: Sized, phone: bool, dark: bool
) -> None:
    if phone:
        sized(PHONE)
    theme = f"document.documentElement.dataset.theme = '{'dark' if dark else 'light'}'"
    for part in ("", "Parts", "Cost"):
        if part:
            open_part(browser, wait, part)
        browser.execute_script(theme)
        wide = browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
        assert wide and against_the_rules(browser) == []
