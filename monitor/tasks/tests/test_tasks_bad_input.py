"""Forms that cannot be taken: each is answered with what is wrong, and nothing that was typed is lost."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.tests.pages import opened
from monitor.tasks.tests.test_tasks_forms import flow as flow
from monitor.tasks.tests.test_tasks_forms import state
from monitor.tasks.tests.test_tasks_pages import person, taken

pytestmark = pytest.mark.django_db(transaction=True)
TYPED = {"value-cost": "12", "value-faults": ["screen"], "cell-parts-0-part": "fan", "outcome": "Repair"}


def sent(expert: Any) -> tuple[str, dict[str, Any]]:
    """Return the address of a task that was taken, and its form as it was filled in."""
    address = taken(expert)
    return address, {**opened(expert, address), **TYPED}


def test_a_form_that_is_sent_twice_is_taken_once(flow: str) -> None:
    expert = person("role:Expert")
    wid = api.start(flow, {})
    address, form = sent(expert)
    assert expert.post(address, form).status_code == 302
    history = len(api.explain_instance(wid).state)
    answer = expert.post(address, {**form, "value-cost": "13"})
    assert answer.status_code == 200
    shown = answer.content.decode()
    assert 'role="alert"' in shown and "has ended" in shown
    assert '<dd class="typed">13</dd>' in shown and "data-task-form" not in shown
    assert expert.post(address, form).status_code == 302  # the very same form: it was taken already
    assert str(state(wid)["cost"]) == "12" and len(api.explain_instance(wid).state) == history


def test_a_form_of_a_task_that_was_withdrawn_meanwhile_shows_what_was_typed(flow: str) -> None:
    expert = person("role:Expert")
    wid = api.start(flow, {})
    address, form = sent(expert)
    api.cancel(wid, "a mistake")
    answer = expert.post(address, form)
    shown = answer.content.decode()
    assert answer.status_code in (200, 404, 409) and 'role="alert"' in shown
    assert "What you typed" in shown and ">12<" in shown and "fan" in shown
    assert "cost" not in state(wid) or state(wid)["cost"] is None


def test_a_form_of_a_person_who_lost_the_right_shows_what_was_typed(flow: str) -> None:
    expert = person("role:Expert")
    api.start(flow, {})
    address, form = sent(expert)
    task = int(address.rstrip("/").rpartition("/")[2])
    colleague = person("role:Expert")
    api.give_task(task, expert.user.get_username(), colleague.user.get_username(), "")  # type: ignore[attr-defined]
    expert.user.groups.clear()
    answer = expert.post(address, form)
    shown = answer.content.decode()
    assert answer.status_code in (403, 404) and 'role="alert"' in shown
    assert "What you typed" in shown and ">12<" in shown and "fan" in shown
