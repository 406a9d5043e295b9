"""A page shows the preview of a form twice: each reference leads to a text of the same preview."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest
from django.test import Client

from flows import api
from flows.designer.forms.form_fields import KINDS
from flows.tests.pages import opened, unique
from flows.tests.publication.drafting import at, send

pytestmark = pytest.mark.django_db
REFERENCES = r'\s(?:aria-describedby|aria-labelledby|aria-controls|for|list)="([^"]*)"'
MORE: dict[str, dict[str, Any]] = {
    "choice": {"options": ["1", "2"]},
    "choices": {"options": ["1", "2"]},
    "table": {"columns": [{"name": "part", "label": "Part"}]},
}
# Each kind of each type of attribute, and each type without one.
ASKED = [(type_, kind) for type_, kinds in KINDS.items() for kind in ("", *kinds)] + [("boolean", "")]


def field(number: int, kind: str) -> dict[str, Any]:
    given = {"attribute": f"a{number}", "help": "About it.", "unit": "kg", **MORE.get(kind, {})}
    query = {"query": {"value": f"a{number}", "columns": ["done"]}} if kind == "query" else {}
    return given | query | ({"kind": kind} if kind else {})


@pytest.fixture
def form() -> dict[str, Any]:
    fields = [field(number, kind) for number, (_type, kind) in enumerate(ASKED)]
    return {"sections": [{"fields": [*fields, {"attribute": "done", "help": "Only shown.", "unit": "kg"}]}]}


@pytest.fixture
def flow() -> str:
    name, names = unique(), [f"a{number}" for number in range(len(ASKED))]
    attributes: list[dict[str, Any]] = [
        {"name": attribute, "type": type_} | ({"options": ["1", "2"]} if type_ == "enum" else {})
        for attribute, (type_, _kind) in zip(names, ASKED, strict=True)
    ]
    task = {"transition": "ask", "predicate": "done is null", "performer": "person", "writes": names}
    final = {"predicate": "done is not null", "final": True}
    api.flows.create(name)
    api.flows.publish(name, {"attributes": [*attributes, {"name": "done"}], "triggers": [task, final]})
    return name


def ids_of(html: str) -> Counter[str]:
    return Counter(re.findall(r'\sid="([^"]*)"', html))


def references(html: str) -> set[str]:
    return {name for names in re.findall(REFERENCES, html) for name in names.split()}


def test_references_of_both_previews_have_targets_of_their_own(
    alice: Client, flow: str, form: dict[str, Any]
) -> None:
    send(alice, at(flow, query="?rule=1"), form=json.dumps(form))
    html = alice.get(at(flow, "forms")).content.decode()
    ids = ids_of(html)
    assert [name for name, times in ids.items() if times > 1] == []
    assert references(html) - ids.keys() == set()
    looks = [part.partition("</figure>")[0] for part in html.split("data-look=")[1:]]
    assert len(looks) == 2
    for look in looks:
        assert references(look) <= ids_of(look).keys()
        assert look.count("aria-describedby=") == len(ASKED) + 1


def test_references_of_a_preview_have_the_prefix_that_was_asked_for(
    alice: Client, flow: str, form: dict[str, Any]
) -> None:
    fields = opened(alice, at(flow, query="?rule=1"))
    fields |= {"form": json.dumps(form), "do": "form", "prefix": "there-"}
    html = alice.post(at(flow), fields).content.decode()
    assert references(html) <= ids_of(html).keys() and references(html)
    assert {name for name in references(html) | ids_of(html).keys() if not name.startswith("there-")} == set()
