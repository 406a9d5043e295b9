"""The style page in a real browser: both themes, at a desk and on a phone.

WEDSQL_PICTURES=DIRECTORY keeps the screenshots, for a comparison with those of another version.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from monitor.tests.test_looks import contrast
from testkit.web import WebServer
from tests.browser.conftest import DESK, PHONE

SAMPLES = (
    "h1",
    "p",
    ".dim",
    ".bad",
    ".warn",
    "code",
    ".chip",
    ".tag",
    ".pill",
    ".note",
    ".attr",
    "del",
    "ins",
    "a",
)


def picture(browser: webdriver.Chrome, directory: Path, name: str) -> Path:
    """Save a screenshot of the whole page."""
    height = browser.execute_script("return document.documentElement.scrollHeight")
    browser.set_window_size(browser.get_window_size()["width"], min(height + 200, 12_000))
    path = Path(os.environ.get("WEDSQL_PICTURES", directory)) / f"styleguide-{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    assert browser.save_screenshot(str(path))
    return path


@pytest.mark.parametrize(("name", "size"), [("desk", DESK), ("phone", PHONE)])
def test_nothing_is_wider_than_the_screen(
    name: str, size: tuple[int, int], browser: webdriver.Chrome, server: WebServer, tmp_path: Path
) -> None:
    browser.set_window_size(*size)
    browser.get(f"{server.url}styleguide/")
    width = browser.execute_script("return document.documentElement.scrollWidth - window.innerWidth")

    assert width <= 0
    assert picture(browser, tmp_path, name).stat().st_size > 10_000


def colour(element: WebElement, of: str) -> str:
    """Return a colour of the element as #rrggbb, through a canvas: the browser's notation varies."""
    script = """
        let [element, of] = arguments, found;
        do { found = getComputedStyle(element)[of]; element = element.parentElement; }
        while (element && found === "rgba(0, 0, 0, 0)");
        const pen = new OffscreenCanvas(1, 1).getContext("2d");
        pen.fillStyle = found; pen.fillRect(0, 0, 1, 1);
        return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
    """
    parts = element.parent.execute_script(script, element, of)
    return "#" + "".join(f"{part:02x}" for part in parts)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_sample_is_legible(theme: str, browser: webdriver.Chrome, server: WebServer) -> None:
    browser.get(f"{server.url}styleguide/")
    sheet = browser.find_element(By.CSS_SELECTOR, f'.sheet[data-theme="{theme}"]')
    low = {}
    for selector in SAMPLES:
        for element in sheet.find_elements(By.CSS_SELECTOR, selector):
            ratio = contrast(colour(element, "color"), colour(element, "backgroundColor"))
            if ratio < 4.5:
                low[element.get_attribute("outerHTML")] = round(ratio, 2)

    assert low == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_button_is_legible_below_the_pointer(
    theme: str, browser: webdriver.Chrome, server: WebServer
) -> None:
    browser.get(f"{server.url}styleguide/")
    sheet = browser.find_element(By.CSS_SELECTOR, f'.sheet[data-theme="{theme}"]')
    low, buttons = {}, sheet.find_elements(By.CSS_SELECTOR, "button:enabled, a.button")
    for element in (one for one in buttons if one.is_displayed()):
        browser.execute_script("arguments[0].scrollIntoView({ block: 'center' })", element)
        ActionChains(browser).move_to_element(element).perform()
        ratio = contrast(colour(element, "color"), colour(element, "backgroundColor"))
        if ratio < 4.5:
            low[element.get_attribute("outerHTML")] = round(ratio, 2)

    assert buttons and low == {}
