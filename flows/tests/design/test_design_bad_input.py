"""A draft that cannot be published is shown by every tab, with its problems, and nothing of it is lost."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from flows import api
from flows.models import Flow
from flows.tests.pages import opened, unique
from flows.tests.publication.drafting import at, fields_of, submit, text_of
from flows.tests.publication.publish_page import drafted
from flows.types import DraftAt
from testkit.cases import pairs, some

pytestmark = pytest.mark.django_db

DEFINITION: dict[str, Any] = {
    "attributes": [{"name": "a"}, {"name": "b", "type": "enum", "options": ["x", "y"]}],
    "triggers": [
        {"name": "one", "transition": "tr_one", "predicate": "a is null and b = 'x'"},
        {"final": True, "predicate": "a is not null"},
    ],
}
# The part, the place in it, and what is put over the item there.
BAD: dict[str, tuple[str, int, dict[str, Any]]] = {
    "time that is none": ("triggers", 0, {"timeout": "00:03d18h01:00"}),
    "number as condition": ("triggers", 0, {"predicate": 5}),
    "list as condition": ("triggers", 0, {"predicate": ["a"]}),
    "no condition": ("triggers", 0, {"predicate": None}),
    "half a condition": ("triggers", 0, {"predicate": "a is null and ("}),
    "hostile condition": ("triggers", 0, {"predicate": "a = '' or pg_sleep(9) is null; drop table x --"}),
    "deep condition": ("triggers", 0, {"predicate": "(" * 20_000 + "a is null"}),
    "long condition": ("triggers", 0, {"predicate": "a is null" + " and a is null" * 200_000}),
    "text as number": ("triggers", 0, {"max_attempts": "many"}),
    "object as name": ("triggers", 0, {"name": {"x": 1}, "transition": [1]}),
    "unknown option": ("triggers", 0, {"colour": "red"}),
    "unknown type": ("attributes", 1, {"type": "colour"}),
    "number as type": ("attributes", 1, {"type": 7}),
    "text as options": ("attributes", 1, {"options": "x"}),
    "number as name": ("attributes", 0, {"name": 7}),
    "no name": ("attributes", 0, {"name": None}),
    "name of another": ("attributes", 0, {"name": "b"}),
    "name with a quote": ("attributes", 0, {"name": "a'\"<script>"}),
    "attribute that was removed": ("attributes", 0, {"name": "renamed"}),
}
EDITED = ("rules", "attributes", "settings", "text", "publish")
SHOWN = ("picture", "try", "checks", "versions", "scenarios")


def damaged(definition: dict[str, Any], kind: str) -> dict[str, Any]:
    part, place, values = BAD[kind]
    items = list(definition[part])
    items[place] = items[place] | values
    return definition | {part: items}


@pytest.mark.parametrize(("kind", "published"), pairs(sorted(BAD), [True, False], 2))
def test_each_tab_shows_a_draft_that_cannot_be_published(alice: Client, kind: str, published: bool) -> None:
    name = unique("bad")
    definition = DEFINITION
    if published:
        api.flows.create(name)
        api.flows.publish(name, DEFINITION)
        definition = api.drafts.running_definition(name)[1]
    draft = api.drafts.open(name, definition=None if published else DEFINITION, actor="alice")
    at = DraftAt(name, "main", draft.revision)
    api.drafts.save(at, damaged(definition, kind), actor="alice")

    for tab in (*EDITED, *SHOWN) if published else EDITED:
        address = (
            reverse(f"admin:flows_flow_{tab}", args=[Flow.objects.get(name=name).pk])
            if published
            else reverse(f"admin:flows_flow_new_{tab}", args=[name])
        )
        for query in some(("?rule=1&attribute=1", ""), 2):
            response = alice.get(address + query)
            assert response.status_code == 200, (tab, query)
        if tab == "publish":
            assert re.search(r"problems? prevents? publishing:", response.content.decode())
    assert api.drafts.read(name).definition == damaged(definition, kind)


def test_what_was_typed_stays_where_the_kernel_rejects_a_draft(alice: Client, fig2: str) -> None:
    """Nothing can be saved: the flow has as many other drafts as it may have."""
    typed = {
        "rules": opened(alice, at(fig2, query="?rule=1")) | {"label": "Typed"},
        "text": {**(text := opened(alice, at(fig2, "text"))), "text": f"{text['text']}# Typed\n"},
        "paste": opened(alice, at(fig2, "paste", "?part=triggers")) | {"rows": "name\tlabel\nt1\tTyped"},
    }
    for number in range(20):
        api.drafts.open(fig2, f"b{number}")

    for tab, fields in typed.items():
        answer = submit(alice, at(fig2, tab), fields)
        assert "There are too many drafts" in text_of(answer), tab
        assert "Typed" in " ".join(fields_of(answer).values()), tab


def test_the_impact_of_what_cannot_be_evaluated_is_an_error_on_the_page(alice: Client, fig2: str) -> None:
    drafted(fig2, "nowhere = 1")

    assert "nowhere" in alice.get(at(fig2, "impact")).context["error"]
    assert alice.get(at(fig2, "impact", "?version=99999")).status_code == 404
