"""Every identifier in the kernel's SQL can name an attribute, through every interface, and instances run.

Publishing and loading are tested with every name, as are the flow's views in kernel/test_k_names.py. The form
and migrations, which write row by row, are tested with some of them, as they execute the same statements.
"""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from flows import api
from flows.filters import parse
from flows.queries import instances
from flows.queries.definitions import flow_by_name
from flows.queries.paging import Cursor
from flows.tests.commands import run, write
from flows.tests.designer import ADD, blank
from flows.tests.operations.flow_packages import directory, forget, migrate
from flows.tests.pages import all_errors, unique
from flows.tests.wording.names import SHARED_NAMES, identifiers
from testkit.cases import some

pytestmark = pytest.mark.django_db
AT_ONCE = 45  # new rows in one save of the admin's form
# Fields that the form fills in for a new trigger and that must not be empty.
FILLED = (
    "replay",
    "performer",
    "on_error",
    "revalidate",
    "mode",
    "max_attempts",
    "backoff",
    "priority",
    "child_rest",
    "child_exception",
    "compensation",
    "class",
    "enabled",
)
TRIGGERS: list[dict[str, Any]] = [
    {"transition": "tr_one", "predicate": "zz_go = '0'"},
    {"predicate": "zz_go = '1'", "final": True},
]


@pytest.fixture(scope="session")
def names(django_db_setup: None, django_db_blocker: Any) -> list[str]:
    """Return all names that could collide."""
    with django_db_blocker.unblock():
        api.flows.create("names_source")
        try:
            with connection.cursor() as cursor:

                def execute(query: Any, params: Any = None) -> Any:
                    cursor.execute(query, params)
                    return cursor

                return identifiers(execute, "names_source")
        finally:
            api.flows.drop("names_source", force=True)


def works(flow: str, names: list[str]) -> None:
    """Assert that an instance starts with values for these attributes and ends with others."""
    names = [name for name in names if name != "zz_go"]
    wid = api.instances.start(flow, {name: f"{name} 0" for name in names})
    (job,) = api.jobs.lease_many(flow, ["tr_one"], 1, "tester")
    assert job.state == {"zz_go": "0"} | {name: f"{name} 0" for name in names}
    result = api.jobs.complete(job, {"zz_go": "1"} | {name: f"{name} 1" for name in names})
    assert (result.status, job.wid) == ("F", wid)
    with connection.cursor() as cursor:
        cursor.execute("select state from wedsql.wed_trace where wid = %s and trw = 'tr_one'", [wid])
        (state,) = cursor.fetchone()
    assert (json.loads(state) if isinstance(state, str) else state) == {"zz_go": "1"} | {
        name: f"{name} 1" for name in names
    }


def definition(names: list[str]) -> dict[str, Any]:
    attributes = [{"name": "zz_go", "default": "0"}, *({"name": name} for name in names)]
    return {"attributes": attributes, "triggers": TRIGGERS}


@pytest.mark.parametrize("part", some(range(2), 2))
def test_publish(names: list[str], part: int) -> None:
    flow, mine = unique(), names[part::2]
    api.flows.create(flow)
    api.flows.publish(flow, definition(mine))
    works(flow, mine)


@pytest.mark.parametrize("part", some(range(2), 2, first=1))
def test_loadflow(names: list[str], part: int, tmp_path: Path) -> None:
    flow, mine = unique(), names[part::2]
    rows = ", ".join(f"('{name}', null)" for name in mine)
    script = f"""
        insert into wed_attr (aname, adv) values ('zz_go', '0'), {rows};
        insert into wed_trig (trname, cpred) values ('tr_one', $$zz_go = '0'$$);
        insert into wed_trig (cpred, cfinal) values ($$zz_go = '1'$$, true);"""
    run("flow", "load", write(tmp_path, script), "--flow", flow)
    works(flow, mine)


