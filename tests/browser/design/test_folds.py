"""What a page is opened for is on its first screen, and pictures move nothing when they are drawn."""

from __future__ import annotations

import pytest
from selenium import webdriver

from tests.browser.conftest import Sized, Wait
from tests.browser.every_page import addresses as addresses  # a fixture

DESK, PHONE = (1440, 900), (390, 844)
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


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("page", FIRST)
def test_what_a_page_is_opened_for_is_on_its_first_screen(
    browser: webdriver.Chrome, addresses: dict[str, str], sized: Sized, page: str, size: tuple[int, int]
) -> None:
    sized(size)
    browser.get(addresses[page])
    assert browser.execute_script(TOP, FIRST[page]) < size[1] - 24


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_a_picture_moves_nothing_when_it_is_drawn(
    browser: webdriver.Chrome, addresses: dict[str, str], sized: Sized, wait: Wait, size: tuple[int, int]
) -> None:
    sized(size)
    browser.get(addresses["/flows/{f}/picture/"])
    wait(lambda page: page.find_elements("css selector", "#picture svg .box"))
    assert browser.execute_async_script(SHIFTS) <= 0.05
