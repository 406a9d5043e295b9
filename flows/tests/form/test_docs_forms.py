"""The example of docs/forms.md runs as described, and its table has every option of a field."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from flows import api
from flows.capabilities.cases.files import FileLimits
from flows.errors import FormNotTaken, TaskFileNotTaken
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "forms.md").read_text()
FORM = json.loads(PAGE.split("```json\n")[1].split("```")[0])
WORKSHOPS: dict[str, Any] = {
    "attributes": [
        {"name": "code"},
        {"name": "name"},
        {"name": "town"},
        {"name": "limit_eur", "type": "numeric"},
        {"name": "closed", "type": "date"},
    ],
    "triggers": [{"predicate": "code is not null", "final": True}],
}
LIMITS = FileLimits(size=1_000_000, of_case=20, of_flow=10_000_000)


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
            {"name": "photo", "type": "jsonb"},
            {"name": "workshop"},
        ],
        "triggers": [
            {
                "transition": "assess",
                "predicate": "amount is null",
                "performer": "person",
                "writes": ["damage", "items", "photo", "amount", "paid_by", "reason", "workshop"],
                "form": FORM,
            },
            {"predicate": "amount is not null", "final": True},
        ],
    }
    api.flows.create("workshops")
    api.flows.publish("workshops", WORKSHOPS)
    for code, limit in (("W1", 500), ("W2", 2000)):
        api.instances.start("workshops", {"code": code, "name": f"Workshop {code}", "limit_eur": limit})
    api.flows.create(name)
    api.flows.publish(name, definition)
    yield name
    api.flows.drop(name, force=True)
    api.flows.drop("workshops", force=True)


def test_the_example_decides_as_described(flow: str) -> None:
    api.instances.start(flow, {"policy": "P-1"})
    (task,) = api.tasks.of_flow(flow)
    api.tasks.take(task.job_id, "ana", [f"f:{flow}"])
    for values, wrong in (
        ({}, {"amount": "required", "damage": "required"}),
        ({"damage": [], "amount": 1, "reason": "x"}, {"damage": "required", "reason": "hidden"}),
        ({"damage": ["fire"], "paid_by": "us"}, {"amount": "required", "paid_by": "readonly"}),
        ({"damage": ["fire"], "amount": 5001}, {"reason": "required"}),
        ({"damage": ["wind"], "amount": 1}, {"damage": "option"}),
        ({"damage": ["fire"], "amount": 1, "items": [{"price": 1}]}, {"items": "cells"}),
        ({"damage": ["fire"], "amount": 1001, "workshop": "W1"}, {"workshop": "row"}),
        ({"damage": ["fire"], "amount": 1, "photo": {"name": "x.png"}}, {"photo": "file"}),
    ):
        with pytest.raises(FormNotTaken) as refused:
            api.tasks.complete(task.job_id, "ana", values)
        assert refused.value.where["wrong"] == wrong
    offered = api.task_forms.choices(task.job_id, "workshop", {"amount": 1001})["items"]
    assert [(each["value"], each["texts"]) for each in offered] == [("W2", ["Workshop W2", ""])]
    content = b"\xff\xd8\xff a photo"
    photo = api.task_forms.attach_file(task.job_id, "ana", "photo", "IMG_1.jpg", content, LIMITS)
    with pytest.raises(TaskFileNotTaken):
        api.task_forms.attach_file(task.job_id, "ana", "photo", "IMG_1.jpg", b"%PDF-", LIMITS)
    values = {"damage": ["fire"], "amount": 1001, "workshop": "W2", "photo": photo}
    assert api.tasks.complete(task.job_id, "ana", values).status == "F"
    assert api.task_forms.read_file(task.wid, "photo") == (photo, content)


def test_the_table_has_every_option_of_a_field() -> None:
    source = (ROOT / "flows/sql/30_definition/05_task_fields.sql").read_text()
    fits = source[source.index("function wedsql._fits_form") :].split("$$;")[0]
    known = {
        name
        for part in re.findall(r"p_option (?:in \(([^)]*)\)|= ('\w+'))", fits)
        for name in re.findall(r"'(\w+)'", "".join(part))
    }
    table = PAGE[PAGE.index("| option of a field |") : PAGE.index("### Kinds")]
    rows = {name for row in re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE) for name in row.split("`")}
    assert rows & known == known
