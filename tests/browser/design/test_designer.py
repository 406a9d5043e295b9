"""The page of a flow in the admin: it fits a small desktop and a phone, and is usable by keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from monitor.tests.test_looks import contrast
from tests.browser.conftest import DESK, Login

Browser = webdriver.Chrome
NARROW, HALF = (360, 740), (1024, 768)

DESIGN = """
insert into wed_attr (aname, label, description) values ('customer', 'Customer', 'who ordered it');
insert into wed_attr (aname, type, options, adv) values ('size', 'enum', '{small,medium,large}', 'small');
insert into wed_trig (trname, cpred) values ('tr_pack', $$customer is not null and size = 'small'$$);
insert into wed_trig (cpred, cfinal) values ($$size = 'large'$$, true);
"""
# The controls outside the window that can be focused or clicked.
OUTSIDE = """
const width = document.documentElement.clientWidth;
return [...document.querySelectorAll('#flow_form :is(input, select, textarea, a, button)')]
  .filter(e => e.getClientRects().length && e.type !== 'hidden')
  .filter(e => { const at = e.getBoundingClientRect(); return at.left < 0 || at.right > width; })
  .map(e => e.name || e.id || e.textContent)"""
# The elements that scroll sideways or show a scroll bar for it, including the page itself.
SIDEWAYS = """
const root = document.documentElement;
return [root, ...document.querySelectorAll('#flow_form *')].filter(e => {
  const { overflowX, display } = getComputedStyle(e);
  const wide = e.scrollWidth > e.clientWidth && !e.matches('textarea');
  return overflowX === 'scroll' && display === 'block' || wide && (e === root || overflowX === 'auto');
}).map(e => e.id || e.className || e.tagName)"""
# The colours of the labels in the lines, each with its background.
COLOURS = """
const behind = e => {
  const colour = getComputedStyle(e).backgroundColor;
  return colour === 'rgba(0, 0, 0, 0)' ? behind(e.parentElement) : colour;
};
return [...document.querySelectorAll('#attributes-group .wed-cell')]
  .filter(e => e.getClientRects().length)
  .map(e => [getComputedStyle(e).color, behind(e)])"""


@pytest.fixture
def design(
    loaded: Callable[[str], str], connect: Callable[..., psycopg.Connection[Any]], login: Login
) -> str:
    """The path of the flow's page, opened as alice."""
    row = connect().execute("select id from wedsql.flow where name = %s", [loaded(DESIGN)]).fetchone()
    path = f"/admin/flows/flow/{row[0]}/change/" if row else ""
    login("alice", path)
    return path


def sized(browser: Browser, width: int, height: int) -> None:
    """Show the page at exactly this size, which the window manager may not allow for a window."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
    )


def as_hex(colour: str) -> str:
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", colour)[:3])


def at(browser: Browser, field: str) -> Any:
    return browser.find_element(By.NAME, field)


@pytest.mark.parametrize("size", [DESK, HALF, NARROW])
def test_nothing_of_the_page_lies_beside_the_window(
    browser: Browser, design: str, size: tuple[int, int]
) -> None:
    sized(browser, *size)
    try:
        if size == DESK:
            assert browser.find_element(By.CSS_SELECTOR, ".main-nav a").is_displayed()
        assert browser.execute_script(OUTSIDE) == []
        assert browser.execute_script(SIDEWAYS) == []
        for field in ("name", "type", "default", "options", "position", "label", "description", "DELETE"):
            assert at(browser, f"attributes-0-{field}").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_each_field_shows_its_label_and_can_be_read(
    browser: Browser, design: str, scheme: str
) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    sized(browser, *NARROW)
    try:
        label = browser.find_element(By.CSS_SELECTOR, "label[for='id_attributes-1-options']")
        assert label.size["width"] > 40 and label.text == "Options:"
        assert at(browser, "attributes-1-name").size["width"] > 250
        colours = browser.execute_script(COLOURS)
        assert len(colours) > 15
        assert min(contrast(as_hex(ink), as_hex(paper)) for ink, paper in colours) >= 4.5
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_the_keyboard_goes_along_the_line_and_a_new_line_is_labelled(browser: Browser, design: str) -> None:
    at(browser, "attributes-0-name").click()
    went = []
    for _ in range(13):
        ActionChains(browser).send_keys(Keys.TAB).perform()
        went.append(browser.execute_script("return document.activeElement.name"))
    line = ["type", "default", "options", "option_labels", "position", "business_key", "start_source"]
    line += ["repairable", "visibility", "label", "description", "DELETE"]
    assert went == [*(f"attributes-0-{field}" for field in line), "attributes-1-name"]

    browser.find_element(By.CSS_SELECTOR, "#attributes-group .add-row a").send_keys(Keys.ENTER)
    label = browser.find_element(By.CSS_SELECTOR, "label[for='id_attributes-3-name']")
    browser.execute_script("arguments[0].click()", label)
    assert browser.execute_script("return document.activeElement.name") == "attributes-3-name"
