"""An empty list explains how rows come into it; a complete list does not offer to show all."""

from __future__ import annotations

import re

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from flows import api
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db

# The list of flows is one of our own pages.
OURS = [
    model
    for model in admin.site._registry
    if model._meta.app_label in ("flows", "django_q") and model._meta.model_name != "flow"
]


@pytest.fixture
def carol(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("carol"))
    return client


def empty(page: str) -> str:
    """Return the text that is shown instead of rows, or ''."""
    found = re.search(r'<div class="wed-empty">(.*?)</div>', page, re.DOTALL)
    return re.sub(r"<[^>]+>|\s+", " ", found[1]).strip() if found else ""


@pytest.mark.parametrize("model", OURS, ids=lambda model: model._meta.model_name)
def test_an_empty_list_teaches(model: type, carol: Client) -> None:
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")  # type: ignore[attr-defined]
    if model._default_manager.exists():  # type: ignore[attr-defined]
        pytest.fail("the database of this test is not empty")
    assert len(empty(carol.get(address).content.decode())) > 30
    if admin.site._registry[model].search_fields:
        searched = empty(carol.get(f"{address}?q=99999999").content.decode())
        assert searched.startswith("No row matches") and "Show all" in searched


def test_a_list_of_everything_does_not_offer_to_show_all(carol: Client) -> None:
    name = unique("shown")
    api.flows.create(name)
    for model in OURS:
        address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        assert "Show all" not in carol.get(address).content.decode(), model


def test_the_list_of_flows_says_what_to_do_where_it_is_empty(carol: Client) -> None:
    flows = reverse("admin:flows_flow_changelist")
    assert "loaddemo" in carol.get(flows).content.decode()
    name = unique("shown")
    api.flows.create(name)
    assert name in carol.get(flows).content.decode()
    searched = carol.get(f"{flows}?q=zzzzz").content.decode()
    assert name not in searched and "Show all" in searched
