"""An alert can count whatever a filter can ask for, with the rights of the process that evaluates it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction

from flows import api
from flows.filters import parse
from flows.filters.fields import PARTS, Field
from flows.queries.definitions import flow_by_name
from flows.queries.instances import matching
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db(transaction=True)
VALUES = {
    "integer": "1", "numeric": "1", "timestamptz": "today", "text": "x", "interval": "2h", "name": "x",
    "clock": "x", "pair": '"a > b"', "path": '"a > b"',
}  # fmt: skip


def condition(part: Field) -> str:
    """Return a condition on a part that compares a value."""
    if part.name in ("", "where"):
        return 'where:"a is null"' if part.name else "x"
    value = part.choices[0] if part.choices else VALUES[part.kind]
    if part.name in ("since", "age", "idle", "took"):
        return f"{part.name}{':' if part.name == 'since' else '>'}2h"
    return f"{part.name}{':' if '=' in part.operators or not part.operators else part.operators[0]}{value}"


@pytest.fixture(scope="module")
def flow(django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    with django_db_blocker.unblock():
        name = unique()
        api.flows.create(name)
        rules = [{"final": True, "predicate": "a = '1'"}]
        api.flows.publish(name, {"attributes": [{"name": "a"}], "triggers": rules})
        yield name
        api.flows.drop(name, force=True)


@pytest.mark.parametrize("name", [name for name in PARTS if name != "sla"])
def test_the_reaper_may_read_each_part_of_a_filter(flow: str, name: str) -> None:
    chosen = parse(condition(PARTS[name]), flow_by_name(flow))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("set local role wed_reaper")
        matching(chosen, 10)
