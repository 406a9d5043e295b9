"""The plot of the overview: it is drawn from its table, names what it draws, and follows the rules of axe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from monitor.tests.conftest import PARCELS, Parcels
from testkit.waiting import until_counted
from tests.browser.axe import against_the_rules
from tests.browser.conftest import Login, Wait

Browser = webdriver.Chrome

# How many colours besides that of the ground the canvas has.
COLOURS = """
const canvas = document.querySelector('#plot canvas');
const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
return new Set(new Uint32Array(data.buffer)).size"""
LEGEND = "#plot .u-legend .u-label"
VALUES = "#plot .u-legend .u-value"


@pytest.fixture
def sent(loaded: Callable[[str], str], connect: Callable[..., psycopg.Connection[Any]]) -> Parcels:
    parcels = Parcels(loaded(PARCELS), connect())
    for _ in range(3):
        parcels.send(parcels.start())
    parcels.make_exception(parcels.start())
    until_counted(parcels.connection)
    return parcels


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_plot_shows_what_its_table_has(
    browser: Browser, sent: Parcels, login: Login, wait: Wait, theme: str
) -> None:
    login("alice", "/")
    browser.add_cookie({"name": "theme", "value": theme})
    browser.refresh()
    wait(lambda page: page.find_elements(By.CSS_SELECTOR, "#plot canvas"))
    table = browser.find_element(By.ID, "trend-table")
    assert table.get_attribute("open") is None  # the plot is there instead; without a script it is open
    names = [each.text.rstrip(":") for each in browser.find_elements(By.CSS_SELECTOR, LEGEND)]
    assert names[1:4] == ["Final", "Started", "Exceptions"], names
    assert browser.execute_script(COLOURS) > 4
    rows = browser.execute_script(
        "return [...document.querySelectorAll('#trend-table tr[data-at]')]"
        ".map(row => [row.dataset.finished, row.dataset.started, row.dataset.exceptions])"
    )
    assert any(int(started) >= 4 for _finished, started, _exceptions in rows), rows
    latest = [each.text for each in browser.find_elements(By.CSS_SELECTOR, VALUES)][1:4]
    assert latest == rows[-1], "without a pointer, the legend has the last values"
    over = browser.find_element(By.CSS_SELECTOR, "#plot .u-over")
    ActionChains(browser).move_to_element_with_offset(over, over.size["width"] // 2 - 2, 0).perform()
    shown = [each.text for each in browser.find_elements(By.CSS_SELECTOR, VALUES)][1:4]
    assert shown in rows, (shown, rows)
    assert against_the_rules(browser) == []
    browser.get("about:blank")
