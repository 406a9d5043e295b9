"""A real daphne on the test database and a real Chromium; data comes from `connect` and the kernel."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil
import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client
from selenium import webdriver
from selenium.common.exceptions import (
    NoSuchElementException,
    StaleElementReferenceException,
    TimeoutException,
    WebDriverException,
)
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from testkit.cases import pairs
from testkit.waiting import until
from testkit.web import WebServer

# The first one is Chromium without its windows: the same pages take three quarters of the time.
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",  # required as root
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--password-store=basic",
    "--lang=en",
    # Half of what a start takes are pages of the address line, which is not shown, and a process in reserve.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,OmniboxAimPopup,"
    "SpareRendererForSitePerProcess",
)
DESK, PHONE = (1280, 900), (390, 844)
# Theme and language, of which neither changes what the other does.
LOOKS = pairs(("light", "dark"), ("en", "pt-br"), 2)
PASSWORD = "a password for tests only"
Login = Callable[..., None]
LogIn = Callable[..., None]
Wait = Callable[..., Any]
Sized = Callable[[tuple[int, int]], None]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def server(dsn: str) -> Iterator[WebServer]:
    """The web process as it runs in production, on the test database, with the page of styles."""
    with WebServer.on(dsn, WEDSQL_STYLEGUIDE="1") as running:
        yield running


@contextmanager
def new_chromium() -> Iterator[webdriver.Chrome]:
    """Run a browser with an empty profile, which its driver makes and deletes."""
    binary = next(filter(None, map(shutil.which, PROGRAMS)), None)
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.fail("Chromium and its driver are not installed: make tools")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=Service(driver))
    try:
        with TemporaryDirectory() as folder:  # not the current one, which is the checkout
            chrome.execute_cdp_cmd(
                "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder}
            )
            yield chrome
    finally:
        left = processes_of(chrome)
        chrome.quit()
        for each in left:
            with suppress(psutil.NoSuchProcess):
                each.kill()


def processes_of(chrome: webdriver.Chrome) -> list[psutil.Process]:
    """Return the processes of a browser.

    The driver knows only the first one, which may be a script that has started the browser: it ends, and the
    browser would run on with its last page.
    """
    try:
        first = psutil.Process(chrome.capabilities["goog:processID"])
        return [first, *first.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


@pytest.fixture(scope="session")
def chromium() -> Iterator[webdriver.Chrome]:
    """One browser for all tests."""
    with new_chromium() as chrome:
        yield chrome


@pytest.fixture(scope="session")
def second_chromium() -> Iterator[webdriver.Chrome]:
    """The browser of another person."""
    with new_chromium() as chrome:
        yield chrome


@pytest.fixture
def browser(chromium: webdriver.Chrome, server: WebServer) -> Iterator[webdriver.Chrome]:
    """The browser without cookies at desktop size; an error in its console fails the test."""
    yield from _fresh(chromium, server)


@pytest.fixture
def second(second_chromium: webdriver.Chrome, server: WebServer) -> Iterator[webdriver.Chrome]:
    """The same of another person, with cookies of its own."""
    yield from _fresh(second_chromium, server)


@pytest.fixture
def flow(flow: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """A new flow, as in the other tests; no page of it is open when it is dropped."""
    open_ones = {"chromium", "second_chromium"} & {*request.fixturenames}
    browsers = [request.getfixturevalue(name) for name in open_ones]
    yield flow
    for each in browsers:
        each.get("about:blank")


@pytest.fixture
def loaded(flow: str, loaded: Callable[[str], str]) -> Callable[[str], str]:
    """A function that defines the test's own flow: the page of a flow may be open when its test ends."""
    return loaded


def _fresh(chromium: webdriver.Chrome, server: WebServer) -> Iterator[webdriver.Chrome]:
    chromium.set_window_size(*DESK)
    chromium.get(f"{server.url}static/wedsql_site/mark.svg")
    chromium.delete_all_cookies()
    chromium.execute_script("localStorage.clear()")
    chromium.get_log("browser")
    yield chromium
    assert problems(chromium) == []


