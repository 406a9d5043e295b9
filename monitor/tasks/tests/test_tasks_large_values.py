"""Tasks about values that are larger than a form: shown in part, and no obstacle to completing the task."""

from __future__ import annotations

import pytest

from flows import api
from flows.tests.pages import opened
from monitor.tasks.tests.test_tasks_forms import DEFINITION, state
from monitor.tasks.tests.test_tasks_forms import flow as flow
from monitor.tasks.tests.test_tasks_pages import person, taken

pytestmark = pytest.mark.django_db(transaction=True)
WAYS = {"with a form": True, "without a form": False}


@pytest.mark.parametrize("has_form", WAYS.values(), ids=list(WAYS))
@pytest.mark.parametrize("attribute", ["parts", "reason"])
def test_a_task_with_a_value_larger_than_a_form_is_completed(
    flow: str, attribute: str, has_form: bool
) -> None:
    if not has_form:
        rules = [{k: v for k, v in one.items() if k != "form"} for one in DEFINITION["triggers"]]
        api.flows.publish(flow, {**DEFINITION, "triggers": rules})
    expert = person("role:Expert")
    large = (
        [{"part": f"fan {n}", "count": 1} for n in range(20_000)] if attribute == "parts" else "w " * 200_000
    )
    wid = api.instances.start(flow, {attribute: large})
    address = taken(expert)
    answer = expert.get(address)
    shown = answer.content.decode()
    assert answer.status_code == 200 and len(shown) < 900_000
    assert ("too long for a form" in shown) == has_form and ("fan 3" in shown or "w w w" in shown)
    form = opened(expert, address)
    assert f"value-{attribute}" not in form
    assert expert.post(f"{address}draft/", {**form, "value-cost": "12"}).status_code == 200
    assert expert.post(address, {**form, "value-cost": "12", "outcome": "Repair"}).status_code == 302
    found = state(wid)
    assert str(found["cost"]) == "12" and found[attribute] == large


@pytest.mark.parametrize("rows", [0, 1, 500, 501])
def test_a_list_that_a_form_can_send_is_asked_for(flow: str, rows: int) -> None:
    expert = person("role:Expert")
    api.instances.start(flow, {"parts": [{"part": "fan", "count": 1}] * rows})
    form = opened(expert, taken(expert))
    assert ("cell-parts-0-part" in form) == (rows <= 500) and ("value-parts" in form) == (rows > 500)
