"""A definition carries everything that a flow, an attribute or a trigger can be told, whichever way it goes.

The columns come from the catalog: a column that is new is in DERIVED, or in a sample below, or a test is red.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from flows import api
from flows.operations.design import ATTRIBUTE_COLUMNS, TRIGGER_COLUMNS
from flows.operations.difference import (
    ATTRIBUTE_DEFAULTS,
    SETTING_DEFAULTS,
    TRIGGER_DEFAULTS,
    written,
)
from flows.tests.flow_packages import directory, forget, migrate
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db
Row = dict[str, Any]

# What the kernel numbers, counts or works out for itself, and what lasts no longer than a transaction.
DERIVED = {
    "flow": {"id", "name", "version", "created_at", "final_tgid", "fuse", "plain", "shared", "changed_xid"}
    | {"attrs_changed", "rematch_due", "reopen_final", "defining_xid"},
    "attr": {"aid", "flow_id"},
    "trig": {"tgid", "flow_id", "canonical", "reads", "disjuncts"},
}
COLUMNS = {"flow": {}, "attr": ATTRIBUTE_COLUMNS, "trig": TRIGGER_COLUMNS}

# Every option with a value that is not its default.
FLOW: Row = {
    "label": "It's",
    "description": "two\nlines",
    "final_when_pending": "cancel",
    "max_firings": 9,
    "default_timeout": "00:07:00",
    "notify_trace": False,
    "retention": "1 mon 2 days",
}
ATTRIBUTE: Row = {
    "name": "size",
    "type": "enum",
    "default": "small",
    "options": ["small", "lar'ge"],
    "label": "Size",
    "description": "of the box",
    "position": 3,
}
TRIGGER: Row = {
    "name": "t1",
    "transition": "tr_1",
    "condition": "c1",
    "predicate": "size = 'small'",
    "enabled": False,
    "timeout": "3 days 18:00:00",
    "on_error": "abort",
    "revalidate": "withdraw",
    "mode": "lease",
    "max_attempts": 7,
    "backoff": "00:00:30",
    "max_firings": 8,
    "pickup_deadline": "1 day",
    "priority": -2,
    "writes": ["size"],
    "due_attr": "day",
    "due_after": "02:00:00",
    "concurrent": True,
    "fire_once": True,
    "refresh_payload": True,
    "compensation": "transition",
    "compensated_by": "tr_undo",
    "class": "pivot",
    "label": "First",
    "description": "for people",
}
FINAL: Row = {"predicate": "size is null", "final": True}
DEFINITION: Row = {
    **FLOW,
    "attributes": [ATTRIBUTE, {"name": "day", "type": "date"}],
    "triggers": [TRIGGER, FINAL],
}


@pytest.fixture
def designed() -> str:
    """A flow in which nothing is as usual."""
    name = unique("full")
    api.create_flow(name)
    api.publish(name, DEFINITION)
    return name


def content(flow: str) -> dict[str, list[Row]]:
    """The rows of a flow in the three tables, without what the kernel works out."""
    return {table: _rows(table, flow) for table in DERIVED}


def _rows(table: str, flow: str) -> list[Row]:
    key = "id" if table == "flow" else "flow_id"
    with connection.cursor() as cursor:
        cursor.execute(
            f"select to_jsonb(t)::text from wedsql.{table} t where t.{key} ="
            " (select id from wedsql.flow where name = %s) order by to_jsonb(t) ->> 'cpred', 1",
            [flow],
        )
        found = [json.loads(text) for (text,) in cursor.fetchall()]
    return [{name: value for name, value in row.items() if name not in DERIVED[table]} for row in found]


def _columns(table: str) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "select attname from pg_attribute where attrelid = %s::regclass and attnum > 0"
            " and not attisdropped",
            [f"wedsql.{table}"],
        )
        return {name for (name,) in cursor.fetchall()}


@pytest.mark.parametrize(
    ("table", "words"), [("flow", FLOW), ("attr", ATTRIBUTE), ("trig", {**TRIGGER, "final": True})]
)
def test_every_column_is_a_word_of_the_definition_or_derived(table: str, words: Row) -> None:
    said = {COLUMNS[table].get(word, word) for word in words}

    assert _columns(table) == said | DERIVED[table]


@pytest.mark.parametrize(
    ("sample", "defaults"),
    [
        (FLOW, SETTING_DEFAULTS),
        (ATTRIBUTE, {"name": None, **ATTRIBUTE_DEFAULTS}),
        ({**TRIGGER, "final": True}, TRIGGER_DEFAULTS),
    ],
)
def test_the_samples_have_every_word_and_no_default(sample: Row, defaults: Row) -> None:
    assert sample.keys() == defaults.keys()
    assert written(sample, defaults) == sample


def test_a_definition_says_what_it_was_told(designed: str) -> None:
    said = api.definition(designed)

    assert {word: said[word] for word in FLOW} == FLOW
    assert said["attributes"][0] == ATTRIBUTE
    assert said["triggers"] == [TRIGGER, FINAL | {"timeout": "00:07:00"}]


def test_published_again_it_is_no_change(designed: str) -> None:
    report = api.publish(designed, api.definition(designed))

    assert (report.attributes_changed, report.triggers_changed) == (0, 0)


def published(flow: str, place: Path, other: str) -> None:
    api.create_flow(other)
    api.publish(other, json.loads(json.dumps(api.definition(flow))))


def loaded(flow: str, place: Path, other: str, kind: str) -> None:
    path = place / f"x.{kind}"
    with path.open("w") as file:
        call_command("dumpflow", flow, "--format", kind, stdout=file)
    call_command("loadflow", str(path), "--flow", other, stdout=StringIO())


def as_sql(flow: str, place: Path, other: str) -> None:
    loaded(flow, place, other, "sql")


def as_json(flow: str, place: Path, other: str) -> None:
    loaded(flow, place, other, "json")


@pytest.mark.parametrize("way", [published, as_sql, as_json])
def test_everything_arrives(designed: str, tmp_path: Path, way: Callable[[str, Path, str], None]) -> None:
    other = unique("other")

    way(designed, tmp_path, other)

    assert content(other) == content(designed)


def test_everything_arrives_by_migration(
    designed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(designed)
    with directory(tmp_path, monkeypatch):
        call_command("makeflowmigrations", designed, stdout=StringIO())
        forget(designed)
        migrate(designed)

    assert content(designed) == before


def test_a_setting_that_is_not_named_stays_and_null_is_a_value(designed: str) -> None:
    rest = {word: DEFINITION[word] for word in ("attributes", "triggers")}

    api.publish(designed, rest)
    kept = content(designed)["flow"][0]
    api.publish(designed, rest | {"retention": None, "default_timeout": None, "label": None})
    cleared = content(designed)["flow"][0]

    assert kept["retention"] == "1 mon 2 days"
    assert kept | {"retention": None, "default_timeout": None} == cleared


def test_the_default_timeout_that_is_published_is_that_of_the_next_trigger(designed: str) -> None:
    api.publish(designed, DEFINITION | {"default_timeout": "00:00:33"})
    with connection.cursor() as cursor:
        cursor.execute(
            f"insert into {designed}.wed_trig (trname, cpred) values ('tr_2', 'true') returning timeout::text"
        )
        assert cursor.fetchone() == ("00:00:33",)


def test_a_definition_is_written_alike_in_every_session(designed: str) -> None:
    said = api.definition(designed)
    with connection.cursor() as cursor:
        cursor.execute("set local intervalstyle = iso_8601; set local datestyle = german")

    assert api.definition(designed) == said
