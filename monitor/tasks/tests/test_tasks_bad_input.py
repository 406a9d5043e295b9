"""Forms that cannot be taken: each is answered with what is wrong, and nothing that was typed is lost."""

from __future__ import annotations

from copy import deepcopy
from io import BytesIO
from typing import Any

import pytest

from flows import api
from flows.tests.pages import Form, opened, unique
from monitor.tasks.tests.test_tasks_forms import DEFINITION, state
from monitor.tasks.tests.test_tasks_forms import flow as flow
from monitor.tasks.tests.test_tasks_pages import person, taken

pytestmark = pytest.mark.django_db(transaction=True)
TYPED = {"value-cost": "12", "value-faults": ["screen"], "cell-parts-0-part": "fan", "outcome": "Repair"}


def sent(expert: Any) -> tuple[str, dict[str, Any]]:
    """Return the address of a task that was taken, and its form as it was filled in."""
    address = taken(expert)
    return address, {**opened(expert, address), **TYPED}


def test_a_form_that_is_sent_twice_is_taken_once(flow: str) -> None:
    expert = person("role:Expert")
    wid = api.instances.start(flow, {})
    address, form = sent(expert)
    assert expert.post(address, form).status_code == 302
    history = len(api.reasons.explain_instance(wid).state)
    answer = expert.post(address, {**form, "value-cost": "13"})
    assert answer.status_code == 200
    shown = answer.content.decode()
    assert 'role="alert"' in shown and "has ended" in shown
    assert '<dd class="typed">13</dd>' in shown and "data-task-form" not in shown
    assert expert.post(address, form).status_code == 302  # the very same form: it was taken already
    assert str(state(wid)["cost"]) == "12" and len(api.reasons.explain_instance(wid).state) == history


def test_a_form_of_a_task_that_was_withdrawn_meanwhile_shows_what_was_typed(flow: str) -> None:
    expert = person("role:Expert")
    wid = api.instances.start(flow, {})
    address, form = sent(expert)
    api.instances.cancel(wid, "a mistake")
    answer = expert.post(address, form)
    shown = answer.content.decode()
    assert answer.status_code in (200, 404, 409) and 'role="alert"' in shown
    assert "What you typed" in shown and ">12<" in shown and "fan" in shown
    assert "cost" not in state(wid) or state(wid)["cost"] is None


def test_a_form_of_a_person_who_lost_the_right_shows_what_was_typed(flow: str) -> None:
    expert = person("role:Expert")
    api.instances.start(flow, {})
    address, form = sent(expert)
    task = int(address.rstrip("/").rpartition("/")[2])
    colleague = person("role:Expert")
    api.tasks.give(task, expert.user.get_username(), colleague.user.get_username(), "")  # type: ignore[attr-defined]
    expert.user.groups.clear()
    answer = expert.post(address, form)
    shown = answer.content.decode()
    assert answer.status_code in (403, 404) and 'role="alert"' in shown
    assert "What you typed" in shown and ">12<" in shown and "fan" in shown


@pytest.mark.parametrize("removed", [True, False])
def test_the_task_of_a_person_who_was_removed_or_locked_is_given_to_another(flow: str, removed: bool) -> None:
    expert, boss, other = person("role:Expert"), person(f"flow:{flow}:operate"), person("role:Expert")
    wid = api.instances.start(flow, {})
    address, form = sent(expert)
    user = expert.user  # type: ignore[attr-defined]
    name = user.username
    if removed:
        user.delete()
    else:
        user.is_active = False
        user.save()
    answer = expert.post(address, {**form, "value-cost": "12", "outcome": "Repair"})
    assert answer.status_code == 302 and "/login/" in answer["Location"]
    assert state(wid).get("cost") is None
    assert name in boss.get(f"/tasks/?show=team&flow={flow}").content.decode()
    (task,) = api.tasks.of_flow(flow)
    assert boss.post(f"/tasks/{task.job_id}/give/", {"to": name}).status_code in (200, 302)
    assert api.tasks.of_flow(flow)[0].owner == name, "it is given to no person who may not log in"
    boss.post(f"/tasks/{task.job_id}/release/")
    address, form = sent(other)
    assert other.post(address, {**form, "value-cost": "12", "outcome": "Repair"}).status_code == 302
    assert str(state(wid)["cost"]) == "12"


def test_what_the_form_does_not_ask_for_is_named_and_shown(
    flow: str,
) -> None:
    expert = person("role:Expert")
    wid = api.instances.start(flow, {"customer": "Lima"})
    address, form = sent(expert)
    answer = expert.post(address, {**form, "value-customer": "Souza", "value-none": "x", "value-secret": "y"})
    shown = answer.content.decode()
    assert answer.status_code == 200 and "does not ask for: Customer, none, secret." in shown
    assert '<dd class="typed">Souza</dd>' in shown
    assert state(wid)["customer"] == "Lima" and state(wid).get("cost") is None
    again = Form(shown).fields
    assert (again["value-cost"], again["cell-parts-0-part"]) == ("12", "fan")
    assert expert.post(address, {**again, "outcome": "Repair"}).status_code == 302
    assert str(state(wid)["cost"]) == "12"


def test_a_form_of_an_older_version_loses_nothing(flow: str) -> None:
    expert = person("role:Expert")
    wid = api.instances.start(flow, {})
    address, form = sent(expert)
    changed = deepcopy(DEFINITION)
    del changed["triggers"][0]["form"]["sections"][1]["fields"][1]  # the reason
    api.flows.publish(flow, changed)
    answer = expert.post(address, {**form, "value-cost": "500", "value-reason": "an old device"})
    shown = answer.content.decode()
    assert answer.status_code == 200 and "Reason" in shown and "an old device" in shown
    assert state(wid).get("cost") is None


PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 40


def test_a_file_that_cannot_be_taken_is_told_at_its_field_and_the_rest_stays() -> None:
    name, expert = unique("photos"), person("role:Expert")
    photo = {"attribute": "photo", "kind": "file", "accept": ["image/*"], "max_kb": 1}
    api.flows.create(name)
    api.flows.publish(name, _with_field({"name": "photo", "type": "jsonb"}, photo))
    wid = api.instances.start(name, {})
    address = taken(expert)
    for content, said in ((PNG + b"x" * 3000, "too large"), (b"%PDF-1.4", "application/pdf")):
        form = {**opened(expert, address), "value-note": "typed"}
        shown = expert.post(address, {**form, "file-photo": BytesIO(content)}).content.decode()
        assert said in shown and 'id="value-photo-error"' in shown
        assert Form(shown).fields["value-note"] == "typed" and state(wid).get("note") is None
    api.flows.drop(name, force=True)


def test_a_file_for_a_task_that_was_withdrawn_meanwhile_is_refused_and_the_rest_is_shown() -> None:
    name, expert = unique("photos"), person("role:Expert")
    photo = {"attribute": "photo", "kind": "file", "accept": ["image/*"]}
    api.flows.create(name)
    api.flows.publish(name, _with_field({"name": "photo", "type": "jsonb"}, photo))
    wid = api.instances.start(name, {})
    address = taken(expert)
    form = {**opened(expert, address), "value-note": "typed"}
    api.instances.cancel(wid, "a mistake")
    answer = expert.post(address, {**form, "file-photo": BytesIO(PNG)})
    shown = answer.content.decode()
    assert answer.status_code in (200, 404, 409) and 'role="alert"' in shown and "typed" in shown
    alone = expert.post(f"{address}files/photo/", {"file": BytesIO(PNG)})
    assert alone.status_code in (403, 404, 409) and not state(wid).get("photo")
    api.flows.drop(name, force=True)


def test_a_query_that_is_not_there_any_more_is_told_at_its_field() -> None:
    name, shops, expert = unique("repairs"), unique("shops"), person("role:Expert")
    for flow_name in (shops, name):
        api.flows.create(flow_name)
    api.flows.publish(
        shops,
        {"attributes": [{"name": "code"}], "triggers": [{"predicate": "code is not null", "final": True}]},
    )
    shop = {"attribute": "shop", "kind": "query", "query": {"flow": shops, "value": "code"}}
    api.flows.publish(name, _with_field({"name": "shop"}, shop))
    wid = api.instances.start(name, {})
    address = taken(expert)
    form = {**opened(expert, address), "value-note": "typed", "value-shop": "W1"}
    shown = expert.post(address, form).content.decode()
    assert "Choose one of the rows" in shown and Form(shown).fields["value-note"] == "typed"
    api.flows.drop(shops, force=True)
    shown = expert.post(address, form).content.decode()
    assert "no longer" in shown and 'id="value-shop-error"' in shown
    assert Form(shown).fields["value-note"] == "typed" and state(wid).get("note") is None
    api.flows.drop(name, force=True)


@pytest.mark.parametrize(
    ("type_", "limits", "sent", "hint", "error"),
    [
        ("integer", {"min": 1, "max": 9}, "10", "From 1 to 9.", "The greatest value is 9."),
        ("numeric", {"min": 0.5}, "0.4", "At least 0.5.", "The least value is 0.5."),
        ("date", {"max": "2024-03-01"}, "2024-03-02", "At most 2024-03-01.", "The greatest value is 2024-03"),
        ("text", {"min_length": 2}, "x", "At least 2 characters.", "It has at least 2 characters."),
        ("text", {"max_length": 1}, "xy", "At most 1 character.", "It has at most 1 character."),
        ("text", {"pattern": "^<[0-9]+$"}, "x", "", "&lt;[0-9]+$"),
    ],
)
def test_a_limit_is_shown_at_its_field_and_named_where_it_is_not_kept(
    type_: str, limits: dict[str, Any], sent: str, hint: str, error: str
) -> None:
    name, expert = unique("limits"), person("role:Expert")
    api.flows.create(name)
    api.flows.publish(name, _with_field({"name": "given", "type": type_}, {"attribute": "given", **limits}))
    wid = api.instances.start(name, {})
    address = taken(expert)
    before = expert.get(address).content.decode()
    assert hint in before and ('id="value-given-limits"' in before) == bool(hint)
    form = {**opened(expert, address), "value-note": "typed", "value-given": sent}
    shown = expert.post(address, form).content.decode()
    assert error in shown.split('id="value-given-error"')[1].split("</span>")[0]
    assert Form(shown).fields["value-note"] == "typed" and Form(shown).fields["value-given"] == sent
    assert state(wid).get("note") is None
    api.flows.drop(name, force=True)


def _with_field(attribute: dict[str, Any], field: dict[str, Any]) -> dict[str, Any]:
    form = {"sections": [{"fields": [field, {"attribute": "note"}]}]}
    rule = {
        "transition": "look",
        "predicate": "done is null",
        "performer": "person",
        "role": "Expert",
        "form": form,
    }
    return {
        "attributes": [attribute, {"name": "note"}, {"name": "done"}],
        "triggers": [
            {**rule, "outcomes": ["Done: done = 'yes'"]},
            {"predicate": "done is not null", "final": True},
        ],
    }
