"""A definition keeps every option of a flow, an attribute and a trigger in every format and operation.

The columns come from the catalog: a new one must be in DERIVED, or be an option with a sample value below, or
a test fails.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from flows import api
from flows.definition import ATTRIBUTE, FLOW, TRIGGER, Options
from flows.definition.table import table as markdown
from flows.errors import BadDefinition
from flows.filters.values import KINDS as READERS
from flows.models import Trigger
from flows.tests.corpus import values
from flows.tests.operations.flow_packages import directory, forget, migrate
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db
Row = dict[str, Any]

# Columns that the kernel assigns, counts or derives, and those that matter only within a transaction.
DERIVED = {
    "flow": {"id", "name", "version", "created_at", "final_tgid", "fuse", "plain", "shared", "changed_xid"}
    | {"attrs_changed", "rematch_due", "reopen_final", "defining_xid", "applying", "guarded", "automatic"}
    | {"exclusive", "followed"},
    "attr": {"aid", "flow_id"},
    "trig": {"tgid", "flow_id", "canonical", "reads", "disjuncts"},
}
OPTIONS = {"flow": FLOW, "attr": ATTRIBUTE, "trig": TRIGGER}

# Every option with a value that is not its default.
SETTINGS: Row = {
    "label": "It's",
    "description": "two\nlines",
    "final_when_pending": "cancel",
    "needs_approval": True,
    "max_firings": 9,
    "default_timeout": "00:07:00",
    "notify_trace": False,
    "notify_state": False,
    "retention": "1 mon 2 days",
    "start_by": ["placed"],
    "start_at": ["R/PT1H"],
    "queue_labels": ["desk = The desk", "desk [pt-br] = O balcão"],
    "worker_keys": True,
    "responsible": "eva",
    "warnings": ["24", "6 transfer"],
    "notified": "last_connected",
    "notified_count": 3,
    "task_calendar": "Office",
}
SIZE: Row = {
    "name": "size",
    "type": "enum",
    "default": "small",
    "options": ["small", "lar'ge"],
    "option_labels": ["small = Small", "lar'ge [pt-br] = Grande"],
    "business_key": True,
    "start_source": True,
    "repairable": False,
    "visibility": "masked",
    "label": "Size",
    "description": "of the box",
    "position": 3,
}
FIRST: Row = {
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
    "signal": True,
    "keep": "3 days",
    "mutex": "desk",
    "lock": "box {size}",
    "child": "parts",
    "child_count": "2",
    "child_set": ["number = child_number"],
    "child_wait": "1",
    "child_rest": "cancel",
    "child_exception": "fail",
    "child_errors": ["FRAUD", "late"],
    "child_result": ["size = 'small'"],
    "priority": -2,
    "writes": ["size"],
    "due_attr": "day",
    "due_after": "02:00:00",
    "concurrent": True,
    "fire_once": True,
    "refresh_payload": True,
    "replay": "reuse",
    "compensation": "transition",
    "compensated_by": "tr_undo",
    "class": "pivot",
    "label": "First",
    "description": "for people",
    "role": "Clerk",
}
SECOND: Row = {  # what the database performs waits for no signal
    "transition": "tr_2",
    "predicate": "size = 'lar''ge'",
    "timeout": "00:08:00",
    "performer": "database",
    "sets": "size = 'small'",
}
THIRD: Row = {
    "transition": "tr_3",
    "predicate": "size = 'small'",
    "timeout": "00:09:00",
    "performer": "person",
    "deadline": "04:00:00",
    "outcomes": ["Approve: size = 'small'", "FAILED"],
    "sets_when_taken": "size = 'small'",
    "candidate": "who",
    "not_by": ["tr_1"],
    "same_as": "tr_2",
    "offline": True,
    "form": {"sections": [{"title": "Box", "fields": [{"attribute": "who", "shown": "size is null"}]}]},
    "application": "https://x.example/{who}",
}
FINAL: Row = {"predicate": "size is null", "final": True}
GUARD: Row = {"name": "is small", "predicate": "size <> 'huge'", "integrity": "always", "label": "Small"}
DEFINITION: Row = {
    **SETTINGS,
    "attributes": [SIZE, {"name": "day", "type": "date"}, {"name": "who", "type": "text"}],
    "triggers": [FIRST, SECOND, THIRD, FINAL, GUARD],
}


@pytest.fixture
def designed() -> str:
    """A flow in which no option has its default."""
    name = unique("full")
    api.flows.create(name)
    api.flows.publish(name, DEFINITION)
    return name


def content(flow: str) -> dict[str, list[Row]]:
    """Return the rows of a flow in the three tables, without the columns in DERIVED."""
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


def _catalog(table: str) -> dict[str, tuple[str, bool, Any]]:
    """Return type, nullability and default of each column that is an option."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select a.attname, format_type(a.atttypid, null), not a.attnotnull,"
            " pg_get_expr(d.adbin, d.adrelid) from pg_attribute a"
            " left join pg_attrdef d on (d.adrelid, d.adnum) = (a.attrelid, a.attnum)"
            " where a.attrelid = %s::regclass and a.attnum > 0 and not a.attisdropped",
            [f"wedsql.{table}"],
        )
        found = [row for row in cursor.fetchall() if row[0] not in DERIVED[table]]
    return {name: (kind, null, _value(default)) for name, kind, null, default in found}


