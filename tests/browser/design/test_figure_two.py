"""Figure 2 of the paper, built from nothing in the designer, published, and run to its end by real workers.

Once by mouse, and once by keyboard alone: from log-in to the published flow nothing else is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import psycopg
import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from testkit.cases import some
from testkit.processes import Processes
from testkit.web import WebServer
from tests.browser.conftest import Login, Wait

Browser = webdriver.Chrome

NAME = "fig2"  # the handlers of the demo are for this flow
ATTRIBUTES = [{"name": "a1", "default": "ready"}, {"name": "a2"}, {"name": "a3"}]
RULES = [
    {
        "name": "t1", "transition": "tr_a2", "condition": "c1",
        "predicate": "a1 = 'ready' and (a2 is null)", "timeout": "3d18h",
    },
    {
        "name": "t2", "transition": "tr_a3", "condition": "c2",
        "predicate": "a1 = 'ready' and (a3 is null)", "timeout": "00:00:30",
    },
    {
        "name": "tf", "transition": "tr_final", "condition": "cf",
        "predicate": "a1 = 'ready' and (a2 is not null) and (a3 is not null)", "timeout": "00:00:10",
    },
    {"predicate": "a1 <> 'ready'", "final": "on"},
]  # fmt: skip
# The text by which a link or button is found, and the name of a field; an editor has that of its text area.
WHAT = """
const what = e => {
  const area = e.closest('.control, .field')?.querySelector('textarea[name]');
  const editor = e.matches('.cm-content') && area ? area.name : '';
  return [e.matches('a, button, summary') ? (e.getAttribute('aria-label') || e.textContent).trim() : '',
          e.name || editor || ''];
};"""
# What has the focus, and how often Tab is pressed at most to come from there to what is called so: elements
# that Tab passes over are counted, too, so that half of these times is never too far.
FOCUSED = (
    WHAT
    + """
const [part, wanted] = arguments, now = document.activeElement, all = [...document.querySelectorAll(
  'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"], [contenteditable]')]
  .filter(e => e.tabIndex >= 0 && !e.disabled && e.checkVisibility({ visibilityProperty: true }));
const behind = all.filter(e => now.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING);
return [what(now), behind.findIndex(e => what(e)[part] === wanted) + 1]"""
)
# The first control that is shown and has this text (0) or name (1), in the window and not under the header.
FOUND = (
    WHAT
    + """
const [part, wanted] = arguments;
const all = 'a, button, summary, input:not([type=hidden]), select, textarea, .cm-content';
const found = [...document.querySelectorAll(all)]
  .find(e => e.getClientRects().length && what(e)[part] === wanted);
found?.scrollIntoView({ block: 'center', behavior: 'instant' });
return found ?? null"""
)
TEXT, FIELD = 0, 1


class Hand(Protocol):
    """What brings the focus to a control and presses it."""

    def press(self, text: str) -> None: ...

    def focus(self, field: str) -> None: ...


class Mouse:
    """Moves the pointer to a control and clicks; what a field has already is replaced."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser

    def press(self, text: str) -> None:
        self._click(TEXT, text)

    def focus(self, field: str) -> None:
        self._click(FIELD, field)
        if self.browser.switch_to.active_element.get_attribute("value"):
            ActionChains(self.browser).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()

    def _click(self, part: int, name: str) -> None:
        found = self.browser.execute_script(FOUND, part, name)
        assert found is not None, f"nothing shown is called {name!r}"
        ActionChains(self.browser).move_to_element(found).click().perform()


