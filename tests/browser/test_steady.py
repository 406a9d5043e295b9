"""On a live page a press reaches its target, the focus stays, and nothing moves under the pointer."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import psycopg
import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from monitor.tests.conftest import PARCELS, Parcels
from testkit import cases
from tests.browser.conftest import Login, Wait

Browser = webdriver.Chrome
PRESSES = 12 if cases.long() else 2
ORIGIN = (1, 1)
ENOUGH = 20
COUNTED = 300
# Fragile parcels are counted repeatedly and never sent.
COUNTING = """
insert into wed_trig (tgname, trname, cname, cpred)
  values ('g_count', 'tr_count', 'c_count', 'fragile and pieces < 9999');
"""
# Clicks are recorded, and lead nowhere.
COUNT_CLICKS = """
window.clicked = [];
addEventListener('click', (event) => {
  const link = event.target.closest('a');
  if (link) { window.clicked.push(link.getAttribute('href')); event.preventDefault(); }
}, true);
"""
# In each frame: is the same element at the same place under the pointer?
WATCH_PLACE = """
const [x, y] = arguments;
const under = () => document.elementFromPoint(x, y).closest('a, button, tr, li, section, body');
const was = under(), { left, top } = was.getBoundingClientRect();
window.moves = [];
(function look() {
  const now = under(), at = now.getBoundingClientRect();
  if (now !== was) window.moves.push(['other', was.outerHTML.slice(0, 80), now.outerHTML.slice(0, 80)]);
  else if (Math.hypot(at.left - left, at.top - top) > 1) window.moves.push([at.left - left, at.top - top]);
  requestAnimationFrame(look);
})();
window.changes = 0;
new MutationObserver((all) => { window.changes += all.length; })
  .observe(document.getElementById('main'), { childList: true, characterData: true, subtree: true });
