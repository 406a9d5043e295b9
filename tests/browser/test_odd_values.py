"""Hundreds of odd values in the forms of the site: what a person does not change is never written.

An attribute per value, in one flow whose first values they are. In each form another attribute is changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg import sql
from selenium import webdriver
from selenium.webdriver.common.by import By

from flows import api
from flows.tests.corpus import values
from flows.tests.pages import unique
from tests.browser.conftest import Login, wait_in

MOST = 60  # of a type
LONGEST = 400
_MORE = {
    "text": [
        "a\rb", "\na", "a\n", "\r", "\r\n", "\n\n", "a\r\nb ", " a\r\nb\nc\rd", " a ", "''''", "'''", "\ta",
        "\u2028", "\x0b", "\x0c", "\x85", "\ufeffa", "</textarea>\n<input name=value-n value=8>", '"\n\'',
        "2024-01-01\r", "2024-01-01T10:00:00.123456",
    ],
    "enum": ["a\nb", "a\r\nc", "d\r", "''", "''''"],
    "numeric": ["321588685435836431.123456789", "1.50", "0.00000012", "1e-30"],
    "jsonb": [
        '{"id": 321588685435836431.123456789, "k": 1.50}', '"a\\r\\nb"', '"5"', '"true"', "1e-9", "0.10",
        '"\'\'"',
    ],
    "timestamptz": ["2024-01-01 10:00:00.123456", "0001-01-01 00:00Z", "9999-12-31 23:59:59.999999Z"],
}  # fmt: skip
STATE = "select to_jsonb(f) - 'wid' - 'n' from \"{}\".wed_flow f where wid = %s"


def accepted(session: psycopg.Connection[Any], kind: str) -> Iterator[str]:
    """Yield the values that the database has for this type."""
    for text in [*_MORE.get(kind, ()), *values.texts(kind)]:
        try:
            # The length is of the value that is stored: a short text may be a number of many digits.
            session.execute("select wedsql._check_default('a', %s, %s, %s)", [kind, [text], text])
            cast = sql.SQL("select length(%s::{}::text)").format(sql.SQL(kind.replace("enum", "text")))
            row = session.execute(cast, [text]).fetchone()
        except psycopg.Error:
            continue
        if "\0" not in text and row and max(row[0], len(text)) <= LONGEST and text:
            yield text


@contextmanager
def standing_flow(dsn: str, browser: webdriver.Chrome) -> Iterator[tuple[str, Any]]:
    """Yield a new flow for all tests of a file, and a session; publishing it takes longer than a test."""
    name = unique()
    options = {"autocommit": True, "prepare_threshold": None, "options": "-c search_path=wedsql"}
    with psycopg.connect(dsn, **options) as session:  # type: ignore[arg-type]
        session.execute("set datestyle to iso, ymd")  # as the functions of the kernel
        api.flows.create(name, conn=session)
        yield name, session
        browser.get("about:blank")  # no page of it is open when it is dropped
        api.flows.drop(name, force=True, conn=session)


@pytest.fixture(scope="module")
def odd(dsn: str, chromium: webdriver.Chrome) -> Iterator[str]:
    """The flow; an instance is an exception until `n` is 1, and then has a job."""
    with standing_flow(dsn, chromium) as (flow, session):
        attributes: list[dict[str, Any]] = [{"name": "n", "type": "integer"}]
        for kind in values.KINDS:
            found = [*dict.fromkeys(accepted(session, kind))][:MOST]
            for place, text in enumerate(found):
                one = {"name": f"{kind}_{place}", "type": kind, "default": text}
                attributes.append(one | ({"options": [*found, ""]} if kind == "enum" else {}))
        triggers = [{"transition": "tr_x", "predicate": "n = 1"}, {"predicate": "n = 2", "final": True}]
        api.flows.publish(flow, {"attributes": attributes, "triggers": triggers}, conn=session)
        assert len(attributes) > 300
        yield flow


class Forms:
    """The forms as a person uses them, and the state as the database has it."""

    def __init__(self, browser: webdriver.Chrome, url: str, flow: str, session: Any) -> None:
        self.browser, self.url, self.flow, self.session = browser, url, flow, session

    def state(self, wid: int) -> dict[str, Any]:
        row = self.session.execute(STATE.format(self.flow), [wid]).fetchone()
        return dict(row[0])

    def open(self, path: str) -> None:
        self.browser.get(self.url + path.removeprefix("/"))

    def type(self, name: str, text: str) -> None:
        field = self.browser.find_element(By.NAME, name)
        field.clear()
        field.send_keys(text)

    def press(self, css: str) -> None:
        """Press a button, and return when the page that follows is there."""
        self.browser.execute_script("window.left = false")
        self.browser.execute_script("document.querySelector(arguments[0]).click()", css)
        ready = "return window.left === undefined && document.readyState === 'complete'"
        wait_in(self.browser, lambda page: page.execute_script(ready))

    def do(self, what: str) -> None:
        self.press(f"button[name=do][value='{what}']")

    def repair(self, wid: int, query: str = "", n: str = "7") -> None:
        """Change `n` on a page of a repair, and apply that."""
        self.open(f"/instances/{wid}/repair/{query}")
        self.type("value-n", n)
        self.type("reason", "changed n")
        self.do("preview")
        self.do("apply")
        assert self.browser.find_elements(By.CSS_SELECTOR, ".messages, [role=status]"), "it was not applied"

    def written(self, wid: int) -> set[str]:
        """Return the attributes that the last step wrote."""
        row = self.session.execute(
            "select before from wedsql.wed_trace where wid = %s order by seq desc limit 1", [wid]
        ).fetchone()
        return set(row[0])


@pytest.fixture
def forms(odd: str, browser: webdriver.Chrome, server: Any, connect: Any, login: Login) -> Forms:
    login("alice")
    return Forms(browser, server.url, odd, connect())


def start(forms: Forms) -> int:
    """Start an instance, which waits for a worker."""
    return api.instances.start(forms.flow, {"n": 1}, conn=forms.session)


def exception(forms: Forms) -> int:
    """Return an instance for which no rule holds."""
    wid = start(forms)
    (job,) = api.reasons.explain_jobs(wid, conn=forms.session)
    result = {"job": job.id, "changes": {"n": 3}}
    api.repairs.repair(wid, "complete", result, "to be repaired", actor="alice", conn=forms.session)
    return wid


def test_a_form_of_a_repair_writes_only_what_was_changed(forms: Forms) -> None:
    wid = exception(forms)
    before = forms.state(wid)
    forms.repair(wid)
    assert (forms.state(wid), forms.written(wid)) == (before, {"n"})


def test_a_draft_of_a_repair_keeps_only_what_was_changed(forms: Forms) -> None:
    wid = exception(forms)
    before = forms.state(wid)
    forms.open(f"/instances/{wid}/repair/")
    forms.type("value-n", "7")
    forms.do("keep")
    assert forms.browser.find_element(By.NAME, "value-n").get_attribute("value") == "7"
    forms.repair(wid)
    assert (forms.state(wid), forms.written(wid)) == (before, {"n"})


def test_a_form_of_a_result_and_one_of_a_replay_write_only_what_was_changed(forms: Forms) -> None:
    wid = start(forms)
    before = forms.state(wid)
    (job,) = api.reasons.explain_jobs(wid, conn=forms.session)
    forms.repair(wid, f"?operation=complete&job={job.id}")
    assert (forms.state(wid), forms.written(wid)) == (before, {"n"})
    forms.repair(wid, "?operation=replay&step=1", n="6")
    assert forms.state(wid) == before


def test_a_form_of_a_start_gives_the_first_values(forms: Forms) -> None:
    before = forms.state(start(forms))
    forms.open(f"/flows/{forms.flow}/start/")
    forms.type("value-n", "1")
    forms.press("form.operate button.primary")
    wid = int(forms.browser.current_url.split("/instances/")[1].split("/")[0])
    assert forms.state(wid) == before


def test_a_form_of_a_trial_begins_with_the_state_of_an_instance(forms: Forms) -> None:
    wid = start(forms)
    row = forms.session.execute("select id from wedsql.flow where name = %s", [forms.flow]).fetchone()
    forms.open(f"/admin/flows/flow/{row[0]}/try/?wid={wid}&seq=1")
    forms.type("value-0", "1")
    forms.do("start")
    path = json.loads(forms.browser.find_element(By.NAME, "path").get_attribute("value") or "")
    tried = {name: value for name, value in path[0][2].items() if name != "n"}
    assert tried == forms.state(wid)
