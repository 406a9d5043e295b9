"""The live pages in a real browser: a commit appears without a reload and without disturbing the reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from monitor.tests.conftest import PARCELS, Parcels
from testkit.web import WebServer
from tests.browser.conftest import DESK, Login

Wait = Callable[..., Any]
Browser = webdriver.Chrome
NARROW = (360, 740)


@pytest.fixture
def parcels(loaded: Callable[[str], str], connect: Callable[..., psycopg.Connection[Any]]) -> Parcels:
    return Parcels(loaded(PARCELS), connect())


@pytest.fixture
def watching(browser: Browser, login: Login, wait: Wait, parcels: Parcels) -> Iterator[Callable[[str], None]]:
    """A function `watching(path)` that opens a page as alice with its live connection.

    The page is left before the flow is dropped.
    """

    def look(path: str) -> None:
        login("alice", path)
        wait(lambda page: state(page) == "live")
        browser.execute_script("window.sameDocument = true")

    yield look
    browser.get("about:blank")


def state(page: Browser) -> str | None:
    return page.find_element(By.ID, "live").get_attribute("data-state")


def steps(page: Browser) -> list[str]:
    # In one call: elements queried one by one may belong to a page that is being left.
    return page.execute_script("return [...document.querySelectorAll('#rows tr')].map(row => row.id)")


def not_reloaded(page: Browser) -> bool:
    return bool(page.execute_script("return window.sameDocument === true"))


def test_a_step_appears_when_it_commits(
    browser: Browser, watching: Callable[[str], None], parcels: Parcels, wait: Wait
) -> None:
    wid = parcels.start(customer="Ana")
    watching(f"/instances/{wid}/")
    assert steps(browser) == ["step-1"]
    parcels.send(wid)
    wait(lambda page: steps(page) == ["step-4", "step-3", "step-2", "step-1"])
    wait(lambda page: "Final" in page.find_element(By.TAG_NAME, "h1").text)
    assert "sent" in browser.find_element(By.ID, "attr-stage").text
    assert "Nothing is pending" in browser.find_element(By.CSS_SELECTOR, "[data-part=jobs]").text
    assert not_reloaded(browser)


def test_oldest_first_grows_at_its_end(
    browser: Browser, watching: Callable[[str], None], parcels: Parcels, wait: Wait
) -> None:
    wid = parcels.start()
    watching(f"/instances/{wid}/?order=oldest")
    parcels.do("tr_pack", wid, stage="packed")
    wait(lambda page: steps(page) == ["step-1", "step-2"])
    assert not_reloaded(browser)


def test_nothing_moves_under_the_pointer(
    browser: Browser, watching: Callable[[str], None], parcels: Parcels, wait: Wait
) -> None:
    wid = parcels.start()
    watching(f"/instances/{wid}/")
    ActionChains(browser).move_to_element(browser.find_element(By.ID, "step-1")).perform()
    parcels.do("tr_pack", wid, stage="packed")
    button = browser.find_element(By.ID, "new")
    wait(lambda page: button.is_displayed())
    assert button.text.startswith("+1") and steps(browser) == ["step-1"]
    button.click()
    wait(lambda page: steps(page) == ["step-2", "step-1"])


def test_in_the_middle_only_what_happens_from_now_on_is_new(
    browser: Browser, watching: Callable[[str], None], parcels: Parcels, wait: Wait
) -> None:
    wid = parcels.start()
    parcels.do("tr_label", wid, extra={})
    parcels.do("tr_pack", wid, stage="packed")
    watching(f"/instances/{wid}/?before=3")
    button = browser.find_element(By.ID, "new")
    assert steps(browser) == ["step-2", "step-1"] and not button.is_displayed()
    parcels.do("tr_send", wid, stage="sent")
    wait(lambda page: button.text == "+1 new step")
    button.click()
    wait(lambda page: steps(page) == ["step-4", "step-3", "step-2", "step-1"])


def test_rows_change_in_place_and_new_ones_wait(
    browser: Browser, watching: Callable[[str], None], parcels: Parcels, wait: Wait
) -> None:
    wid = parcels.start()
    watching(f"/flows/{parcels.flow}/")
    parcels.send(wid)
    wait(lambda page: "Final" in page.find_element(By.ID, f"wid-{wid}").text)
    parcels.start_many(3)
    button = browser.find_element(By.ID, "new")
    wait(lambda page: button.is_displayed() and button.text.startswith("+3"))
    assert len(steps(browser)) == 1 and not_reloaded(browser)
    button.click()
    wait(lambda page: len(steps(page)) == 4)


def test_numbers_of_the_first_page_move(
    browser: Browser, watching: Callable[[str], None], parcels: Parcels, wait: Wait
) -> None:
    parcels.start()
    watching("/")

    def numbers() -> str:
        return " ".join(browser.find_element(By.ID, f"flow-{parcels.flow_id}").text.split())

    assert "Running 1" in numbers()
    parcels.start_many(4)
    wait(lambda page: "Running 5" in numbers())
    assert not_reloaded(browser)


def test_a_cut_line_is_shown_and_heals(
    browser: Browser, watching: Callable[[str], None], parcels: Parcels, wait: Wait
) -> None:
    wid = parcels.start()
    watching(f"/instances/{wid}/")
    mark = browser.find_element(By.ID, "live")
    seen = "new MutationObserver(() => (window.marks ??= []).push(arguments[0].textContent.trim()))"
    browser.execute_script(f"{seen}.observe(arguments[0], {{childList: true, subtree: true}})", mark)
    parcels.connection.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'wedsql-monitor'"
    )
    parcels.do("tr_pack", wid, stage="packed")
    wait(lambda page: steps(page) == ["step-2", "step-1"])
    wait(lambda page: state(page) == "live")
    marks = browser.execute_script("return window.marks ?? []")
    assert any(text.startswith("stale since ") for text in marks), marks
    parcels.do("tr_label", wid, extra={})
    wait(lambda page: steps(page)[0] == "step-3")
    assert not_reloaded(browser)


def test_logging_out_elsewhere_is_shown(
    browser: Browser, watching: Callable[[str], None], server: WebServer, parcels: Parcels, wait: Wait
) -> None:
    watching("/")
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    browser.get(f"{server.url}workers/")
    browser.find_element(By.CSS_SELECTOR, ".tools details.menu summary").click()
    browser.find_element(By.CSS_SELECTOR, ".tools details.menu form button").click()
    wait(lambda page: "/accounts/login/" in page.current_url)
    browser.close()
    browser.switch_to.window(first)
    wait(lambda page: state(page) == "out")
    assert "signed out" in browser.find_element(By.ID, "live").text


def test_everything_by_keyboard(
    browser: Browser, watching: Callable[[str], None], parcels: Parcels, wait: Wait
) -> None:
    wid = parcels.start(customer="Ana")
    watching(f"/flows/{parcels.flow}/")
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    skip = browser.switch_to.active_element
    assert skip.get_attribute("href").endswith("#main") and skip.is_displayed()
    skip.send_keys(Keys.ENTER)
    assert browser.switch_to.active_element.get_attribute("id") == "main"
    reached = []
    for _ in range(40):
        ActionChains(browser).send_keys(Keys.TAB).perform()
        here = browser.switch_to.active_element
        outline = here.value_of_css_property("outline-style")
        assert outline != "none", here.get_attribute("outerHTML")
        reached.append(here.get_attribute("id") or here.text)
        if here.text == str(wid):
            break
    assert reached[-1] == str(wid) and "filter-q" in reached
    here.send_keys(Keys.ENTER)
    wait(lambda page: page.current_url.endswith(f"/instances/{wid}/"))


def test_filters_offer_what_suits_the_attribute(
    browser: Browser, watching: Callable[[str], None], parcels: Parcels, wait: Wait
) -> None:
    wid = parcels.start(weight="3")
    parcels.start(weight="1")
    watching(f"/flows/{parcels.flow}/")
    browser.find_element(By.CSS_SELECTOR, ".filter-new summary").click()
    for name, value in (("filter-new-a", "weight"), ("filter-new-op", "gt")):
        browser.find_element(By.CSS_SELECTOR, f"#{name} option[value={value}]").click()
    offered = browser.find_elements(By.CSS_SELECTOR, "#filter-new-op option:enabled")
    assert "contains" not in [option.get_attribute("value") for option in offered]
    browser.find_element(By.ID, "filter-new-v").send_keys("2.5", Keys.ENTER)
    wait(lambda page: steps(page) == [f"wid-{wid}"])
    assert "q=weight%3E2.5" in browser.current_url


LIVE = ("/", "/flows/{f}/", "/flows/{f}/jobs/", "/instances/{w}/", "/workers/", "/health/")


def test_no_page_is_wider_than_a_phone(browser: Browser, login: Login, parcels: Parcels, wait: Wait) -> None:
    wid = parcels.start(customer="a-very-long-name-without-any-space-" * 5)
    parcels.park("tr_label", wid, "a.very.long.dotted.name.of.an.Exception" * 3)
    phone = {"width": NARROW[0], "height": NARROW[1], "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    try:
        for path in LIVE:
            login("alice", path.format(f=parcels.flow, w=wid))
            width = browser.execute_script("return document.documentElement.scrollWidth")
            assert width <= NARROW[0], path
    finally:
        browser.get("about:blank")
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.set_window_size(*DESK)


def ground(browser: Browser) -> str:
    return browser.find_element(By.TAG_NAME, "body").value_of_css_property("background-color")


def test_the_theme_changes_at_once_and_stays(
    browser: Browser, watching: Callable[[str], None], wait: Wait
) -> None:
    watching("/")

    before = ground(browser)
    browser.find_element(By.CSS_SELECTOR, "#theme-form button").click()
    wait(lambda page: ground(page) != before)
    assert not_reloaded(browser)
    dark = ground(browser)
    browser.refresh()
    assert ground(browser) == dark


def test_pages_and_admin_have_one_theme(browser: Browser, login: Login, wait: Wait) -> None:
    def theme() -> str | None:
        return browser.find_element(By.TAG_NAME, "html").get_attribute("data-theme")

    login("alice", "/")
    pages = browser.current_url
    browser.find_element(By.CSS_SELECTOR, "#theme-form button").click()
    wait(lambda page: theme() == "dark")
    dark = ground(browser)
    browser.get(f"{pages}admin/")
    assert theme() == "dark" and ground(browser) == dark
    browser.find_element(By.CSS_SELECTOR, "#theme-form button").click()
    chosen = theme()
    wait(lambda page: ground(page) != dark)
    browser.get(pages)
    wait(lambda page: theme() == chosen != "dark")
    assert ground(browser) != dark
