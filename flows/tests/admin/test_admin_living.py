"""A definition is changed in the admin while the flow has living instances."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from flows import api
from flows.models import Flow, Trigger
from flows.tests.designer import change, columns, define, fourth, row_of, schema_exists
from flows.tests.pages import all_errors, errors_at

pytestmark = pytest.mark.django_db


def test_a_type_that_living_values_do_not_fit_is_refused_at_the_type(alice: Client) -> None:
    name = define(alice, **fourth("note"))
    api.instances.start(name, {"note": "three"})
    row = row_of(alice, name, "attributes", "note")

    response = change(alice, name, **{f"attributes-{row}-type": "integer"})

    assert errors_at(response, f"attributes-{row}-type"), all_errors(response)
    assert columns(name)["note"][0] == "text"


def test_a_type_that_fits_is_changed(alice: Client) -> None:
    name = define(alice, **fourth("note"))
    api.instances.start(name, {"note": "3"})
    row = row_of(alice, name, "attributes", "note")

    assert change(alice, name, **{f"attributes-{row}-type": "integer"}).status_code == 302

    assert columns(name)["note"][0] == "integer"


def test_renaming_an_attribute_rewrites_the_predicates(alice: Client) -> None:
    name = define(alice)
    row = row_of(alice, name, "attributes", "a2")

    response = change(alice, name, **{f"attributes-{row}-name": "approved"})

    assert response.status_code == 302, all_errors(response)
    first = Trigger.objects.filter(flow__name=name).first()
    assert first is not None
    assert "approved is null" in first.predicate
    assert set(columns(name)) == {"a1", "approved", "a3"}
    assert api.instances.start(name) > 0


def test_a_trigger_that_may_write_nothing_differs_from_one_that_may_write_all(alice: Client) -> None:
    def writes() -> list[list[str] | None]:
        return list(Trigger.objects.filter(flow__name=name).order_by("tgid").values_list("writes", flat=True))

    name = define(alice)
    assert writes()[0] is None
    response = change(alice, name, **{"triggers-0-writes": "-"})
    assert response.status_code == 302, all_errors(response)
    assert writes()[0] == []

    assert change(alice, name, **{"triggers-0-label": "Another change"}).status_code == 302

    assert writes()[0] == [] and writes()[1] is None


def test_a_rename_holds_for_a_trigger_that_is_changed_in_the_same_save(alice: Client) -> None:
    name = define(alice)
    row = row_of(alice, name, "attributes", "a2")

    response = change(alice, name, **{f"attributes-{row}-name": "approved", "triggers-0-label": "First"})

    assert response.status_code == 302, all_errors(response)
    first = Trigger.objects.filter(flow__name=name)[0]
    assert (first.label, first.predicate) == ("First", "a1='ready' and (approved is null)")


def test_an_attribute_that_is_still_named_stays_and_the_places_are_listed(alice: Client) -> None:
    name = define(alice)
    row = row_of(alice, name, "attributes", "a2")

    response = change(alice, name, **{f"attributes-{row}-DELETE": "on"})

    shown = errors_at(response, f"attributes-{row}:row")
    assert shown.count("t1.predicate") == shown.count("tf.predicate") == 1, all_errors(response)
    assert shown in _text(response)
    assert "a2" in columns(name)


def _text(response: Any) -> str:
    return re.sub(r"<[^>]+>", " ", response.content.decode())


def test_an_attribute_leaves_together_with_what_named_it(alice: Client) -> None:
    name = define(alice)
    row = row_of(alice, name, "attributes", "a2")
    typed = {
        f"attributes-{row}-DELETE": "on",
        "triggers-0-DELETE": "on",
        "triggers-2-predicate": "a3 is not null",
    }

    response = change(alice, name, **typed)

    assert response.status_code == 302, all_errors(response)
    assert set(columns(name)) == {"a1", "a3"}
    assert Trigger.objects.filter(flow__name=name).count() == 3


def test_a_trigger_with_pending_jobs_is_not_deleted(alice: Client) -> None:
    name = define(alice)
    api.instances.start(name)

    response = change(alice, name, **{"triggers-0-DELETE": "on"})

    assert "pending" in errors_at(response, "triggers-0:row"), all_errors(response)
    assert Trigger.objects.filter(flow__name=name).count() == 4


def test_a_flow_with_instances_is_not_deleted_and_the_page_says_why(alice: Client) -> None:
    name = define(alice)
    api.instances.start(name)
    address = reverse("admin:flows_flow_delete", args=(Flow.objects.get(name=name).pk,))

    assert "has instances" in alice.get(address).content.decode()
    response = alice.post(address, {"post": "yes"}, follow=True)

    assert "has instances" in response.content.decode()
    assert Flow.objects.filter(name=name).exists()
    assert schema_exists(name)
