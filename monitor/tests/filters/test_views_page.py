"""The page of saved views: numbers that are those of the lists, and who may save for whom."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from flows import api
from flows.capabilities.filters.api import View
from monitor.tests.conftest import HERE, Parcels, client_of, text_of
from monitor.views import saved_views


def numbers(page: str) -> dict[str, tuple[str, str]]:
    """Return title -> (address, number) of each view on the page."""
    found = re.findall(
        r'<th role="rowheader" scope="row"><a href="([^"]*)">([^<]*)</a></th>\s*'
        r'<td role="cell" class="num"[^>]*>.*?>([\d,+\u2013]+)<',
        page,
        re.DOTALL,
    )
    return {unescape(title): (unescape(href), number) for href, title, number in found}


def test_each_number_is_that_of_its_list(alice: Client, parcels: Parcels) -> None:
    parcels.make_exception(parcels.start())
    parcels.send(parcels.start())
    parcels.start_many(3)
    page = numbers(alice.get(f"/views/?counted=1&flow={parcels.flow}").content.decode())
    assert {title: number for title, (_, number) in page.items()} == {
        "Exceptions": "1", "Waiting for people": "1", "Late": "0", "No worker": "3", "Started today": "5",
        "Final today": "1",
    }  # fmt: skip
    for href, number in page.values():
        rows = re.findall(r'<tr id="wid-', alice.get(href).content.decode())
        assert len(rows) == int(number), href


def test_what_cannot_be_counted_at_once_is_counted_later(
    alice: Client, parcels: Parcels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_views, "QUICK_SECONDS", 0.0)
    parcels.start()
    page = alice.get(f"/views/?flow={parcels.flow}").content.decode()
    (address,) = set(re.findall(r'<a\s+href="([^"]*)"\s+data-uncounted>', page))
    assert page.count("data-uncounted") == 6 and "data-uncounted" not in str(numbers(page))
    shown = alice.get(f"/views/{unescape(address)}").content.decode()
    assert numbers(shown)["Started today"][1] == "1" and "data-uncounted" not in shown


def test_a_list_is_saved_shared_and_deleted(alice: Client, carol: Client, parcels: Parcels) -> None:
    parcels.start(customer="Ana")
    address = f"/views/?flow={parcels.flow}"
    counted = f"{address}&counted=1"
    form = {"flow": parcels.flow, "name": "Ana's", "q": "customer:Ana", "shared": "everyone", "sort": "id"}
    assert carol.post("/views/", form).status_code == 403
    assert "has no value" in text_of(
        carol.post("/views/", form | {"q": "customer:", "shared": "mine"}).content
    )
    assert carol.post("/views/", form | {"shared": "mine"}).status_code == 302
    href, number = numbers(carol.get(counted).content.decode())["Ana's"]
    assert number == "1" and "sort=id" in href and "q=customer%3AAna" in href
    assert "Ana's" not in numbers(alice.get(counted).content.decode())

    group = Group.objects.get(name=f"flow:{parcels.flow}")
    team = form | {"shared": "team", "team": group.name}
    assert carol.post("/views/", team).status_code == 302
    assert "names no group" in text_of(carol.post("/views/", team | {"team": "flow:other"}).content)
    member = User.objects.create_user("dora" + HERE)
    member.groups.add(group)
    assert "Ana's" in numbers(client_of(member).get(counted).content.decode())

    (view,) = [each for each in api.views.list("carol" + HERE, (), parcels.flow) if each.name == "Ana's"]
    client_of(member).post(f"/views/{view.id}/delete/", {"flow": parcels.flow})
    assert "Ana's" in numbers(carol.get(counted).content.decode())
    assert carol.post(f"/views/{view.id}/delete/", {"flow": parcels.flow})["Location"] == address
    assert "Ana's" not in numbers(carol.get(counted).content.decode())


def test_a_view_that_no_longer_suits_the_flow_has_no_number(carol: Client, parcels: Parcels) -> None:
    api.views.save("carol" + HERE, parcels.flow, "old", View("gone:1"))
    assert numbers(carol.get(f"/views/?counted=1&flow={parcels.flow}").content.decode())["old"][1] == "\u2013"
    (view,) = [each for each in api.views.list("carol" + HERE, (), parcels.flow) if each.name == "old"]
    api.views.delete("carol" + HERE, view.id)


@pytest.mark.parametrize("address", ["/views/?flow=nothing", "/views/?flow=%27"])
def test_a_flow_that_is_not_seen_has_no_views(mallory: Client, address: str) -> None:
    assert mallory.get(address).status_code == 404


NONE_HAS = "No flow that you see has"


@pytest.mark.parametrize(
    ("of", "query", "said"),
    [
        ("tasks", "error.group:1", "Tasks cannot be filtered"), ("tasks", "nobody_has_this:1", NONE_HAS),
        ("cases", "nobody_has_this:1", NONE_HAS), ("", "nobody_has_this:1", NONE_HAS),
    ],
)  # fmt: skip
def test_a_filter_that_its_list_rejects_is_not_saved(
    alice: Client, parcels: Parcels, of: str, query: str, said: str
) -> None:
    form = {"list": of, "name": "Never", "q": query, "shared": "mine"}
    answer = alice.post("/views/", form)
    assert answer.status_code == 200 and said in text_of(answer.content)
    address = {"tasks": "/tasks/", "cases": "/cases/", "": "/instances/"}[of]
    assert said in text_of(alice.get(address, {"q": query}).content), "the list says the same"
    assert "Never" not in text_of(alice.get("/views/", {"list": of}).content)
