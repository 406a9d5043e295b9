"""The form of a task on its page: fields by their conditions, drafts, errors at fields, what would happen."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils.html import escape

from flows import api
from flows.tests.pages import Form, opened, unique
from monitor.tasks.tests.test_tasks_pages import page_of, person, taken

pytestmark = pytest.mark.django_db(transaction=True)

DEFINITION: dict[str, Any] = {
    "label": "Repairs",
    "attributes": [
        {"name": "customer", "label": "Customer", "business_key": True},
        {"name": "cost", "type": "numeric", "label": "Cost"},
        {"name": "kind", "type": "enum", "options": ["small", "large"], "label": "Kind"},
        {"name": "reason", "label": "Reason"},
        {"name": "faults", "type": "jsonb", "label": "Faults"},
        {"name": "parts", "type": "jsonb", "label": "Parts"},
        {"name": "helper", "label": "Helper"},
        {"name": "verdict"},
        {"name": "secret", "visibility": "masked"},
    ],
    "triggers": [
        {
            "transition": "inspect",
            "predicate": "verdict is null",
            "performer": "person",
            "role": "Expert",
            "writes": ["cost", "kind", "reason", "faults", "parts", "helper", "secret", "verdict"],
            "outcomes": ["Repair: verdict = 'repair'", "Return: verdict = 'return'"],
            "form": {
                "sections": [
                    {
                        "title": "The device",
                        "help": "As it arrived.",
                        "fields": [
                            {"attribute": "customer"},
                            {
                                "attribute": "faults",
                                "kind": "choices",
                                "options": ["screen", "fan", "it's <odd>"],
                            },
                            {
                                "attribute": "parts",
                                "kind": "table",
                                "columns": [{"name": "part"}, {"name": "count", "label": "How many"}],
                            },
                        ],
                    },
                    {
                        "title": "The cost",
                        "fields": [
                            {"attribute": "cost", "required": True, "unit": "BRL", "help": "Without tax."},
                            {
                                "attribute": "reason",
                                "kind": "long",
                                "placeholder": "Why so much?",
                                "shown": "cost > 100",
                                "required": "cost > 100 and secret is null",
                            },
                            {"attribute": "helper", "kind": "person", "default": "maria"},
                            {"attribute": "secret"},
                        ],
                    },
                ]
            },
        },
        {
            "transition": "order",
            "label": "Order the parts",
            "predicate": "verdict = 'repair' and helper is null",
        },
        {"transition": "measure", "predicate": "helper = 'meter' and verdict is null"},
        {"predicate": "verdict = 'return'", "final": True},
    ],
}  # fmt: skip


@pytest.fixture
def flow() -> Any:
    get_user_model().objects.get_or_create(username="maria")
    name = unique("repairs")
    api.flows.create(name)
    api.flows.publish(name, DEFINITION)
    yield name
    api.flows.drop(name, force=True)


def state(wid: int) -> dict[str, Any]:
    return dict(api.reasons.explain_instance(wid).state)


def test_a_form_has_sections_helps_units_and_what_is_only_shown(flow: str) -> None:
    expert = person("role:Expert")
    api.instances.start(flow, {"customer": "Lima"})
    shown = page_of(expert, taken(expert))
    for text in ("The device", "As it arrived.", "Without tax.", "BRL", "Why so much?", "How many", "Lima"):
        assert text in shown
    assert "value-kind" not in shown and "value-customer" not in shown and "value-secret" not in shown
    assert 'value="maria"' in shown and escape("it's <odd>") in shown
    found = json.loads(shown.split('id="form-conditions" type="application/json">')[1].split("</script>")[0])
    assert found["conditions"]["reason"]["shown"][0] == ">" and found["state"] == {"cost": None}
    assert found["conditions"]["reason"]["required"] is None  # it reads what the expert may not see


def test_lists_are_written_as_lists_and_the_proposed_value_as_typed(flow: str) -> None:
    expert = person("role:Expert")
    wid = api.instances.start(flow, {"parts": [{"part": "fan", "count": 2, "note": "kept"}]})
    address = taken(expert)
    fields = opened(expert, address)
    sent = {
        **fields,
        "value-faults": ["fan", "it's <odd>"],
        "cell-parts-0-part": "big fan",
        "cell-parts-2-part": "screw",
        "value-cost": "12",
        "outcome": "Repair",
    }
    assert expert.post(address, sent).status_code == 302
    found = state(wid)
    assert found["faults"] == ["fan", "it's <odd>"] and found["helper"] == "maria"
    assert found["parts"] == [{"part": "big fan", "count": 2, "note": "kept"}, {"part": "screw"}]


def test_what_is_not_touched_is_not_written(flow: str) -> None:
    expert = person("role:Expert")
    wid = api.instances.start(
        flow, {"faults": ["fan"], "parts": [{"count": 2, "part": "x"}], "helper": "joe", "cost": 5}
    )
    address = taken(expert)
    fields = opened(expert, address)
    assert expert.post(address, {**fields, "value-faults": "fan", "outcome": "Return"}).status_code == 302
    found = state(wid)
    assert (found["faults"], found["parts"]) == (["fan"], [{"count": 2, "part": "x"}])


def test_what_the_kernel_does_not_take_is_told_at_the_fields_and_nothing_is_lost(flow: str) -> None:
    expert = person("role:Expert")
    wid = api.instances.start(flow, {})
    address = taken(expert)
    sent = {
        **opened(expert, address),
        "value-reason": "because",
        "value-faults": ["screen"],
        "outcome": "Repair",
    }
    answer = expert.post(address, sent).content.decode()
    assert "This field is required." in answer and "not asked for now" in answer
    assert 'href="#value-cost"' in answer and 'id="value-cost-error"' in answer
    again = Form(answer).fields
    assert (again["value-reason"], again["value-faults"]) == ("because", "screen")
    assert expert.post(address, {**again, "value-cost": "250", "outcome": "Repair"}).status_code == 302
    found = state(wid)
    assert (found["reason"], found["faults"], str(found["cost"])) == ("because", ["screen"], "250")


def test_a_draft_comes_back_until_it_is_sent_or_discarded(flow: str) -> None:
    expert = person("role:Expert")
    wid = api.instances.start(flow, {})
    address = taken(expert)
    sent = {
        **opened(expert, address),
        "value-cost": "7",
        "value-faults": ["fan"],
        "cell-parts-0-part": "bolt",
    }
    assert expert.post(f"{address}draft/", sent).json() == {"kept": True}
    shown = page_of(expert, address)
    again = Form(shown).fields
    assert "What you typed here earlier" in shown and again["value-cost"] == "7"
    assert (again["value-faults"], again["cell-parts-0-part"]) == ("fan", "bolt")
    expert.post(f"{address}discard/")
    assert opened(expert, address)["value-cost"] == ""
    assert expert.post(f"{address}draft/", sent).json() == {"kept": True}
    assert expert.post(address, {**opened(expert, address), "outcome": "Return"}).status_code == 302
    assert str(state(wid)["cost"]) == "7"
    assert expert.post(f"{address}draft/", sent).status_code == 409


def test_a_draft_tells_what_was_changed_since_it_was_typed(flow: str) -> None:
    expert = person("role:Expert")
    wid = api.instances.start(flow, {"cost": 5, "helper": "meter"})
    address = taken(expert)
    expert.post(f"{address}draft/", {**opened(expert, address), "value-cost": "7"})
    with transaction.atomic():
        api.jobs.complete(api.jobs.take(flow, ["measure"]), {"cost": 6})
    answer = expert.post(address, {**opened(expert, address), "outcome": "Repair"})
    assert answer.status_code == 200 and "Meanwhile it was changed to: 6." in answer.content.decode()
    assert (
        expert.post(address, {**Form(answer.content.decode()).fields, "outcome": "Repair"}).status_code == 302
    )
    assert str(state(wid)["cost"]) == "7"


def test_only_who_holds_the_task_has_its_draft(flow: str) -> None:
    expert, other = person("role:Expert"), person("role:Expert")
    api.instances.start(flow, {})
    address = taken(expert)
    expert.post(f"{address}draft/", {**opened(expert, address), "value-cost": "7"})
    assert other.post(f"{address}draft/", {"value-cost": "8", "shown": "{}"}).status_code == 409
    assert other.post(f"{address}letters/", {}).status_code == 403
    expert.post(f"{address}give/", {"to": other.user.username})  # type: ignore[attr-defined]
    assert taken(other) == address and opened(other, address)["value-cost"] == ""


def test_the_server_answers_what_a_browser_cannot_evaluate(flow: str) -> None:
    expert = person("role:Expert")
    api.instances.start(flow, {"secret": "x"})
    address = taken(expert)
    fields = opened(expert, address)
    found = expert.post(f"{address}letters/", {**fields, "value-cost": "101"}).json()
    assert found["reason"] == {"shown": "t", "required": "f", "readonly": "f"}
    assert (
        expert.post(f"{address}letters/", {**fields, "value-cost": "a lot"}).json()["reason"]["shown"] == "u"
    )


def test_what_will_happen_is_shown_and_nothing_is_done(flow: str) -> None:
    expert = person("role:Expert")
    wid = api.instances.start(flow, {"helper": None})
    address = taken(expert)
    sent = {**opened(expert, address), "value-cost": "12", "value-helper": "", "preview": "1"}
    shown = expert.post(address, sent).content.decode()
    assert "What will happen" in shown and "Order the parts" in shown and "<h3>Return</h3>" in shown
    assert Form(shown).fields["value-cost"] == "12" and state(wid)["cost"] is None
    assert "does not take" in expert.post(address, {**sent, "value-cost": ""}).content.decode()


def test_a_task_without_a_form_has_drafts_too(flow: str) -> None:
    api.flows.publish(
        flow,
        {
            **DEFINITION,
            "triggers": [{**DEFINITION["triggers"][0], "form": None}, *DEFINITION["triggers"][1:]],
        },
    )
    expert = person("role:Expert")
    api.instances.start(flow, {})
    address = taken(expert)
    expert.post(f"{address}draft/", {**opened(expert, address), "value-cost": "7"})
    assert opened(expert, address)["value-cost"] == "7"
