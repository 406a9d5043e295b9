"""Each tab of a flow on a phone, in Portuguese: nothing is too wide, controls are named and large enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from selenium import webdriver

from testkit.web import WebServer
from tests.browser.conftest import PHONE, Login

Browser = webdriver.Chrome

FLOW = """
insert into wed_attr (aname, label) values ('a', 'Situation of the case'), ('b', 'Note');
insert into wed_attr (aname, type, options) values ('kind', 'enum', '{letter,call,visit}');
insert into wed_trig (tgname, trname, cname, cpred, label)
  values ('one', 'tr_one', 'c_one', $$a is null and kind = 'letter'$$, 'Answer the letter of the customer');
insert into wed_trig (tgname, trname, cname, cpred) values ('two', 'tr_two', 'c_two', $$kind = 'call'$$);
insert into wed_trig (cpred, cfinal) values ($$a is not null$$, true);
"""
TABS = (
    "design/", "design/?rule=1", "design/?rule=new", "design/attributes/", "design/attributes/?attribute=3",
    "design/settings/", "design/text/", "design/wsql/", "design/paste/?part=triggers", "picture/",
    "try/", "checks/", "publish/", "versions/",
)  # fmt: skip
READY = """
const done = arguments[0], { module } = document.body.dataset;
module ? import(module).then(() => requestAnimationFrame(() => setTimeout(done))) : done()"""
NAMELESS = """
const named = e => e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || e.textContent.trim()
  || e.title || [...(e.labels || [])].some(l => l.textContent.trim());
const all = 'a, button, select, textarea, input:not([type=hidden]), summary, [tabindex="0"]';
return [...document.querySelectorAll(all)]
  .filter(e => e.getClientRects().length && !named(e)).map(e => e.outerHTML.slice(0, 200))"""
# Links in a sentence may be smaller, and so may a check box whose label can be pressed, too.
SMALL = """
const all = 'button, select, input:not([type=hidden], [type=checkbox]), summary, a.button, .tabs a';
return [...document.querySelectorAll(all)]
  .filter(e => e.getClientRects().length && e.getBoundingClientRect().height < 24)
  .map(e => e.outerHTML.slice(0, 200))"""
WIDE = """
const root = document.documentElement;
return root.scrollWidth <= root.clientWidth ? [] : [...document.querySelectorAll('main *')]
  .filter(e => e.getBoundingClientRect().right > root.clientWidth + 1)
  .map(e => e.outerHTML.slice(0, 160)).slice(0, 5)"""


@pytest.fixture
def phone(browser: Browser) -> Iterator[None]:
    sizes = {"width": PHONE[0], "height": PHONE[1], "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", sizes)
    yield
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_each_tab_fits_a_phone_and_its_controls_are_named(
    loaded: Callable[[str], str],
    connect: Callable[..., psycopg.Connection[Any]],
    browser: Browser,
    server: WebServer,
    login: Login,
    phone: None,
) -> None:
    row = connect().execute("select id from wedsql.flow where name = %s", [loaded(FLOW)]).fetchone()
    assert row is not None
    login("alice", "/")
    browser.add_cookie({"name": "django_language", "value": "pt-br"})
    found: dict[str, list[str]] = {}
    for tab in TABS:
        browser.get(f"{server.url}admin/flows/flow/{row[0]}/{tab}")
        browser.execute_async_script(READY)  # scripts show what only they can do
        assert browser.find_element("tag name", "html").get_attribute("lang").startswith("pt")
        text = browser.find_element("tag name", "body").text
        assert "{{" not in text and "{%" not in text, "a tag of a template must not span lines"
        for what, script in (("wide", WIDE), ("nameless", NAMELESS), ("small", SMALL)):
            if wrong := browser.execute_script(script):
                found[f"{tab} {what}"] = wrong
    assert found == {}


def test_the_pages_of_an_area_stay_above_a_long_form_of_the_admin(browser: Browser, login: Login) -> None:
    low = {"width": 1024, "height": 300, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", low)

    login("alice", "/admin/auth/group/add/")

    pages = browser.find_element("css selector", ".sub-nav")
    assert pages.size["height"] >= pages.find_element("tag name", "a").size["height"]
    assert browser.find_element("css selector", "#footer").text.startswith("All times are in")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
