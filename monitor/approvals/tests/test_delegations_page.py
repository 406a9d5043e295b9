"""Approving is delegated for some days on a page."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from flows import api
from monitor.tests.conftest import HERE, Parcels, client_of, get, person, text_of

PAGE = "/cases/delegations/"


@pytest.fixture
def dan(parcels: Parcels, site: None) -> Client:
    """Approves repairs."""
    return client_of(person("dan", f"flow:{parcels.flow}:approve_repair"))


EVE, DAN = f"eve{HERE}", f"dan{HERE}"


def sent(client: Client, flow: str, to: str = EVE, **more: str) -> str:
    today = datetime.now(UTC).date()
    given = {"flow": flow, "to": to, "begin": str(today), "end": str(today + timedelta(days=2))}
    return text_of(client.post(PAGE, given | more, follow=True).content)


def test_approving_is_delegated_until_the_end_of_a_day_and_ended(dan: Client, parcels: Parcels) -> None:
    eve = client_of(person("eve", f"flow:{parcels.flow}"))
    said = sent(dan, parcels.flow, EVE.title())
    assert f"{EVE.title()} approves for you on these days." in said
    assert f"{EVE.title()} cannot approve what you propose or have approved" in said
    [made] = api.approvals.list_delegations([parcels.flow])
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    assert (made.from_person, made.to_person, made.ends_at) == (DAN, EVE.title(), today + timedelta(days=3))
    assert [each.id for each in api.approvals.list_delegations(None, EVE)] == [made.id], "it has begun"
    assert f'value="{made.id}"' in get(dan, PAGE) and 'name="end_now"' not in get(eve, PAGE)
    assert f"{(today + timedelta(days=2)).date()}" in text_of(get(eve, PAGE))
    assert eve.post(PAGE, {"end_now": made.id}).status_code == 403
    assert "The delegation is ended." in text_of(dan.post(PAGE, {"end_now": made.id}, follow=True).content)
    assert api.approvals.list_delegations([parcels.flow]) == []


def test_what_has_no_effect_is_not_delegated(dan: Client, parcels: Parcels) -> None:
    person("sven")
    person("eve", f"flow:{parcels.flow}")
    other = client_of(person("oda", f"flow:{parcels.flow}:approve_repair"))
    for name in (f"sven{HERE}", "none such", "", "a\x00b"):
        sent(dan, parcels.flow, name)
    for end in ("2000-01-01", "9999-12-31", "x"):
        sent(dan, parcels.flow, end=end)
    for more in ({"flow": "other"}, {"to": DAN}):
        sent(dan, **({"flow": parcels.flow} | more))
    assert api.approvals.list_delegations([parcels.flow]) == []
    sent(dan, parcels.flow)
    [made] = api.approvals.list_delegations([parcels.flow])
    refused = text_of(other.post(PAGE, {"end_now": made.id}, follow=True).content)
    assert (
        "There is no such delegation." in refused and len(api.approvals.list_delegations([parcels.flow])) == 1
    )


def test_others_see_the_delegations_of_their_flows_only(dan: Client, parcels: Parcels) -> None:
    person("eve", f"flow:{parcels.flow}")
    sent(dan, parcels.flow)
    assert EVE not in text_of(get(client_of(person("sven")), PAGE))
    assert client_of(person("olga", f"flow:{parcels.flow}:operate")).post(PAGE, {}).status_code == 403
