"""What a page is opened for is on its first screen, and pictures move nothing when they are drawn."""

from __future__ import annotations

from selenium import webdriver

from tests.browser.conftest import Sized, Wait
from tests.browser.every_page import addresses as addresses  # a fixture

SIZES = (1440, 900), (390, 844)
# The element for which a page is opened.
FIRST = {"/flows/{f}/": "#rows tr", "/errors/": "tbody tr", "/errors/{error}/": "tbody tr"}
TOP = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
SHIFTS = """
const done = arguments[0];
let sum = 0;
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) if (!each.hadRecentInput) sum += each.value;
}).observe({ type: "layout-shift", buffered: true });
setTimeout(() => done(sum), 1000);
"""


def test_what_a_page_is_opened_for_is_on_its_first_screen(
    browser: webdriver.Chrome, addresses: dict[str, str], sized: Sized
) -> None:
    below = {}
    for size in SIZES:
        sized(size)
        for page, element in FIRST.items():
            browser.get(addresses[page])
            top = browser.execute_script(TOP, element)
            if top >= size[1] - 24:
                below[page, size] = top
    assert below == {}


def test_a_picture_moves_nothing_when_it_is_drawn(
    browser: webdriver.Chrome, addresses: dict[str, str], sized: Sized, wait: Wait
) -> None:
    moved = []
    for size in SIZES:
        sized(size)
        browser.get(addresses["/flows/{f}/picture/"])
        wait(lambda page: page.find_elements("css selector", "#picture svg .box"))
        moved.append(browser.execute_async_script(SHIFTS))
    assert max(moved) <= 0.05, moved
