"""Every field of the page of a flow has a label, and the elements that describe it exist."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from django.test import Client

from flows.tests.designer import ADD, blank, define, page
from flows.tests.pages import figure_two, unique

pytestmark = pytest.mark.django_db


class Fields(HTMLParser):
    """Parses the flow's form: fields by id with the ids of their descriptions, targets of labels, all ids."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.described: dict[str, list[str]] = {}
        self.labelled: set[str | None] = set()
        self.ids: list[str] = []
        self.feed(html[html.index('id="flow_form"') : html.index('class="submit-row"')])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "label":
            self.labelled.add(given.get("for"))
        if tag in ("input", "select", "textarea") and given.get("type") != "hidden":
            self.described[given["id"] or ""] = (given.get("aria-describedby") or "").split()
        if given.get("id"):
            self.ids.append(str(given["id"]))


def read_fields(html: str) -> Fields:
    found = Fields(html)
    assert len(found.ids) == len(set(found.ids))
    assert set(found.described) - found.labelled == set()
    assert {name for names in found.described.values() for name in names} - set(found.ids) == set()
    return found


def test_each_field_of_a_new_flow_and_of_a_defined_one_has_its_label(alice: Client) -> None:
    fields = read_fields(alice.get(ADD).content.decode()).described
    assert {f"id_attributes-{row}-type" for row in ("0", "2", "__prefix__")} <= set(fields)

    fields = read_fields(alice.get(page(define(alice))).content.decode()).described
    assert fields["id_attributes-1-options"] == ["id_attributes-1-options_helptext"]
    assert "id_attributes-1-DELETE" in fields


def test_what_was_refused_describes_its_field(alice: Client) -> None:
    typed = figure_two(unique()) | {"attributes-1-name": "wid", "attributes-2-options": "a"}

    response = alice.post(ADD, blank(alice) | typed)

    assert read_fields(response.content.decode()).described["id_attributes-1-name"] == [
        "id_attributes-1-name_helptext",
        "id_attributes-1-name_error",
    ]
