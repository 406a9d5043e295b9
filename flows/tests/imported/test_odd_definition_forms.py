"""Texts that no flow can have, in the form of a flow: the page shows them again."""

from __future__ import annotations

import html

import pytest
from django.test import Client

from flows.tests.designer import opened, page

pytestmark = pytest.mark.django_db(transaction=True)
ODD = ('"\\ud800"', '{"a": ["\\udc00"]}', "1e99999999")
FIELDS = ("triggers-0-form", "triggers-0-label", "attributes-0-default", "label")


def test_what_no_flow_can_have_is_shown_again(admin_client: Client, fig2: str) -> None:
    fields = opened(admin_client, page(fig2))
    assert fields.keys() >= {*FIELDS}
    for name in FIELDS:
        for odd in ODD if name == FIELDS[0] else ODD[:1]:
            answer = admin_client.post(page(fig2), fields | {name: odd})
            assert answer.status_code in (200, 302), (name, odd)
            if answer.status_code == 200:
                assert odd in html.unescape(answer.content.decode()), f"{name} is not shown again"
