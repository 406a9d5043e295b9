"""Twenty tasks of four kinds by the pages and the keyboard alone: how many keys, and how many seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
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
from tests.browser.conftest import PASSWORD, LogIn, problems, wait_in
from tests.browser.work.test_three_persons import _is_gone

OF_EACH = 5
# Commands (F, Tab, arrows, Enter) and letters that a task of each kind needs at most.
MOST = {"note": (2, 2), "amount": (3, 7), "choice": (4, 0), "decide": (3, 0)}
FORMS: dict[str, list[dict[str, Any]]] = {
    "note": [{"attribute": "note", "required": True}],
    "amount": [{"attribute": "amount", "required": True},
               {"attribute": "reason", "shown": "amount > 100", "required": "amount > 100"}],
    "choice": [{"attribute": "size", "kind": "choice", "options": ["small", "large"], "required": True}],
}  # fmt: skip
KINDS = {
    "note": "text",
    "amount": "integer",
    "size": "text",
    "reason": "text",
    "verdict": "text",
    "kind": "text",
}
DEFINITION: dict[str, Any] = {
    "label": "Counter",
    "attributes": [{"name": name, "type": kind, "label": name.title()} for name, kind in KINDS.items()],
    "triggers": [
        *({"transition": f"tr_{kind}", "label": kind.title(), "performer": "person", "role": "Counter",
           "predicate": f"kind = '{kind}' and verdict is null", "form": {"sections": [{"fields": fields}]},
           "writes": [*(each["attribute"] for each in fields), "verdict"],
           "outcomes": ["Done: verdict = 'done'"]}
          for kind, fields in FORMS.items()),
        {"transition": "tr_decide", "label": "Decide", "performer": "person", "role": "Counter",
         "writes": ["verdict"], "predicate": "kind = 'decide' and verdict is null",
         "outcomes": ["Pay: verdict = 'pay'", "Refuse: verdict = 'no'"]},
        {"predicate": "verdict is not null", "final": True},
    ],
}  # fmt: skip


class Clerk:
    """One who performs tasks by keys, which are counted."""

    def __init__(self, browser: webdriver.Chrome) -> None:
        self.browser, self.commands, self.letters = browser, 0, 0

    def press(self, *keys: str) -> None:
        ActionChains(self.browser).send_keys(*keys).perform()
        self.commands += len(keys)

    def write(self, text: str) -> None:
        ActionChains(self.browser).send_keys(text).perform()
        self.letters += len(text)

    def leaves(self, *keys: str) -> None:
        """Press what leads to another page, and wait for that."""
        before = self.browser.find_element(By.TAG_NAME, "main")
        self.press(*keys)
        wait_in(self.browser, lambda _page: _is_gone(before))
        wait_in(self.browser, lambda page: page.execute_script("return document.readyState") == "complete")

    def at(self, name: str) -> None:
        """Check that the focus is in a field, so that what is typed gets there."""
        wait_in(self.browser, lambda page: page.switch_to.active_element.get_attribute("name") == name)

    def note(self) -> None:
        self.press("f")
        self.at("value-note")
        self.write("ok")
        self.leaves(Keys.ENTER)

    def amount(self) -> None:
        """More than 100, so that a reason is asked for."""
        self.press("f")
        self.at("value-amount")
        self.write("250")
        self.press(Keys.TAB)
        self.at("value-reason")
        self.write("rain")
        self.leaves(Keys.ENTER)

    def choice(self) -> None:
        self.press("f")
        self.at("value-size")
        self.press(Keys.DOWN, Keys.TAB)
        self.leaves(Keys.ENTER)

    def decide(self) -> None:
        """Take the second outcome."""
        self.press("f", Keys.TAB)
        self.leaves(Keys.ENTER)


@pytest.fixture
def clerk(browser: webdriver.Chrome, log_in: LogIn, django_db_blocker: Any) -> Iterator[Clerk]:
    with django_db_blocker.unblock():
        user = get_user_model().objects.create_user("carl", password=PASSWORD)
        user.groups.set([Group.objects.get_or_create(name="role:Counter")[0]])
    log_in(browser, "carl", "/tasks/?show=open")
    yield Clerk(browser)
    assert problems(browser) == []
    browser.get("about:blank")
    with django_db_blocker.unblock():
        user.delete()


def test_twenty_tasks_of_four_kinds_need_few_keys(
    flow: str, connect: Callable[[], psycopg.Connection[Any]], clerk: Clerk
) -> None:
    conn = connect()
    api.flows.publish(flow, DEFINITION, conn=conn)
    for _ in range(OF_EACH):
        for kind in MOST:
            api.instances.start(flow, {"kind": kind}, conn=conn)
    clerk.browser.refresh()
    began, needed = time.monotonic(), dict.fromkeys(MOST, (0, 0))
    clerk.leaves("n")
    while titles := clerk.browser.find_elements(By.CSS_SELECTOR, "[data-task-form]"):
        kind = clerk.browser.find_element(By.TAG_NAME, "h1").text.split()[0].lower()
        before = clerk.commands, clerk.letters
        getattr(clerk, kind)()
        used = clerk.commands - before[0], clerk.letters - before[1]
        needed[kind] = max(needed[kind], used)
        assert len(titles) == 1
    tasks = len(MOST) * OF_EACH
    seconds, keys = time.monotonic() - began, clerk.commands + clerk.letters
    print(f"{keys / tasks:.1f} keys and {seconds / tasks:.2f} seconds a task; by kind {needed}")
    states = conn.execute(f"select kind, note, amount, reason, size, verdict from {flow}.wed_flow").fetchall()
    expected = {
        ("note", "ok", None, None, None, "done"),
        ("amount", None, 250, "rain", None, "done"),
        ("choice", None, None, None, "small", "done"),
        ("decide", None, None, None, None, "no"),
    }
    assert len(states) == tasks and set(map(tuple, states)) == expected
    over = {kind for kind, (commands, letters) in MOST.items()
            if needed[kind][0] > commands or needed[kind][1] > letters}  # fmt: skip
    assert over == set(), needed
