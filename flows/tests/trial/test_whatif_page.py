"""The tab What if: a condition over the living instances and over the history."""

from __future__ import annotations

import html
import json
import re
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from flows import api
from flows.models import Flow
from flows.tests.pages import unique
from testkit.slow import slow_statements

pytestmark = pytest.mark.django_db(transaction=True)


def text_of(page: Any) -> str:
    assert page.status_code == 200, page.status_code
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", page.content.decode()).split()))


def examined(client: Client, flow: str, **query: str) -> Any:
    address = reverse("admin:flows_flow_whatif", args=[Flow.objects.get(name=flow).pk])
    return client.get(address, query)


def test_a_condition_is_counted_over_living_instances_with_links(alice: Client, fig2: str) -> None:
    wid = api.instances.start_many(fig2, [{}])[0].wid  # type: ignore[union-attr]

    page = examined(alice, fig2, condition="a1 = 'ready'")

    assert "True on 1 of 1 living instances, unknown on 0, failing on 0." in text_of(page)
    assert reverse("monitor:instance", args=[wid]) in page.content.decode()
    assert "Had this rule existed" not in text_of(page)


def test_conditions_of_rules_are_said_as_sentences_with_their_sql(alice: Client) -> None:
    flow = unique()
    api.flows.create(flow)
    rules = [
        {"transition": "tr_pay", "predicate": "paid is null"},
        {"predicate": "paid = 'yes'", "final": True},
    ]
    api.flows.publish(flow, {"attributes": [{"name": "paid", "label": "Payment"}], "triggers": rules})

    page = examined(alice, flow, condition="paid = 'yes'")

    assert "Final condition : Payment is 'yes' tr_pay : Payment is empty" in text_of(page)
    assert 'title="paid = &#x27;yes&#x27;"' in page.content.decode()
    assert "<strong>Payment is &#x27;yes&#x27;</strong>" in page.content.decode()


def test_the_history_since_a_day_is_examined(alice: Client, fig2: str) -> None:
    api.instances.start_many(fig2, [{}] * 2)

    text = text_of(examined(alice, fig2, condition="a1 = 'ready'", since="2020-01-01"))

    assert "Had this rule existed since 2020-01-01" in text
    assert "0 of 0 exceptions would not have begun" in text and "2 times it would have fired." in text
    assert "2 steps of 2 of 2 instances were examined." in text


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ({"condition": "nowhere = 1"}, "nowhere"),
        ({"condition": "a1 in (select 1)"}, "is not allowed"),
        ({"condition": "a1 = 'x'; drop table x"}, "not"),
        ({"condition": "a1 = 'x'", "since": "soon"}, "This is not a day"),
        ({"condition": "a1 = 'x'", "since": "2026-13-01"}, "This is not a day"),
        ({"condition": "a1 = '" + "x" * 20_000 + "'"}, "at most 20000 characters"),
        ({"condition": "a1 = '\0'"}, "Null characters are not allowed"),
        ({"condition": ""}, "This field is required"),
    ],
)
def test_what_cannot_be_examined_is_said(
    alice: Client, fig2: str, query: dict[str, str], answer: str
) -> None:
    page = examined(alice, fig2, **query)

    assert re.search(r'role="alert"|<noscript><div class="field-error"', page.content.decode())
    assert answer in text_of(page) and "True on" not in text_of(page)
    assert html.escape(query["condition"], quote=True) in page.content.decode()


def test_what_is_not_examined_in_time_says_so(alice: Client, fig2: str) -> None:
    with slow_statements("wedsql.what_if"):
        page = examined(alice, fig2, condition="a1 = 'ready'", since="2020-01-01")

    assert page.status_code == 200 and "canceling statement" in page.context["error"]


def test_the_error_is_marked_under_its_characters(alice: Client, fig2: str) -> None:
    page = examined(alice, fig2, condition="a1 = 'x' and nowhere = 1").content.decode()

    assert re.search(r'<code class="excerpt"[^>]*>a1 = &#x27;x&#x27; and nowhere = 1\n {13}\^</code>', page)
    assert "True on" not in page


def test_the_condition_is_typed_in_the_editor_over_the_attributes_that_run(alice: Client, fig2: str) -> None:
    draft = api.drafts.open(fig2, actor="alice")
    draft.definition["attributes"][0]["name"] = "renamed"
    api.drafts.save(draft.at, draft.definition, actor="alice")

    page = examined(alice, fig2).content.decode()

    assert 'class="wed-predicate"' in page and "flows/designer/conditions.js" in page
    names = json.loads(
        page.partition('<script id="attributes" type="application/json">')[2].partition("</script>")[0]
    )
    assert [each["name"] for each in names] == ["a1", "a2", "a3"]
    api.drafts.discard(api.drafts.read(fig2).at)


def test_a_rule_has_a_link_that_examines_its_condition(alice: Client, fig2: str) -> None:
    design = reverse("admin:flows_flow_rules", args=[Flow.objects.get(name=fig2).pk])
    page = alice.get(f"{design}?rule=1").content.decode()
    link = re.search(r'href="([^"]*/what-if/\?condition=[^"]*)"', page)
    assert link is not None

    assert "living instances" in text_of(alice.get(html.unescape(link[1])))
    assert "/what-if/?condition" not in alice.get(f"{design}?rule=new").content.decode()


def test_the_command_prints_the_same(fig2: str) -> None:
    api.instances.start_many(fig2, [{}])
    out = StringIO()
    call_command(
        "flowwhatif", fig2, "a1 = 'ready'", since=datetime(2020, 1, 1, tzinfo=UTC), json=True, stdout=out
    )
    found = json.loads(out.getvalue())
    assert (found["true"], found["history"]["became_true"]) == (1, 1)
    plain = StringIO()
    call_command("flowwhatif", fig2, "a1 = 'ready'", history=True, stdout=plain)
    assert "True on 1, unknown on 0" in plain.getvalue() and "became true 1 times" in plain.getvalue()
