"""A working day of three persons at once: by mouse in Portuguese, by keys alone, and on a phone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import psycopg
import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from flows import api
from testkit.web import WebServer
from tests.browser.axe import against_the_rules
from tests.browser.conftest import DESK, PASSWORD, PHONE, LogIn, new_chromium, problems, wait_in

Browser = webdriver.Chrome
ROLES = {"ana": ["Clerk", "Senior"], "rui": ["Clerk"], "eva": ["Senior"]}
CLAIMS = 8
FORM = {"sections": [{"title": "The claim", "fields": [
    {"attribute": "policy"},
    {"attribute": "amount", "min": 1, "max": 900, "required": True, "unit": "EUR"},
    {"attribute": "note", "kind": "long", "shown": "amount > 500", "required": "amount > 500"},
]}]}  # fmt: skip
DEFINITION: dict[str, Any] = {
    "label": "Claims",
    "attributes": [
        {"name": "policy", "label": "Policy", "business_key": True},
        {"name": "amount", "label": "Amount", "type": "integer"},
        {"name": "note", "label": "Note"},
        {"name": "verdict", "label": "Verdict"},
    ],
    "triggers": [
        {"transition": "assess", "label": "Assess", "predicate": "amount is null", "performer": "person",
         "role": "Clerk", "writes": ["amount", "note"], "form": FORM, "deadline": "2 days"},
        {"transition": "approve", "label": "Approve", "predicate": "amount is not null and verdict is null",
         "performer": "person", "role": "Senior", "writes": ["verdict"],
         "outcomes": ["Pay: verdict = 'pay'", "Refuse: verdict = 'refuse'"]},
        {"predicate": "verdict is not null", "final": True},
    ],
}  # fmt: skip
LEFT = "select count(*) from wedsql.task t join wedsql.flow f on f.id = t.flow_id" \
    " where f.name = %s and t.ended_at is null"  # fmt: skip
DONE = "select t.wid, t.audience, t.ended_by from wedsql.task t join wedsql.flow f on f.id = t.flow_id" \
    " where f.name = %s and t.state = 'D'"  # fmt: skip


class Person:
    """One who works at the pages until nothing is left; how keys and fingers differ is in subclasses."""

    size, language = DESK, "pt-br"

    def __init__(self, name: str, browser: Browser, url: str) -> None:
        self.name, self.browser, self.url = name, browser, url
        self.checked: set[str] = set()
        self.typed = 0

    def begin(self) -> None:
        """Choose size and language."""
        sizes = {"width": self.size[0], "height": self.size[1], "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", sizes)
        cookie = {"name": "django_language", "value": self.language, "url": self.url}
        self.browser.execute_cdp_cmd("Network.setCookie", cookie)

    def works(self, left: Callable[[], int]) -> None:
        """Perform tasks until none of the flow is left."""
        while left():
            self.browser.get(f"{self.url}tasks/?show=open")
            self.looks("list")
            if self.browser.find_elements(By.CSS_SELECTOR, "main table tbody tr"):
                self.next_task()
                while self.has_form():
                    self.looks("task")
                    self.fill_in()

    def looks(self, what: str) -> None:
        """Check what the page of a kind looks like to this person, once."""
        if what in self.checked:
            return
        self.checked.add(what)
        assert against_the_rules(self.browser) == [], (self.name, what)
        assert self.browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
        assert self.browser.find_element(By.TAG_NAME, "html").get_attribute("lang") == self.language

    def has_form(self) -> bool:
        return bool(self.browser.find_elements(By.CSS_SELECTOR, "[data-task-form]"))

    def leaves(self, act: Callable[[], None]) -> None:
        """Do what leads to another page, and wait for that."""
        before = self.browser.find_element(By.TAG_NAME, "main")
        act()
        wait_in(self.browser, lambda _page: _is_gone(before))
        wait_in(self.browser, lambda page: page.execute_script("return document.readyState") == "complete")

    def next_task(self) -> None:
        self.leaves(self.browser.find_element(By.CSS_SELECTOR, "[data-next-case]").click)

    def fill_in(self) -> None:
        amounts = self.browser.find_elements(By.NAME, "value-amount")
        self.typed += 1
        if amounts:
            self.write(amounts[0], str(self.typed * 300))
            note = self.browser.find_element(By.NAME, "value-note")
            if self.typed * 300 > 500:
                wait_in(self.browser, lambda _page: note.is_displayed())
                self.write(note, f"from {self.name}")
        self.complete()
        if self.typed * 300 > 900 and amounts:  # it is not taken: everything typed is still there
            self.refused()

    def refused(self) -> None:
        """Read the limit at its field, and send an amount within it."""
        amount = self.browser.find_element(By.NAME, "value-amount")
        assert "900" in self.browser.find_element(By.ID, "value-amount-error").text
        assert self.browser.find_element(By.NAME, "value-note").get_property("value") == f"from {self.name}"
        self.write(amount, "900")
        self.typed = 0
        self.complete()

    def write(self, field: Any, text: str) -> None:
        field.clear()
        field.send_keys(text)

    def complete(self) -> None:
        self.leaves(self.browser.find_element(By.CSS_SELECTOR, "[data-task-form] button.primary").click)


class ByKeys(Person):
    """One who uses no pointer, in English."""

    language = "en"

    def press(self, *keys: str) -> None:
        ActionChains(self.browser).send_keys(*keys).perform()

    def next_task(self) -> None:
        self.leaves(lambda: self.press("n"))

    def reach(self, element: Any) -> None:
        """Move the focus to an element by Tab."""
        for _ in range(80):
            if self.browser.switch_to.active_element == element:
                return
            self.press(Keys.TAB)
        raise AssertionError(f"Tab does not reach {element.get_attribute('outerHTML')[:200]}")

    def write(self, field: Any, text: str) -> None:
        self.reach(field)
        ActionChains(self.browser).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
        self.press(text)

    def complete(self) -> None:
        self.reach(self.browser.find_element(By.CSS_SELECTOR, "[data-task-form] button.primary"))
        self.leaves(lambda: self.press(Keys.ENTER))


class OnAPhone(Person):
    """One who has a phone."""

    size = PHONE


def _is_gone(element: Any) -> bool:
    try:
        element.is_enabled()
    except Exception as error:  # noqa: BLE001 - the driver has several words for an element of a page before
        return "stale" in str(error) or "no such" in str(error).lower()
    return False


@pytest.fixture
def persons(server: WebServer, log_in: LogIn, django_db_blocker: Any) -> Iterator[list[Person]]:
    """Three persons, each at a browser of their own."""
    with django_db_blocker.unblock():
        users = [get_user_model().objects.create_user(name, password=PASSWORD) for name in ROLES]
        for user in users:
            names = [f"role:{each}" for each in ROLES[user.username]]
            user.groups.set([Group.objects.get_or_create(name=each)[0] for each in names])
    kinds: list[type[Person]] = [Person, ByKeys, OnAPhone]
    with ExitStack() as stack:
        found = []
        for user, kind in zip(users, kinds, strict=True):
            browser = stack.enter_context(new_chromium())
            log_in(browser, user.username, "/tasks/")
            found.append(kind(user.username, browser, server.url))
        yield found
        for each in found:
            assert problems(each.browser) == []
            each.browser.get("about:blank")
    with django_db_blocker.unblock():
        for user in users:
            user.delete()


def test_three_persons_work_at_once_and_nothing_is_lost_or_done_twice(
    flow: str, connect: Callable[[], psycopg.Connection[Any]], persons: list[Person]
) -> None:
    conn = connect()
    api.flows.publish(flow, DEFINITION, conn=conn)
    wids = [api.instances.start(flow, {"policy": f"P-{number}"}, conn=conn) for number in range(CLAIMS)]
    for each in persons:
        each.begin()

    def left() -> int:
        with psycopg.connect(conn.info.dsn, password=conn.info.password) as own:
            return int(own.execute(LEFT, [flow]).fetchone()[0])  # type: ignore[index]

    with ThreadPoolExecutor(len(persons)) as pool:
        for done in [pool.submit(each.works, left) for each in persons]:
            done.result(timeout=300)
    tasks = conn.execute(DONE, [flow]).fetchall()
    assert Counter(wid for wid, _task, _by in tasks) == dict.fromkeys(wids, 2), "each task is done once"
    assert {by for _wid, _task, by in tasks} == {*ROLES}, "all three worked"
    assert {by for _wid, task, by in tasks if task == "r:Clerk"} <= {"ana", "rui"}
    assert {by for _wid, task, by in tasks if task == "r:Senior"} <= {"ana", "eva"}
    states = conn.execute(f"select amount, note from {flow}.wed_flow").fetchall()
    assert all(1 <= amount <= 900 and (amount <= 500 or note) for amount, note in states)