def problems(browser: webdriver.Chrome) -> list[str]:
    """Return the errors in the console: policy violations, missing files, exceptions.

    The editor of conditions asks again where the check of the page before is still running.
    """
    found = [line["message"] for line in browser.get_log("browser") if line["level"] == "SEVERE"]
    return [each for each in found if not ("/conditions/check/" in each and "429" in each)]


@pytest.fixture
def sized(browser: webdriver.Chrome) -> Iterator[Sized]:
    """A function that shows pages at exactly this size, which a window may not be allowed to have."""

    def show(size: tuple[int, int]) -> None:
        sizes = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", sizes)

    yield show
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.fixture
def wait(browser: webdriver.Chrome) -> Wait:
    """A function `wait(condition, seconds=60)` that returns the result of `condition(browser)` once true."""

    def until(condition: Callable[[webdriver.Chrome], Any], seconds: float = 60.0) -> Any:
        return wait_in(browser, condition, seconds)

    return until


# What the driver answers, instead of the error of a stale element, while a page is being replaced.
REPLACED = "does not belong to the document"


def wait_in(
    browser: webdriver.Chrome, condition: Callable[[webdriver.Chrome], Any], seconds: float = 60.0
) -> Any:
    """Return the result of the condition in this browser once it is true."""

    def looked_at(page: webdriver.Chrome) -> Any:
        try:
            return condition(page)
        except (StaleElementReferenceException, NoSuchElementException):
            return None  # the page is being replaced: look again
        except WebDriverException as error:
            if REPLACED in str(error.msg):
                return None
            raise

    try:
        return until(lambda: looked_at(browser), seconds, pause=0.05)
    except TimeoutError as error:
        raise TimeoutException(str(error)) from None


@pytest.fixture(scope="session")
def people(dsn: str, django_db_blocker: Any) -> dict[str, Any]:
    """alice and vera design (superusers), bob works (staff), carol watches; committed for the server."""
    users = get_user_model()
    with django_db_blocker.unblock():
        return {
            "alice": users.objects.create_superuser("alice", password=PASSWORD),
            "bob": users.objects.create_user("bob", password=PASSWORD, is_staff=True),
            "carol": users.objects.create_user("carol", password=PASSWORD),
            "vera": users.objects.create_superuser("vera", password=PASSWORD),
        }


@pytest.fixture
def log_in(server: WebServer, people: dict[str, Any], django_db_blocker: Any) -> LogIn:
    """A function `log_in(browser, 'vera', path='/')` that gives the browser a new session and opens a page.

    The form has tests of its own, which use `log_in_by_form`.
    """

    def enter(browser: webdriver.Chrome, name: str, path: str = "/") -> None:
        client = Client()
        with django_db_blocker.unblock():
            client.force_login(get_user_model().objects.get(username=name))
        key = client.cookies[settings.SESSION_COOKIE_NAME].value
        cookie = {"name": settings.SESSION_COOKIE_NAME, "value": key, "url": server.url, "httpOnly": True}
        browser.get("about:blank")  # a live page of the person before may not be seen by this one
        browser.execute_cdp_cmd("Network.setCookie", cookie)
        browser.get(server.url + path.removeprefix("/"))

    return enter


@pytest.fixture
def login(browser: webdriver.Chrome, log_in: LogIn) -> Login:
    """A function `login('alice', path='/')` that opens a page as this person."""

    def enter(name: str = "alice", path: str = "/") -> None:
        log_in(browser, name, path)

    return enter


def entered(page: webdriver.Chrome) -> bool:
    return "/accounts/login/" not in page.current_url


@pytest.fixture
def log_in_by_form(
    browser: webdriver.Chrome, server: WebServer, people: dict[str, Any]
) -> Callable[..., None]:
    """A function `log_in_by_form('alice', path='/')` that fills in the form and waits until that is done."""

    def enter(name: str, path: str = "/", until: Callable[..., bool] = entered) -> None:
        browser.get(f"{server.url}accounts/login/?next={path}")
        browser.find_element(By.NAME, "username").send_keys(name)
        browser.find_element(By.NAME, "password").send_keys(PASSWORD)
        browser.find_element(By.CSS_SELECTOR, "main form button").click()
        wait_in(browser, until)

    return enter
