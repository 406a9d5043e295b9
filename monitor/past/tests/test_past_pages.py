"""The overview and the list of a flow as of a moment: what they show, link, and no longer offer."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.http import HttpResponse
from django.test import Client

from flows import api
from flows.models import Job
from flows.queries import base
from monitor.past.tests.test_past import NONSENSE
from monitor.tests.conftest import Parcels, client_of, person, text_of

LIVE = ("data-live", "data-changes", "data-part-url", "Operate on these", "/start/", "data-part=")


def at(moment: object) -> str:
    return urlencode({"at": moment.isoformat()})  # type: ignore[attr-defined]


def rows(response: HttpResponse) -> dict[int, str]:
    found = re.findall(r'<tr id="wid-(\d+)">(.*?)</tr>', response.content.decode(), re.DOTALL)
    return {int(wid): html for wid, html in found}


def links(response: HttpResponse, text: str) -> list[str]:
    return [
        unescape(each) for each in re.findall(r'href="([^"]*)"', response.content.decode()) if text in each
    ]


def test_numbers_of_the_past_lead_to_what_they_counted(alice: Client, parcels: Parcels) -> None:
    first = parcels.start(customer="Ana")
    parcels.make_exception(parcels.start(customer="Bia"))
    then = base.now()
    parcels.send(first)
    parcels.start()
    page = alice.get(f"/?{at(then)}")
    shown = {
        parse_qs(urlsplit(each).query)["status"][0]: len(rows(alice.get(each)))
        for each in links(page, f"/flows/{parcels.flow}/?at=")
        if "status=" in each
    }
    assert shown == {"R": 1, "E": 1, "F": 0}
    found = alice.get(f"/flows/{parcels.flow}/?{at(then)}")
    assert rows(found).keys() == {first, first + 1}
    assert f'href="/instances/{first}/steps/1/"' in rows(found)[first]
    for response in (page, found):
        assert "Back to now" in text_of(response.content) and "(UTC)" in text_of(response.content)
        assert not [each for each in LIVE if each in response.content.decode()]
    for name in ("", f"flows/{parcels.flow}/"):
        assert "Back to now" not in text_of(alice.get(f"/{name}").content), "the page of now"


def figures_in(response: HttpResponse) -> dict[str, dict[str, Any]]:
    found = re.search(
        r'<script id="picture-figures"[^>]*>(.*?)</script>', response.content.decode(), re.DOTALL
    )
    assert found is not None
    shown: dict[str, dict[str, Any]] = json.loads(found[1])
    return shown


def test_the_picture_of_the_past_is_that_of_its_moment(carol: Client, parcels: Parcels) -> None:
    wids = parcels.start_many(3)
    parcels.do("tr_label", wids[0], extra={"a": 1})
    parcels.do("tr_pack", wids[0], stage="packed")
    parcels.make_exception(parcels.start())
    address = f"/flows/{parcels.flow}/picture/"
    live, then = figures_in(carol.get(address)), base.now()
    for wid in wids[1:]:
        parcels.send(wid)
    page = carol.get(f"{address}?{at(then)}")
    found = figures_in(page)
    assert found.keys() == live.keys()
    for node, figure in found.items():
        assert (figure["n"], figure.get("holds")) == (live[node]["n"], live[node].get("holds"))
        assert figure.get("oldest") == live[node].get("oldest")
        listed = rows(carol.get(figure["href"]))
        assert len(listed) == figure.get("holds", figure["n"]), "the link counts what the box says"
    html = page.content.decode().replace('data-changes=""', "")
    assert "Back to now" in text_of(html) and not [each for each in LIVE if each in html]
    assert "in the future" in text_of(carol.get(f"{address}?at=2999-01-01").content)
    assert carol.get(f"{address}?place=3").status_code == 302


def test_a_past_picture_has_the_jobs_that_were_out_of_attempts(carol: Client, parcels: Parcels) -> None:
    failing, _waiting = parcels.start_many(2)
    address = f"/flows/{parcels.flow}/picture/"
    before = base.now()
    parcels.park("tr_label", failing, "no paper")
    live, then = figures_in(carol.get(address)), base.now()
    api.repairs.repair(
        failing,
        "retry",
        {"job": Job.objects.get(wid=failing, transition="tr_label").pk},
        "There is some.",
        actor="carol",
    )
    retried = base.now()
    page = carol.get(f"{address}?{at(then)}")
    [node] = [node for node, figure in live.items() if figure.get("failed")]
    found = figures_in(page)[node]
    assert (found["failed"], found["n"]) == (live[node]["failed"], live[node]["n"]) == (1, 1)
    assert found["oldest"] == live[node]["oldest"]
    assert "1 out of attempts" in text_of(page.content)
    for moment in (before, retried):
        calm = carol.get(f"{address}?{at(moment)}")
        assert not [each for each in figures_in(calm).values() if "failed" in each]
        assert "1 out of attempts" not in text_of(calm.content)


def test_filters_pills_and_pages_keep_the_moment(carol: Client, parcels: Parcels) -> None:
    wids = parcels.start_many(60, customer="Ana")
    then = base.now()
    for wid in wids[:3]:
        parcels.do("tr_pack", wid, stage="packed")
    first = carol.get(f"/flows/{parcels.flow}/?{at(then)}&q=stage:new&exact=1")
    assert "60 instances" in text_of(first.content)
    [older] = set(links(first, "before="))
    second = carol.get(f"/flows/{parcels.flow}/{older}")
    assert rows(first).keys() | rows(second).keys() == set(wids) and len(rows(second)) == 10
    for response in (first, second):
        kept = [each for each in links(response, "?") if "status=" in each or "q=" in each]
        assert {each for each in kept if "at=" not in each} == {"?q=stage%3Anew"}, "back to now"
        assert response.content.decode().count('<input type="hidden" name="at"') >= 2
    edited = carol.get(f"/flows/{parcels.flow}/?{at(then)}&part=new&a=customer&op=eq&v=Ana")
    assert edited.status_code == 302 and parse_qs(urlsplit(edited.headers["Location"]).query)["at"]
    assert "not known of a moment" in text_of(
        carol.get(f"/flows/{parcels.flow}/?{at(then)}&q=is:late").content
    )


def test_the_slider_leads_to_a_moment_of_the_history(carol: Client, parcels: Parcels) -> None:
    parcels.start()
    found = carol.get(f"/flows/{parcels.flow}/?place=500&q=stage:new&before=7")
    address = urlsplit(found.headers["Location"])
    query = parse_qs(address.query)
    assert found.status_code == 302 and query.keys() == {"at", "q"}
    assert carol.get(f"{address.path}?{address.query}").status_code == 200
    for place in ("1000", "5000"):
        found = carol.get(f"/flows/{parcels.flow}/?place={place}&at=2026-01-01&q=stage:new")
        assert found.headers["Location"].endswith("?q=stage%3Anew"), "now"
    assert carol.get(f"/flows/{parcels.flow}/?place=x").status_code == 200


@pytest.mark.parametrize("wanted", NONSENSE)
def test_what_is_no_moment_says_so(carol: Client, parcels: Parcels, wanted: str) -> None:
    parcels.start()
    for path in ("/", f"/flows/{parcels.flow}/"):
        response = carol.get(f"{path}?{urlencode({'at': wanted})}")
        assert response.status_code == 200 and not rows(response)
        assert "Write a time of the past" in text_of(response.content)


def test_a_moment_before_the_history_says_when_it_begins(carol: Client, parcels: Parcels) -> None:
    then = base.now() - timedelta(days=3)
    assert "There is no history yet" in text_of(carol.get(f"/flows/{parcels.flow}/?{at(then)}").content)
    parcels.start()
    found = text_of(carol.get(f"/flows/{parcels.flow}/?{at(then)}").content)
    assert "the history begins at" in found and "had no instances then" in found


def test_the_reader_s_zone_is_that_of_the_moment(carol: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    carol.cookies["zone"] = "Asia/Kolkata"
    local = base.now() + timedelta(hours=5, minutes=30, seconds=1)
    wanted = (local - timedelta(seconds=1)).replace(tzinfo=None)
    page = carol.get(f"/flows/{parcels.flow}/?{at(wanted)}")
    assert rows(page).keys() == {wid} and "Asia/Kolkata" in text_of(page.content)
    del carol.cookies["zone"]
    assert "in the future" in text_of(carol.get(f"/flows/{parcels.flow}/?{at(wanted)}").content)


def test_too_much_history_says_what_to_do(
    carol: Client, parcels: Parcels, monkeypatch: pytest.MonkeyPatch
) -> None:
    parcels.start()
    monkeypatch.setattr(base, "PAGE_TIMEOUT_MS", 150)
    then = base.now()
    with parcels.connection.transaction():
        parcels.connection.execute("lock table wedsql.wed_trace in access exclusive mode")
        found = [carol.get(f"{path}?{at(then)}") for path in ("/", f"/flows/{parcels.flow}/")]
    for page in found:
        assert page.status_code == 200 and "choose a later moment" in text_of(page.content)


def test_the_past_of_a_flow_that_one_may_not_see_is_not_found(parcels: Parcels, site: None) -> None:
    parcels.start()
    stranger = client_of(person("stranger"))
    query = at(base.now())
    assert stranger.get(f"/flows/{parcels.flow}/?{query}").status_code == 404
    assert stranger.get(f"/flows/{parcels.flow}/?place=3").status_code == 404
    assert stranger.get(f"/flows/{parcels.flow}/picture/?{query}").status_code == 404
    assert parcels.flow not in text_of(stranger.get(f"/?{query}").content)
