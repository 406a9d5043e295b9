"""A parameter that a page does not read is shown on the page, and every page lists those that it reads."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.test import Client
from django.urls import Resolver404, resolve

from monitor.tests import test_hostile_parameters as hostile_parameters
from monitor.tests.conftest import Parcels, text_of
from monitor.tests.test_hostile_parameters import root as root  # fixtures
from monitor.tests.test_hostile_parameters import statuses
from monitor.tests.test_hostile_parameters import watched as watched
from tests.addresses import filled, monitor_pages, patterns
from wedsql_site.page_parameters import ANY, FOREIGN, PARAMETERS

OURS = ("monitor.", "flows.", "wedsql_site.")
HREF = re.compile(r'href="(/[^"]*\?[^"]*)"')
UNREAD = "This page has no parameter “{}”"


def addresses(parcels: Parcels) -> dict[str, str]:
    """Return an address of each page in the table, by the name of its view."""
    wid, found = parcels.start(), dict[str, str]()
    for route, pattern in patterns():
        address = filled(route, pattern, {"name": parcels.flow, "wid": str(wid)})
        try:
            found[resolve(address).view_name] = address
        except Resolver404:
            continue
    return {name: found[name] for name in PARAMETERS}


def test_every_page_is_listed(root: Client, parcels: Parcels) -> None:
    assert monitor_pages() - PARAMETERS.keys() == set()
    unlisted = set()
    for route, pattern in patterns():
        if pattern.callback.__module__.startswith(OURS):
            address = filled(route, pattern, {"name": parcels.flow})
            name = resolve(address).view_name if route else "monitor:flows"
            answer = root.get(address)
            page = answer.status_code == 200 and not answer.streaming and b"<main" in answer.content
            unlisted |= {name} if page and name not in PARAMETERS else set()
    assert unlisted == set()


def test_every_page_lists_what_it_reads(
    root: Client, parcels: Parcels, watched: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hostile_parameters, "hostile", lambda _name: ["1"])
    unlisted, links = dict[str, set[str]](), dict[str, str]()
    for name, address in addresses(parcels).items():
        if PARAMETERS[name] == ANY:
            continue
        content = root.get(address).content.decode()
        links |= {unescape(link): name for link in HREF.findall(content)}
        statuses(lambda each: root.get(each).status_code, address, frozenset(), watched)
        unlisted[name] = {each for each in watched - set(PARAMETERS[name].split()) if _is_name(each)}
    assert {name: names for name, names in unlisted.items() if names} == {}
    assert {link: at for link, at in links.items() if _unread(link)} == {}
    assert len(links) > 50


def _is_name(name: str) -> bool:
    return not name.startswith(FOREIGN)


def _unread(link: str) -> list[str]:
    """Return the parameters of a link that its page does not list."""
    parts = urlsplit(link)
    known = PARAMETERS.get(resolve(parts.path).view_name, ANY).split()
    names = [name for name, _value in parse_qsl(parts.query, keep_blank_values=True)]
    return [name for name in names if ANY not in known and name not in known]


def test_a_parameter_that_a_page_does_not_read_is_shown_on_it(root: Client, parcels: Parcels) -> None:
    shown = 0
    for name, address in addresses(parcels).items():
        answer = root.get(f"{address}?statsu=x&utm_source=mail&%00=1&{'n' * 500}=1")
        assert answer.status_code < 500, address
        if answer.status_code == 200 and PARAMETERS[name] != ANY and b"<main" in answer.content:
            said = text_of(answer.content)
            assert UNREAD.format("statsu") in said, address
            assert "“utm_source”" not in said
            shown += 1
    assert shown > 45


def test_the_notice_names_what_is_meant_and_is_absent_otherwise(root: Client, parcels: Parcels) -> None:
    said = text_of(root.get("/instances/?statsu=R&q=status:running").content)
    assert f"{UNREAD.format('statsu')}; what it shows does not depend on it. Did you mean status?" in said
    assert "no parameter" not in text_of(root.get("/instances/?status=R&utm_source=x").content)