def _value(expression: str | None) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(f"select to_json({expression or 'null::text'})::text")
        found = cursor.fetchone()[0]
        return None if found is None else json.loads(found)


@pytest.mark.parametrize("table", OPTIONS)
def test_the_description_is_that_of_the_table(table: str) -> None:
    described = {o.column: (o.type, o.nullable, o.default) for o in OPTIONS[table].values()}

    assert described == _catalog(table)


@pytest.mark.parametrize(
    ("table", "name"), [(t, o.name) for t, options in OPTIONS.items() for o in options.values() if o.choices]
)
def test_the_choices_are_those_that_the_table_allows(table: str, name: str) -> None:
    option = OPTIONS[table][name]
    with connection.cursor() as cursor:
        cursor.execute(
            "select pg_get_constraintdef(oid) from pg_constraint"
            " where conrelid = %s::regclass and conname = %s",
            [f"wedsql.{table}", f"{table}_{option.column}_check"],
        )
        assert re.findall("'([^']+)'::text", cursor.fetchone()[0]) == list(option.choices)


def test_every_type_of_an_attribute_has_a_column_type() -> None:
    names = [*ATTRIBUTE["type"].choices]
    with connection.cursor() as cursor:
        cursor.execute("select array(select wedsql.sql_type(n) from unnest(%s::text[]) n)", [names])
        assert cursor.fetchone()[0] == ["text" if name == "enum" else name for name in names]


def test_every_type_of_an_attribute_has_values_in_the_differential_tests() -> None:
    assert set(values.KINDS) == ATTRIBUTE["type"].choices.keys()
    used = " ".join(values.EXPRESSIONS)
    assert [kind for kind in values.KINDS if not values.texts(kind) or f"v_{kind}" not in used] == []


def test_values_of_every_type_of_an_attribute_are_read_in_filters() -> None:
    """An enum is compared as text."""
    assert ATTRIBUTE["type"].choices.keys() - READERS.keys() == {"enum"}


@pytest.mark.parametrize(
    ("sample", "options"),
    [(SETTINGS, FLOW), (SIZE, ATTRIBUTE), (FIRST | SECOND | THIRD | GUARD | FINAL, TRIGGER)],
)
def test_the_samples_have_every_option_and_no_default(sample: Row, options: Options) -> None:
    assert sample.keys() == options.keys()
    assert options.given(sample) == sample


def test_every_option_is_on_the_form_and_in_the_table() -> None:
    assert not {option.name for option in TRIGGER.values() if option.hidden}
    assert TRIGGER.keys() <= {field.name for field in Trigger._meta.get_fields()}
    assert [name for name in TRIGGER if f"`{name}`" not in markdown(TRIGGER)] == []


def test_an_unknown_option_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(BadDefinition, match="tiemout") as refused:
        TRIGGER.columns(["tiemout"])

    assert "timeout" in refused.value.hint and "compensation" in refused.value.hint


def test_a_definition_returns_what_was_published(designed: str) -> None:
    stored = api.flows.definition(designed)

    assert {name: stored[name] for name in SETTINGS} == SETTINGS
    assert stored["attributes"][0] == SIZE
    assert stored["triggers"] == [
        FIRST,
        SECOND,
        THIRD,
        *(each | {"timeout": "00:07:00"} for each in (FINAL, GUARD)),
    ]


def test_published_again_it_is_no_change(designed: str) -> None:
    report = api.flows.publish(designed, api.flows.definition(designed))

    assert (report.attributes_changed, report.triggers_changed) == (0, 0)


def published(flow: str, place: Path, other: str) -> None:
    api.flows.create(other)
    api.flows.publish(other, json.loads(json.dumps(api.flows.definition(flow))))


def loaded(flow: str, place: Path, other: str, kind: str) -> None:
    path = place / f"x.{kind}"
    with path.open("w") as file:
        call_command("flow", "show", flow, "--format", kind, stdout=file)
    call_command("flow", "load", str(path), "--flow", other, stdout=StringIO())


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
        call_command("flow", "makemigrations", designed, stdout=StringIO())
        forget(designed)
        migrate(designed)

    assert content(designed) == before


def test_a_setting_that_is_not_named_stays_and_null_is_a_value(designed: str) -> None:
    rest = {word: DEFINITION[word] for word in ("attributes", "triggers")}

    api.flows.publish(designed, rest)
    kept = content(designed)["flow"][0]
    api.flows.publish(designed, rest | {"retention": None, "default_timeout": None, "label": None})
    cleared = content(designed)["flow"][0]

    assert kept["retention"] == "1 mon 2 days"
    assert kept | {"retention": None, "default_timeout": None} == cleared


def test_the_default_timeout_that_is_published_is_that_of_the_next_trigger(designed: str) -> None:
    api.flows.publish(designed, DEFINITION | {"default_timeout": "00:00:33"})
    with connection.cursor() as cursor:
        cursor.execute(
            f"insert into {designed}.wed_trig (trname, cpred) values ('tr_2', 'true') returning timeout::text"
        )
        assert cursor.fetchone() == ("00:00:33",)


def test_a_definition_is_written_alike_in_every_session(designed: str) -> None:
    stored = api.flows.definition(designed)
    with connection.cursor() as cursor:
        cursor.execute("set local intervalstyle = iso_8601; set local datestyle = german")

    assert api.flows.definition(designed) == stored