"""


@pytest.fixture
def parcels(loaded: Callable[[str], str], connect: Callable[..., psycopg.Connection[Any]]) -> Parcels:
    return Parcels(loaded(PARCELS + COUNTING), connect())


@pytest.fixture
def watching(login: Login, wait: Wait, parcels: Parcels) -> Callable[[str], None]:
    """A function `watching(path)` that opens a page as alice with its live connection."""

    def look(path: str) -> None:
        login("alice", path)
        wait(lambda page: page.find_element(By.ID, "live").get_attribute("data-state") == "live")

    return look


@pytest.fixture
def simulation(
    parcels: Parcels, connect: Callable[..., psycopg.Connection[Any]]
) -> Iterator[Callable[..., threading.Event]]:
    """A function `simulation(*wids)`: instances start, continue, end and get stuck until the test ends.

    These fragile ones and three more are counted, and stop before the firing limit.
    """
    stop, threads, counted = threading.Event(), [], [parcels.start(fragile=True) for _ in range(3)]

    def go_on(parcels: Parcels) -> None:
        for round_ in itertools.count():
            if stop.is_set():
                return
            sent, stuck = parcels.start(customer="Ana"), parcels.start(customer="Rui")
            parcels.send(sent)
            parcels.make_exception(stuck)
            parcels.start_many(2)
            for wid in counted if round_ < COUNTED else ():
                parcels.do("tr_count", wid, pieces=len(parcels.wids) + 100)

    def begin(*more: int) -> threading.Event:
        counted.extend(more)
        threads.append(threading.Thread(target=go_on, args=[Parcels(parcels.flow, connect())]))
        threads[-1].start()
        return stop

    yield begin
    stop.set()
    for thread in threads:
        thread.join()


def press(browser: Browser, element: WebElement, during: Callable[[], Any]) -> None:
    """Press the mouse button on an element, and release it after `during`."""
    ActionChains(browser).click_and_hold(element).perform()
    during()
    ActionChains(browser).release().perform()


def clicks(browser: Browser) -> list[str]:
    return browser.execute_script("return window.clicked")


def shown(browser: Browser, script: str) -> Any:
    return browser.execute_script(f"return {script}")


def test_a_press_reaches_the_row_that_changes_meanwhile(
    browser: Browser, watching: Callable[[str], None], parcels: Parcels, wait: Wait
) -> None:
    wid = parcels.start(customer="Ana", fragile=True)
    watching(f"/flows/{parcels.flow}/")
    browser.execute_script(COUNT_CLICKS)
    for done in range(1, PRESSES + 1):

        def change(done: int = done) -> None:
            parcels.do("tr_count", wid, pieces=100 + done)
            wait(lambda page: str(100 + done) in page.find_element(By.ID, f"wid-{wid}").text)

        press(browser, browser.find_element(By.CSS_SELECTOR, f"#wid-{wid} a"), change)
        assert clicks(browser) == [f"/instances/{wid}/"] * done


@pytest.mark.parametrize(
    ("path", "link", "count"),
    cases.some(
        [
            ("/", "#flow-{id} .pill-R", "#flow-{id} .pill-R b"),
            ("/flows/{f}/", ".chip-R", ".chip-R b"),
            (
                "/flows/{f}/",
                "a[href*='pending&transition=tr_pack']",
                "a[href*='pending&transition=tr_pack'] b",
            ),
        ],
        2,
    ),
)
def test_a_press_reaches_the_number_that_changes_meanwhile(
    path: str,
    link: str,
    count: str,
    browser: Browser,
    watching: Callable[[str], None],
    parcels: Parcels,
    wait: Wait,
) -> None:
    parcels.start_many(2)
    watching(path.format(f=parcels.flow))
    browser.execute_script(COUNT_CLICKS)
    link, count = link.format(id=parcels.flow_id), count.format(id=parcels.flow_id)
    for done in range(1, PRESSES + 1):
        target = browser.find_element(By.CSS_SELECTOR, link)
        href = target.get_dom_attribute("href")

        def change(done: int = done) -> None:
            parcels.start()
            wait(lambda page: page.find_element(By.CSS_SELECTOR, count).text == str(2 + done))

        press(browser, target, change)
        assert clicks(browser) == [href] * done


def test_no_click_is_lost_under_a_running_simulation(
    browser: Browser,
    watching: Callable[[str], None],
    parcels: Parcels,
    simulation: Callable[..., threading.Event],
) -> None:
    parcels.start_many(8)
    watching(f"/flows/{parcels.flow}/")
    browser.execute_script(COUNT_CLICKS)
    simulation()
    held_on = list(product((0.1, 0.5), ("#rows a", ".chip")))
    for done, (held, kind) in enumerate(held_on * (PRESSES // 2), 1):
        links = browser.find_elements(By.CSS_SELECTOR, kind)
        press(browser, links[done % len(links)], partial(threading.Event().wait, held))
        assert len(clicks(browser)) == done


@pytest.mark.parametrize(
    ("path", "over"),
    [
        ("/", "#flow-{id} .pill-R"),
        ("/flows/{f}/", "#wid-{w} a"),
        ("/flows/{f}/", ".chip-F"),
        ("/instances/{w}/", "#step-1"),
    ],
)
def test_nothing_moves_under_the_pointer_while_the_page_lives(
    path: str,
    over: str,
    browser: Browser,
    watching: Callable[[str], None],
    parcels: Parcels,
    simulation: Callable[..., threading.Event],
    wait: Wait,
) -> None:
    wid = parcels.start(customer="Ana", fragile=True)
    watching(path.format(f=parcels.flow, w=wid))
    target = browser.find_element(By.CSS_SELECTOR, over.format(id=parcels.flow_id, w=wid))
    ActionChains(browser).move_to_element(target).perform()
    at = browser.execute_script(
        "const at = arguments[0].getBoundingClientRect();"
        "return [at.left + at.width / 2, at.top + at.height / 2].map(Math.floor)",
        target,
    )
    browser.execute_script(WATCH_PLACE, *at)
    simulation(wid)
    wait(lambda page: shown(page, "window.changes") > ENOUGH, 60)
    assert shown(browser, "window.moves.slice(0, 3)") == []


@pytest.mark.parametrize(
    ("path", "over"),
    cases.some(
        [
            ("/", "#flow-{id} .pill-E"),
            ("/flows/{f}/", "#wid-{w} a"),
            ("/flows/{f}/", "a[href*='state=pending&transition=tr_send']"),
        ],
        2,
    ),
)
def test_the_focus_stays_on_its_link(
    path: str,
    over: str,
    browser: Browser,
    watching: Callable[[str], None],
    parcels: Parcels,
    simulation: Callable[..., threading.Event],
    wait: Wait,
) -> None:
    wid = parcels.start(customer="Ana")
    stuck = parcels.start()
    parcels.make_exception(stuck)
    packed = parcels.start()
    parcels.do("tr_label", packed, extra={})
    parcels.do("tr_pack", packed, stage="packed")
    watching(path.format(f=parcels.flow))
    target = browser.find_element(By.CSS_SELECTOR, over.format(id=parcels.flow_id, w=wid))
    browser.execute_script("arguments[0].focus(); window.mine = arguments[0]", target)
    href = target.get_dom_attribute("href")
    at = target.rect
    browser.execute_script(WATCH_PLACE, *ORIGIN)
    simulation()
    wait(lambda page: shown(page, "window.changes") > ENOUGH, 60)
    assert shown(browser, "document.activeElement === window.mine && window.mine.isConnected")
    assert target.get_dom_attribute("href") == href
    # Layout works in 64ths of a pixel, and rounds them with the width of an adjacent number.
    assert max(abs(target.rect[side] - at[side]) for side in ("x", "y")) < 0.5


def test_what_is_held_back_is_counted_and_comes_when_the_pointer_leaves(
    browser: Browser, watching: Callable[[str], None], parcels: Parcels, wait: Wait
) -> None:
    wid = parcels.start(customer="Ana")
    watching(f"/instances/{wid}/")
    held = browser.find_element(By.ID, "held")
    ActionChains(browser).move_to_element(
        browser.find_element(By.CSS_SELECTOR, "[data-part=jobs] li")
    ).perform()
    parcels.send(wid)
    wait(lambda page: held.is_displayed())
    assert browser.find_elements(By.CSS_SELECTOR, "[data-part=jobs] li")
    ActionChains(browser).move_to_element(browser.find_element(By.CSS_SELECTOR, ".foot span")).perform()
    wait(lambda page: not held.is_displayed())
    jobs = browser.find_element(By.CSS_SELECTOR, "[data-part=jobs]")
    wait(lambda page: "Nothing is pending" in jobs.text)


@pytest.mark.parametrize("path", ["/workers/", "/flows/{f}/jobs/", "/health/"])
def test_a_page_that_is_asked_for_again_says_when_it_is_stale(
    path: str, browser: Browser, watching: Callable[[str], None], parcels: Parcels, wait: Wait
) -> None:
    def away(offline: bool) -> None:
        conditions = {"offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        browser.execute_cdp_cmd("Network.enable", {})
        browser.execute_cdp_cmd("Network.emulateNetworkConditions", conditions)

    watching(path.format(f=parcels.flow))
    mark = browser.find_element(By.ID, "live")
    away(True)
    try:
        wait(lambda page: mark.get_attribute("data-state") == "stale" and "stale since" in mark.text)
    finally:
        away(False)
    wait(lambda page: mark.get_attribute("data-state") == "live")
    browser.get_log("browser")  # the console reports the network error
