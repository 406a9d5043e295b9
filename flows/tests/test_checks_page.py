"""The tab Checks: findings with their evidence and their places, problems first, and a clean definition."""

from __future__ import annotations

import html
import re

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from flows import api
from flows.models import Flow
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db


def shown(client: Client, flow: str) -> str:
    page = client.get(reverse("admin:flows_flow_checks", args=[Flow.objects.get(name=flow).pk]))
    assert page.status_code == 200
    return html.unescape(page.content.decode())


def drafted(flow: str, **first: str) -> None:
    """Open a draft in which the first rule has these options."""
    draft = api.open_draft(flow, actor="ann")
    draft.definition["triggers"][0] |= first
    api.save_draft(draft.at, draft.definition, actor="ann")


def test_a_rule_that_never_holds_is_found_in_the_draft(alice: Client, fig2: str) -> None:
    drafted(fig2, predicate="a1 = 'ready' and a1 is null")

    page = shown(alice, fig2)

    assert "never" in page and "proved" in page
    place = re.search(r'href="([^"]*\?rule=[^"]*)"', page)
    assert place is not None and alice.get(place[1]).status_code == 200


def test_a_problem_is_solved_before_the_checks_run(alice: Client, fig2: str) -> None:
    drafted(fig2, predicate="nowhere is null")

    assert "1 problem prevents publishing" in shown(alice, fig2)


def test_a_definition_without_findings_says_so(alice: Client) -> None:
    flow = unique()
    api.create_flow(flow)
    triggers = [
        {"transition": "tr_a", "predicate": "a is null", "writes": ["a"]},
        {"predicate": "a = 1", "final": True},
    ]
    api.publish(flow, {"attributes": [{"name": "a", "type": "integer"}], "triggers": triggers})
    with connection.cursor() as cursor:
        serves = [f"{flow}:tr_a"]
        cursor.execute("select wedsql.register_worker('runner', 'test', 'here', 1, %s)", [serves])

    page = shown(alice, flow)

    assert "Nothing was found" in page, re.findall(r'data-label="Finding">([^<]*)', page)
