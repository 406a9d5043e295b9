"""The example of docs/forms.md runs as described, and its table has every option of a field."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from flows import api
from flows.errors import FormNotTaken
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "forms.md").read_text()
FORM = json.loads(PAGE.split("```json\n")[1].split("```")[0])


@pytest.fixture
def flow() -> Any:
    name = unique("claims")
    definition: dict[str, Any] = {
        "attributes": [
            {"name": "policy"},
            {"name": "damage", "type": "jsonb"},
            {"name": "items", "type": "jsonb"},
            {"name": "amount", "type": "numeric"},
            {"name": "paid_by"},
            {"name": "reason"},
        ],
        "triggers": [
            {
                "transition": "assess",
                "predicate": "amount is null",
                "performer": "person",
                "writes": ["damage", "items", "amount", "paid_by", "reason"],
                "form": FORM,
            },
            {"predicate": "amount is not null", "final": True},
        ],
    }
    api.create_flow(name)
    api.publish(name, definition)
    yield name
    api.drop_flow(name, force=True)


def test_the_example_decides_as_described(flow: str) -> None:
    api.start(flow, {"policy": "P-1"})
    (task,) = api.flow_tasks(flow)
    api.take_task(task.job_id, "ana", [f"f:{flow}"])
    for values, wrong in (
        ({}, {"amount": "required", "damage": "required"}),
        ({"damage": [], "amount": 1, "reason": "x"}, {"damage": "required", "reason": "hidden"}),
        ({"damage": ["fire"], "paid_by": "us"}, {"amount": "required", "paid_by": "readonly"}),
        ({"damage": ["fire"], "amount": 5001}, {"reason": "required"}),
    ):
        with pytest.raises(FormNotTaken) as refused:
            api.complete_task(task.job_id, "ana", values)
        assert refused.value.where["wrong"] == wrong
    assert api.complete_task(task.job_id, "ana", {"damage": ["fire"], "amount": 1001}).status == "F"


def test_the_table_has_every_option_of_a_field() -> None:
    source = (ROOT / "flows/sql/30_definition/05_task_forms.sql").read_text()
    fits = source[source.index("function wedsql._fits_form") :].split("$$;")[0]
    known = {
        name
        for part in re.findall(r"p_option (?:in \(([^)]*)\)|= ('\w+'))", fits)
        for name in re.findall(r"'(\w+)'", "".join(part))
    }
    rows = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    assert rows | {"options", "columns"} == known and "`options`" in PAGE and "`columns`" in PAGE
