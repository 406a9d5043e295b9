"""Lists of alerts: filters, orders, pages, saved views and columns."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import count
from urllib.parse import urlencode

import pytest
from django.test import Client

from flows import api
from flows.capabilities.alerts.api import AlertRule, TakenAlertRule
from flows.filters import parse
from flows.filters.fields import ALERT_KINDS, ALERT_STATES, PARTS
from flows.queries.base import snapshot
from flows.queries.lists import selections
from flows.queries.lists.alerts import ORDERS, Listing
from monitor.labels import ALERT_KIND, ALERT_STATE
from monitor.tests.conftest import Parcels, client_of, get, person, text_of
from testkit.cases import turn

NAMES = ["Many cards", "Old ones", "Late jobs", "Off", "Broken", "New", "Soon"]


@pytest.fixture
def ben(parcels: Parcels, site: None) -> Client:
    """A person who sees the parcels."""
    return client_of(person("ben", f"flow:{parcels.flow}"))


@pytest.fixture
def rules(parcels: Parcels) -> list[int]:
    """A rule in each state, and a second one that is active."""
    made = []
    for n, name in enumerate(NAMES):
        rule = AlertRule(name, "count", ">", n, query="status:running", enabled=name != "Off")
        made.append(api.alerts.save_rule(parcels.flow, rule, f"user{n % 2}"))
    taken = [TakenAlertRule(rule, datetime.now(UTC)) for rule in made]
    for n in (0, 1):
        assert api.alerts.settle_rule(taken[n], 99)
    assert api.alerts.settle_rule(taken[2], 0)
    assert api.alerts.settle_rule(taken[4], None, "The filter is gone.")
    parcels.connection.execute("update wedsql.alert_rule set lasting = '1 hour' where id = %s", [made[6].id])
    assert api.alerts.settle_rule(taken[6], 99)
    api.alerts.acknowledge(made[1].id, "ann")
    return [rule.id for rule in made]


def shown(client: Client, **query: str) -> list[int]:
    page = get(client, f"/alerts/?{urlencode(query)}")
    return [int(n) for n in re.findall(r'<a class="strong" href="/alerts/(\d+)/">', page)]


def test_the_lists_have_each_rule_once_by_pages_of_each_order(
    site: None, parcels: Parcels, rules: list[int]
) -> None:
    whole = [rule.id for rule in api.alerts.list_rules([parcels.flow])]
    for order in ORDERS:
        for text in ("", "alert.limit>=0"):
            found = selections.selection("alerts", parse(text), [parcels.flow], lambda flow: flow)
            paged: list[int] = []
            with snapshot():
                while some := selections.selected(
                    Listing(order).listed, found, paged[-1] if paged else None, 2
                ):
                    paged += some
            assert sorted(paged) == sorted(rules) and len(paged) == len(rules), order
            if order == "state":
                assert paged == whole, "as the kernel has it: those that are active first"


def test_alerts_are_found_by_what_they_are(ben: Client, parcels: Parcels, rules: list[int]) -> None:
    for text, places in {
        "alert.state:active": [0, 1], "alert.state:(failing, off)": [3, 4], "alert.state:new": [5],
        "alert.state:pending": [6], "alert.state:normal": [2], "card": [0], "alert.name~ONES": [1],
        "alert.acknowledged:ann": [1], "alert.state:active no:alert.acknowledged": [0],
        "alert.value>50 alert.limit<6": [0, 1], "no:alert.value": [3, 4, 5], "alert.limit:2..3": [2, 3],
        f"flow:{parcels.flow} alert.kind:count alert.author:user1": [1, 3, 5], "flow:another": [],
        "alert.started:today": [0, 1], "not alert.state:active alert.limit<3": [2],
    }.items():  # fmt: skip
        assert sorted(shown(ben, q=text)) == [rules[place] for place in places], text
    wid = parcels.start()
    for text, found in {"alert.state:active": True, 'alert.name:"Not one"': False}.items():
        page = get(ben, f"/flows/{parcels.flow}/?{urlencode({'q': text})}")
        assert (f'<tr id="wid-{wid}"' in page) is found, "an instance has the alerts of its flow"


def test_each_part_of_an_alert_can_be_asked_for(ben: Client, parcels: Parcels, rules: list[int]) -> None:
    """Every operator of every part is SQL that runs, over alerts and over instances."""
    values, number = {"numeric": "1", "timestamptz": "today", "text": "x"}, count()
    for name, part in PARTS.items():
        for operator in part.operators if name.startswith("alert.") else ():
            value = part.choices[0] if part.choices else values[part.kind]
            text = {"has": f"has:{name}", "no": f"no:{name}", "range": f"{name}:{value}..{value}"}.get(
                operator, f"{name}{operator}{value}"
            )
            others = (f"/flows/{parcels.flow}/", "/cases/", "/instances/")
            for page in ("/alerts/", *turn(others, next(number))):
                assert 'id="filter-error"' not in get(ben, f"{page}?{urlencode({'q': text})}"), (page, text)


def test_the_words_of_alerts_are_those_of_the_kernel(parcels: Parcels) -> None:
    source = parcels.connection.execute(
        "select prosrc from pg_proc where proname = '_alert_state'"
    ).fetchone()
    assert source and set(re.findall(r"(?:then|else)\s+'(\w+)'", source[0])) == set(ALERT_STATES)
    assert set(ALERT_STATE) == set(ALERT_STATES) and set(ALERT_KIND) == set(ALERT_KINDS)


@pytest.mark.parametrize("text", ["weight:1", "status:running", "case.state:new", 'where:"weight > 1"'])
def test_what_an_alert_does_not_have_cannot_be_asked_for(ben: Client, rules: list[int], text: str) -> None:
    page = get(ben, f"/alerts/?{urlencode({'q': text})}")
    assert 'id="filter-error"' in page and "Alerts cannot be filtered by" in page and shown(ben, q=text) == []
    form = {"list": "alerts", "name": "x", "q": text, "shared": "mine"}
    assert "Alerts cannot be filtered by" in ben.post("/views/", form).content.decode()


def test_the_numbers_over_the_list_lead_to_its_rows(ben: Client, rules: list[int]) -> None:
    page = get(ben, "/alerts/")
    found = dict(re.findall(r'href="\?q=alert.state%3A(\w+)">[^<]*<b>(\d+)</b>', page))
    assert found == {"active": "2", "pending": "1", "failing": "1", "normal": "1"}
    for state, number in found.items():
        assert len(shown(ben, q=f"alert.state:{state}")) == int(number)


def test_columns_are_chosen_and_kept_by_a_view(ben: Client, parcels: Parcels, rules: list[int]) -> None:
    text = text_of(get(ben, "/alerts/"))
    assert "who operates the flow" in text and "ann" in text, "whom the active ones wait for"
    page = get(ben, "/alerts/?columns=author,attr.customer")
    assert "user1" in page and "who operates the flow" not in page and ">customer<" not in page
    form = {"list": "alerts", "name": "Mine", "q": "alert.author:user1", "shared": "mine", "sort": "name",
            "columns": "author"}  # fmt: skip
    assert ben.post("/views/", form).status_code == 302
    page = get(ben, "/views/?list=alerts&counted=1")
    (href,) = set(re.findall(r'href="(/alerts/\?[^"]*)">Mine', page))
    assert re.search(r">Mine</a></th>\s*<td.*?>\s*<a[^>]*>3<", page, re.DOTALL)
    assert [*map(int, re.findall(r'"/alerts/(\d+)/"', get(ben, href.replace("&amp;", "&"))))] == [
        rules[n] for n in (5, 3, 1)
    ]


def test_nobody_finds_alerts_of_flows_that_they_may_not_see(
    site: None, parcels: Parcels, rules: list[int], payments: str
) -> None:
    stranger = client_of(person("mal", f"flow:{payments}"))
    for text in ("", "alert.limit>=0", f"flow:{parcels.flow}", "card"):
        assert shown(stranger, q=text) == [], text
    form = {"list": "alerts", "name": "All", "q": "alert.limit>=0", "shared": "mine"}
    assert stranger.post("/views/", form).status_code == 302
    page = get(stranger, "/views/?list=alerts&counted=1")
    assert re.search(r">All</a></th>\s*<td.*?>\s*<a[^>]*>0<", page, re.DOTALL), "nor their number"
    assert "No alerts" in get(stranger, "/alerts/")
