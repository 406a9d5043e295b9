"""A parameter that a page does not read is shown on the page, and every page lists those that it reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.test import Client
from django.urls import Resolver404, resolve

from flows.models import Flow
from monitor.tests.conftest import Parcels, text_of
from monitor.tests.filters import test_hostile_parameters as hostile_parameters
from monitor.tests.filters.test_hostile_parameters import root as root  # fixtures
from monitor.tests.filters.test_hostile_parameters import statuses
from monitor.tests.filters.test_hostile_parameters import watched as watched
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
    assert monitor_pages() - PARAMETERS.keys() == set(), (
        "name the parameters that it reads in PARAMETERS of wedsql_site/page_parameters.py"
    )
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


# Answers that are no page: of programs, of scripts that keep a page up to date, and of probes.
NO_FILES = (
    "api/",
    "live/",
    "messages/unread/",
    "static/",
    "healthz",
    "readyz",
    "metrics",
    "search/",
    "admin/flows/flow/conditions/",
    "offline/",
)
# Files by a parameter of a page.
BY_FORMAT = {
    "admin:flows_flow_versions": ("format=yaml", "format=json", "format=sql", "format=zip"),
    "admin:flows_flow_picture": ("format=mermaid",),
}


def files(root: Client, parcels: Parcels) -> Iterator[str]:
    """Yield an address of each file of the site."""
    number = str(Flow.objects.get(name=parcels.flow).pk)
    given = {
        "name": parcels.flow,
        "wid": str(parcels.start()),
        "seq": "1",
        "ending": "csv",
        "object_id": number,
        "flow_id": number,
    }
    for route, pattern in patterns():
        address = filled(route, pattern, given)
        if not route or route.startswith(NO_FILES) or not pattern.callback.__module__.startswith(OURS):
            continue
        name = resolve(address).view_name
        for each in (f"{address}?", *(f"{address}?{query}&" for query in BY_FORMAT.get(name, ()))):
            answer = root.get(each)
            if answer.status_code == 200 and not answer["Content-Type"].startswith("text/html"):
                yield each
            answer.close()


def test_a_file_with_a_parameter_that_it_does_not_read_is_refused(root: Client, parcels: Parcels) -> None:
    found = [*files(root, parcels)]
    for address in found:
        answer = root.get(f"{address}statsu=R")
        assert (answer.status_code, "“statsu”" in answer.content.decode()) == (400, True), address
        answer = root.get(f"{address}utm_source=x")
        answer.close()
        assert answer.status_code == 200, address
    assert {urlsplit(each).path.rpartition("/")[2] for each in found} >= {"export.csv", "audit.csv", "1.json"}
    assert any("format=mermaid" in each for each in found) and len(found) > 6
    answer = root.get("/instances/export.csv?statsu=R")
    assert answer.content.decode() == (
        "A file has no parameter “statsu” here: nothing is downloaded. Did you mean status?\n"
    )


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("/flows/{}/export.csv?columns=pieces,custmer", "“pieces,custmer” cannot be used as columns"),
        ("/flows/{}/export.csv?columns=pieces,custmer", "Did you mean customer?"),
        ("/flows/{}/export.jsonl?sort=di", "“di” cannot be used as sort"),
        ("/flows/{}/export.xlsx?status=Z", "“Z” cannot be used as status"),
        ("/flows/{}/export.csv?q=pieces:1&q=pieces:2", "“pieces:2” cannot be used as q"),
        ("/instances/export.csv?status=running", "“running” cannot be used as status"),
        ("/instances/export.csv?sort=-id", "“-id” cannot be used as sort"),
        ("/flows/{}/audit.csv?kind=chnges", "Did you mean changes?"),
        ("/flows/{}/audit.csv?from=31.12.2026", "“31.12.2026” cannot be used as from"),
        ("/flows/{}/audit.csv?to=2026-02-30", "“2026-02-30” cannot be used as to"),
        ("/flows/{}/audit.csv?wid=12x", "“12x” cannot be used as wid"),
        ("/cases/reports.csv?by=couse", "Did you mean cause?"),
        ("/cases/reports.csv?window=yesterdya", "Did you mean yesterday?"),
        ("/cases/reports.jsonl?of=rulse", "Did you mean rules?"),
        ("/cases/reports.csv?from=2026-13-01", "“2026-13-01” cannot be used as from"),
    ],
)
def test_a_file_with_a_value_that_it_cannot_use_is_refused(
    root: Client, parcels: Parcels, address: str, said: str
) -> None:
    answer = root.get(address.format(parcels.flow))
    assert (answer.status_code, said in answer.content.decode()) == (400, True), answer.content
    assert root.get(address.format(parcels.flow).partition("?")[0]).status_code == 200