class Keyboard:
    """Presses Tab until a control has the focus, and Enter."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser

    def press(self, text: str) -> None:
        self._tab(TEXT, text)
        self._type(Keys.ENTER)

    def focus(self, field: str) -> None:
        self._tab(FIELD, field)
        if self.browser.switch_to.active_element.get_attribute("type") == "checkbox":
            self._type(Keys.SPACE)

    def _tab(self, part: int, name: str) -> None:
        passed = []
        for _ in range(120):
            now, distance = self.browser.execute_script(FOCUSED, part, name)
            if now[part] == name:
                return
            passed.append(now)
            self._type(Keys.TAB * max(1, distance // 2))
        raise AssertionError(f"Tab does not reach {name!r}: {passed}")

    def _type(self, key: str) -> None:
        ActionChains(self.browser).send_keys(key).perform()


HANDS: dict[str, Callable[[Browser], Hand]] = {"mouse": Mouse, "keyboard": Keyboard}


@pytest.fixture
def database(connect: Callable[..., psycopg.Connection[Any]]) -> Iterator[psycopg.Connection[Any]]:
    """A session as owner; what the test has built is removed at the end."""
    conn = connect()
    yield conn
    drafts = "select wedsql.discard_draft(flow, branch, revision) from wedsql.draft where flow = %s"
    conn.execute(drafts, [NAME])
    conn.execute("select wedsql.drop_flow(name, true) from wedsql.flow where name = %s", [NAME])


@pytest.fixture
def workers(dsn: str, tmp_path: Path) -> Iterator[Processes]:
    """Processes on the test database."""
    with Processes(dsn, tmp_path) as running:
        yield running


def fill(browser: Browser, hand: Hand, fields: dict[str, str]) -> None:
    for field, text in fields.items():
        hand.focus(field)
        if text != "on":
            ActionChains(browser).send_keys(text).perform()


def done(page: Browser) -> bool:
    return bool(page.find_elements(By.CSS_SELECTOR, ".messages .note-success"))


def add(browser: Browser, hand: Hand, wait: Wait, button: str, fields: dict[str, str]) -> None:
    """Open the panel of a new item, fill it and save it."""
    hand.press(button)
    wait(lambda page: "=new" in page.current_url)
    if "condition" in fields:
        hand.press("Names in programs")
    fill(browser, hand, fields)
    hand.press("Add")
    wait(lambda page: "=new" not in page.current_url and done(page))


@pytest.mark.parametrize("by", some(HANDS, 2, first=1))
def test_figure_two_is_built_published_and_run(
    browser: Browser,
    server: WebServer,
    login: Login,
    wait: Wait,
    database: psycopg.Connection[Any],
    workers: Processes,
    by: str,
) -> None:
    login("alice", "/admin/flows/flow/")
    hand = HANDS[by](browser)
    hand.press("New flow")
    wait(lambda page: page.find_elements(By.NAME, "name"))
    fill(browser, hand, {"name": NAME})
    hand.press("Open a draft")
    wait(lambda page: "/design/attributes/" in page.current_url)
    for attribute in ATTRIBUTES:
        add(browser, hand, wait, "Add an attribute", attribute)
    hand.press("Rules")
    wait(lambda page: page.current_url.endswith("/design/"))
    for rule in RULES:
        add(browser, hand, wait, "Add a rule", rule)
    hand.press("Publish")
    wait(lambda page: "/publish/" in page.current_url)
    wait(lambda page: page.find_elements(By.NAME, "reason"))
    fill(browser, hand, {"reason": "as in the paper"})
    hand.press("Publish this draft")
    wait(done)

    workers.manage("wedworker", "--flow", NAME)
    browser.get(f"{server.url}flows/{NAME}/")
    hand.press("Start an instance")
    wait(lambda page: page.current_url.endswith("/start/"))
    hand.press("Start")
    wait(lambda page: "/instances/" in page.current_url)
    wid = [int(browser.current_url.strip("/").rpartition("/")[2])]
    history = "select trw from wedsql.wed_trace where wid = %s order by seq"
    final = "select from wedsql.instance where wid = %s and status = 'F'"
    wait(lambda page: database.execute(final, wid).rowcount, 60)
    steps = [step for (step,) in database.execute(history, wid)]
    assert (steps[0], set(steps[1:3]), steps[3:]) == ("_INIT", {"tr_a2", "tr_a3"}, ["tr_final"])
