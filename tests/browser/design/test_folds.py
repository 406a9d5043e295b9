"""What a page is opened for is on its first screen, and pictures move nothing when they are drawn."""

from __future__ import annotations

import re

from selenium import webdriver

from tests.browser.conftest import Sized, Wait
from tests.browser.every_page import addresses as addresses  # a fixture
from tests.browser.test_docs_pictures import BASE

SIZES = (1440, 900), (390, 844)
# The element for which a page is opened, as docs/monitoring.md lists it.
FIRST = {
    "/": "main tbody tr", "/flows/{f}/": "#rows tr", "/flows/{f}/jobs/": "main tbody tr",
    "/flows/{f}/picture/": "#picture", "/flows/{f}/analysis/?window=hour": ".tiles",
    "/errors/": "tbody tr", "/errors/{error}/": "tbody tr",
    "/instances/{w}/": "main a[href$='/repair/']", "/instances/{w}/why/": ".reasons li",
    "/cases/": "main tbody tr", "/tasks/?show=team": "main tbody tr", "/search/?q=a": "main li a",
    "/people/": "main tbody tr", "/health/": "main tbody tr", "/admin/": "main li a",
    "/admin/flows/flow/{id}/design/": "main :is(.note, tbody tr)",
    "/admin/flows/flow/{id}/checks/": "main :is(.note, tbody tr)",
    "/admin/flows/flow/{id}/publish/": "#changes-title + *",
}  # fmt: skip
TOP = "return document.querySelector(arguments[0])?.getBoundingClientRect().top ?? null"
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
    for page, element in FIRST.items():
        browser.get(addresses[page])
        for size in SIZES:
            sized(size)
            top = browser.execute_script(TOP, element)
            if top is None or top >= size[1] - 24:
                below[page, size] = top
    assert below == {}


def test_the_list_of_first_screens_in_the_documentation_is_this_one() -> None:
    part = (BASE / "docs/monitoring.md").read_text().partition("### The first screen")[2].partition("\n#")[0]
    assert re.findall(r"^\| `([^`]+)` \|", part, re.MULTILINE) == list(FIRST)


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
