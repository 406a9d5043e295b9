"""The page of the rules for the cases of a flow."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from flows import api
from flows.tests.pages import Form
from monitor.cases.tests.test_cases_page import case_of
from monitor.tests.conftest import Parcels, client_of, get, person, text_of


@pytest.fixture
def dora(parcels: Parcels, site: None) -> Client:
    """Designs the flow."""
    return client_of(person("dora", f"flow:{parcels.flow}:design"))


@pytest.fixture
def address(parcels: Parcels) -> str:
    return f"/flows/{parcels.flow}/case-rules/"


def save(client: Client, address: str, kind: str, row: int | None = None, **fields: Any) -> str:
    """Fill the form of a rule and return the page that follows."""
    place = f"{address}edit/?kind={kind}" + ("" if row is None else f"&row={row}")
    form = Form(get(client, place))
    return str(client.post(place, form.fields | fields, follow=True).content.decode())


def queues(parcels: Parcels) -> list[tuple[str, str]]:
    return [(one.queue, one.condition) for one in api.cases.list_rules(parcels.flow)]


def test_rules_are_added_changed_moved_and_removed(dora: Client, parcels: Parcels, address: str) -> None:
    page = get(dora, address)
    assert "No rules" in page and '?kind=queues" aria-current="page"' in page
    assert f'{address}edit/?kind=queues"' in page
    save(dora, address, "queues", queue="cards", condition="weight > 10", due_after="2h", priority="80")
    page = text_of(save(dora, address, "queues", queue="rest"))
    parts = ("1. cards", "normal, priority 80, due after 2h", "weight &gt; 10", "2. rest")
    assert [one for one in parts if one not in page] == []
    save(dora, address, "queues", 0, condition="weight > 20", severity="high")
    assert queues(parcels) == [("cards", "weight > 20"), ("rest", "")]
    first = api.cases.list_rules(parcels.flow)[0]
    assert (first.severity, first.priority, first.due_after) == ("high", 80, 7200)
    seen = Form(get(dora, address)).fields["seen"]
    dora.post(f"{address}?kind=queues", {"row": "1", "seen": seen, "do": "up"})
    assert queues(parcels) == [("rest", ""), ("cards", "weight > 20")]
    stale = dora.post(f"{address}?kind=queues", {"row": "1", "seen": seen, "do": "remove"}, follow=True)
    assert "changed meanwhile" in stale.content.decode() and len(queues(parcels)) == 2
    seen = Form(get(dora, address)).fields["seen"]
    dora.post(f"{address}?kind=queues", {"row": "0", "seen": seen, "do": "remove"})
    assert queues(parcels) == [("cards", "weight > 20")]


def test_what_the_kernel_rejects_is_not_saved_and_stays_in_the_form(
    dora: Client, parcels: Parcels, address: str
) -> None:
    page = save(dora, address, "queues", queue="cards", condition="wait > 10")
    assert 'role="alert"' in page and "wait" in text_of(page) and "wait &gt; 10" in page
    assert "lower-case" in save(dora, address, "queues", queue="No Queue")
    assert 'class="error-text"' in save(dora, address, "queues", queue="cards", due_after="soon")
    assert 'class="error-text"' in save(
        dora, address, "policies", name="a", operation="retry", arguments="[1]"
    )
    assert 'role="alert"' in save(dora, address, "links", label="a", url="javascript:alert(1)")
    assert queues(parcels) == []


def test_approvals_policies_and_links(dora: Client, parcels: Parcels, address: str) -> None:
    given = {"title": "Dear ones", "approvals": "2", "operations": ["patch"], "attributes": ["weight"]}
    assert "Dear ones" in save(dora, address, "approvals", condition="weight > 10", bulk_above="5", **given)
    [rule] = api.approvals.list_rules(parcels.flow)
    assert (rule.approvals, rule.operations, rule.attributes, rule.bulk_above) == (
        2,
        ["patch"],
        ["weight"],
        5,
    )
    changes = '{"changes": {"stage": "new"}}'
    save(
        dora,
        address,
        "policies",
        name="again",
        cause="STUCK",
        operation="patch",
        arguments=changes,
        delay="5m",
    )
    save(dora, address, "policies", 0, times="3")
    [policy] = api.repairs.list_policies(parcels.flow)
    assert (policy.operation, policy.arguments, policy.delay, policy.times, policy.cause) == (
        "patch", {"changes": {"stage": "new"}}, 300, 3, "STUCK",
    )  # fmt: skip
    url = "https://crm.example/c/{weight}?from={wid}"
    assert url in save(dora, address, "links", label="CRM", url=url)
    for kind in ("approvals", "policies", "links"):
        get(dora, f"{address}edit/?kind={kind}&row=0")


def test_the_rule_that_decides_is_marked(dora: Client, parcels: Parcels, address: str) -> None:
    save(dora, address, "queues", queue="heavy", condition="weight > 1000000")
    save(dora, address, "queues", queue="lost", condition="stage = 'lost'")
    wid = parcels.start()
    parcels.make_exception(wid)
    case = case_of(wid).number
    page = get(dora, f"{address}?case={case}")
    assert f"rule 2 decides about case {case}" in text_of(page) and page.count('class="decides"') == 1
    assert "No rules" in get(dora, f"{address}?kind=policies&case={case}")
    for odd in ("0", "x", "9" * 30, "%00"):
        assert "no open case" in get(dora, f"{address}?case={odd}")


def test_only_who_may_design_the_flow_reads_its_rules(parcels: Parcels, site: None, address: str) -> None:
    clerk = client_of(person("cleo", f"flow:{parcels.flow}:repair"))
    stranger = client_of(person("sven"))
    for place in (address, f"{address}edit/?kind=links"):
        assert [each.get(place).status_code for each in (clerk, stranger)] == [403, 404]
        assert [each.post(place).status_code for each in (clerk, stranger)] == [403, 404]
