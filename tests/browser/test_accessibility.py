"""Every page for people with a screen reader, a keyboard or a magnifier: the rules of axe-core, and Tab."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psycopg
from selenium import webdriver
from selenium.webdriver.common.by import By

from monitor.tests.conftest import Parcels
from testkit.cases import long, pairs, some
from testkit.web import WebServer
from tests.browser import axe as rules
from tests.browser.axe import axe
from tests.browser.conftest import Login, Sized, Wait
from tests.browser.every_page import OWN, STOCK, addresses, open_drafts
from tests.browser.settled import settle
from tests.browser.tabbing import wrong_with_focus

__all__ = ["addresses", "axe"]
Browser = webdriver.Chrome

# 1280 pixels at a zoom of 400 % are 320; so are those of a small phone.
SMALL, HALF, LOW, DESK = (320, 256), (1024, 768), (800, 600), (1440, 900)
CHECKOUT = Path(__file__).parents[2]
READS_WIDTH = re.compile(r"innerWidth [<>]|matchMedia\(.\((min|max)-width")
# The scripts that arrange a page for the width that the window has when it is opened.
ARRANGING = [
    script.relative_to(script.parents[2]).as_posix()
    for script in CHECKOUT.glob("*/static/*/**/*.js")
    if "vendor" not in script.parts and READS_WIDTH.search(script.read_text())
]
ARRANGED = """
return performance.getEntriesByType('resource')
  .some(({ name }) => arguments[0].some(end => name.endsWith(end)))"""


def listed(found: dict[str, list[str]]) -> str:
    """Return what was found, a line each: pytest cuts long values."""
    return "\n".join(f"{path}: {each}" for path, all_of_it in found.items() for each in all_of_it)


def show(browser: Browser, size: tuple[int, int], sized: Sized) -> None:
    """Show the open page at this size as if it had been opened so."""
    sized(size)
    if browser.execute_script(ARRANGED, ARRANGING):
        browser.refresh()
        settle(browser)


def wrong_at_this_size(browser: Browser, path: str, themes: Sequence[str]) -> list[str]:
    """Return what is wrong with the page in these themes."""
    rules.choose(browser, themes[0])
    found = [*browser.execute_script(rules.WIDE), *browser.execute_script(rules.SHOWN_THOUGH_HIDDEN)]
    found += rules.against_the_rules(browser, rules.LAW if path in STOCK else rules.ALL)
    for other in themes[1:]:
        found += rules.moved_by_theme(browser, (themes[0], other))
        found += [f"{other}: {each}" for each in rules.against_the_rules_of_colours(browser)]
    return found


def test_every_page_follows_the_rules_of_accessibility(
    browser: Browser, axe: None, addresses: dict[str, str], sized: Sized
) -> None:
    """The rules, and the way by Tab over our own pages, on which the focus is marked and not covered.

    In short runs half of the pages are examined on a desk and the other half on a phone; of each half, every
    second page in both themes, and the others in one of them, on the desk by Tab too.
    """
    found: dict[str, list[str]] = {}
    for number, (path, size) in enumerate(pairs(addresses, (DESK, SMALL), 2)):
        sized(size)
        browser.get(addresses[path])
        settle(browser)
        both = long() or number % 4 < 2
        themes = rules.THEMES if both else some(rules.THEMES, 2, first=number // 4)
        found[f"{path} at {size[0]}"] = wrong_at_this_size(browser, path, themes)
        if path in OWN and size == DESK and (long() or not both):
            show(browser, LOW, sized)
            found[f"{path} by Tab"] = wrong_with_focus(browser)
    browser.get_log("browser")  # a page that does not exist is an error there
    assert not any(found.values()), listed(found)


def test_a_trial_that_runs_follows_the_rules_of_accessibility(
    browser: Browser,
    loaded: Callable[[str], str],
    connect: Callable[..., psycopg.Connection[Any]],
    server: WebServer,
    login: Login,
    sized: Sized,
    wait: Wait,
) -> None:
    orders = Parcels(loaded("orders"), connect())
    open_drafts(orders, f"{orders.flow}_new")
    sized(HALF)
    login("alice", f"/admin/flows/flow/new/{orders.flow}_new/try/")
    browser.find_element(By.CSS_SELECTOR, ".trial-state button.primary").click()
    wait(lambda page: page.find_elements(By.CSS_SELECTOR, ".rule.holds"))
    assert rules.against_the_rules(browser) == []
