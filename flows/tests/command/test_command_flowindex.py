"""manage.py flow index: lists, requests, drops and creates the indexes of attributes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flows import api
from flows.tests.commands import answer, refused, run
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def name() -> Iterator[str]:
    name = unique()
    api.flows.create(name)
    final = {"final": True, "predicate": "amount > 1"}
    attributes = [{"name": "amount", "type": "integer"}, {"name": "extra", "type": "jsonb"}]
    api.flows.publish(name, {"attributes": attributes, "triggers": [final]})
    yield name
    api.flows.drop(name, force=True)


def test_an_index_is_requested_created_and_dropped(name: str) -> None:
    assert run("flow", "index", name) == "No attribute has an index by request.\n"
    (found,) = answer("flow", "index", name, "amount", "--actor", "olga")
    assert (found["attribute"], found["state"], found["actor"]) == ("amount", "none", "olga")
    (found,) = answer("flow", "index", name, "--build")
    assert found["state"] == "ready" and found["bytes"] > 0
    assert answer("flow", "index", name, "amount", "--drop", "--build") == []
    assert api.indexes.of_attribute(name, "amount").state == "none"


def test_a_problem_is_the_commands_error(name: str) -> None:
    run("flow", "index", name, "amount")
    api.indexes.build()
    assert "cannot have an index" in refused("flow", "index", name, "extra")
    assert "needs a flow and an attribute" in refused("flow", "index", name, "--drop", code=2)
    assert "no attribute" in refused("flow", "index", name, "nothing")