@pytest.mark.parametrize("part", some(range(3), 3))
def test_admin_form(names: list[str], part: int, alice: Client) -> None:
    flow, mine = unique(), ["zz_go", *names[part::24]][:AT_ONCE]
    fields = blank(alice) | {"name": flow, "attributes-TOTAL_FORMS": str(len(mine))}
    for row, name in enumerate(mine):
        typed = {"name": name, "type": "text", "visibility": "everyone"}
        fields |= {f"attributes-{row}-{field}": text for field, text in typed.items()}
    fields |= {"attributes-0-default": "0"}
    for row, trigger in enumerate(TRIGGERS):
        fields |= {f"triggers-{row}-predicate": trigger["predicate"]}
        fields |= {f"triggers-{row}-transition": trigger.get("transition", "")}
    response = alice.post(ADD, fields | {"triggers-1-final": "on"})
    assert response.status_code == 302, all_errors(response)
    works(flow, mine)


def assert_conditions_hold(flow: str) -> None:
    """Assert that every condition that uses an attribute and the function of the same name holds."""
    wid = api.instances.start(flow, {name: value for name, (_, value) in SHARED_NAMES.items()})
    with connection.cursor() as cursor:
        cursor.execute("select array_agg(trname order by trname) from wedsql.job_pool where wid = %s", [wid])
        assert cursor.fetchone()[0] == sorted(f"tr_{name}" for name in SHARED_NAMES)


def test_function_and_attribute_of_one_name_published() -> None:
    flow = unique()
    api.flows.create(flow)
    triggers = [{"transition": f"tr_{name}", "predicate": text} for name, (text, _) in SHARED_NAMES.items()]
    api.flows.publish(flow, {"attributes": [{"name": name} for name in SHARED_NAMES], "triggers": triggers})
    assert_conditions_hold(flow)


def test_function_and_attribute_of_one_name_loaded(tmp_path: Path) -> None:
    flow = unique()
    attributes = ", ".join(f"('{name}')" for name in SHARED_NAMES)
    triggers = ", ".join(f"('tr_{name}', $${text}$$)" for name, (text, _) in SHARED_NAMES.items())
    script = f"insert into wed_attr (aname) values {attributes};"
    script += f" insert into wed_trig (trname, cpred) values {triggers};"
    run("flow", "load", write(tmp_path, script), "--flow", flow)
    assert_conditions_hold(flow)


def test_function_and_attribute_of_one_name_in_the_form(alice: Client) -> None:
    flow = unique()
    rows = {f"{kind}-TOTAL_FORMS": str(len(SHARED_NAMES)) for kind in ("attributes", "triggers")}
    fields = blank(alice) | {"name": flow} | rows
    for row, (name, (text, _)) in enumerate(SHARED_NAMES.items()):
        typed = {"name": name, "type": "text", "visibility": "everyone"}
        fields |= {f"attributes-{row}-{field}": text for field, text in typed.items()}
        fields |= {f"triggers-{row}-predicate": text, f"triggers-{row}-transition": f"tr_{name}"}
        fields |= {f"triggers-{row}-{key}": fields[f"triggers-0-{key}"] for key in FILLED}
    response = alice.post(ADD, fields)
    assert response.status_code == 302, all_errors(response)
    assert_conditions_hold(flow)


@pytest.mark.parametrize("part", range(1))
def test_migration(names: list[str], part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flow, mine = unique(), names[part::24]
    with directory(tmp_path, monkeypatch):
        api.flows.create(flow)
        api.flows.publish(flow, definition(mine))
        run("flow", "makemigrations", flow)
        forget(flow)
        migrate(flow)
        works(flow, mine)


def test_pages_read_attributes_with_the_names_of_aliases() -> None:
    """The queries of lists, filters, exports and the state use short aliases."""
    flow, letters = unique(), string.ascii_lowercase
    api.flows.create(flow)
    api.flows.publish(flow, {"attributes": [{"name": name} for name in letters],
                       "triggers": [{"transition": "tr_one", "predicate": "a = 'a 0'"}]})  # fmt: skip
    wid = api.instances.start(flow, {name: f"{name} 0" for name in letters})
    info = flow_by_name(flow)
    assert info and json.loads(instances.state_as_json(info, wid)) == {name: f"{name} 0" for name in letters}
    for name in letters:
        for text in (
            f"where:\"{name} = '{name} 0'\"",
            f'{name}:"{name} 0"',
            f'has:{name} where:"f is not null"',
        ):
            found = instances.listed(parse(text, info), Cursor(size=5)).items
            assert [each.wid for each in found] == [wid], text
