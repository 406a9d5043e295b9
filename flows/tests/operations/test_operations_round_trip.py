"""Migrations written from a flow make the same flow in another database, forwards and backwards."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from flows import api, flow_apps
from flows.models import Flow
from flows.tests.operations.flow_packages import directory, forget, migrate, shape
from flows.tests.pages import unique
from testkit.full_disk import largest_file

pytestmark = pytest.mark.django_db

DEFINITION: dict[str, Any] = {
    "label": "Orders",
    "final_when_pending": "defer",
    "attributes": [
        {"name": "a1", "default": "it's ready"},
        {"name": "a2"},
        {"name": "n", "type": "integer", "default": "7"},
        {"name": "size", "type": "enum", "options": ["small", "large"], "default": "small"},
        {"name": "class", "type": "jsonb"},
    ],
    "triggers": [
        {"name": "t1", "transition": "tr_a2", "condition": "c1", "timeout": "3 days 18:00:00", "priority": 3,
         "predicate": "a1='it''s ready' and a2 is null"},
        {"name": "t1", "transition": "tr_n", "predicate": "n > 3", "timeout": None, "mode": "lease",
         "class": "pivot", "writes": ["n"]},
        {"transition": "tr_n", "condition": "c3", "predicate": "size = 'large'", "enabled": False},
        {"predicate": "a1 <> 'it''s ready' or n is null", "final": True},
    ],
}  # fmt: skip


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with directory(tmp_path, monkeypatch) as home:
        yield home


@pytest.fixture
def orders(packages: Path) -> str:
    """A flow in the database without a migration package."""
    name = unique("orders")
    api.flows.create(name)
    api.flows.publish(name, DEFINITION)
    return name


def make(flow: str, *options: str) -> str:
    output = StringIO()
    call_command("flow", "makemigrations", flow, *options, stdout=output)
    return output.getvalue()


def files(packages: Path, flow: str) -> list[str]:
    return sorted(path.name for path in (packages / flow / "migrations").glob("0*.py"))


def test_forwards_to_zero_and_forwards_is_the_same_flow(packages: Path, orders: str) -> None:
    designed = shape(orders)
    make(orders)
    forget(orders)

    migrate(orders)
    first = shape(orders)
    migrate(orders, "zero")
    assert not Flow.objects.filter(name=orders).exists()
    migrate(orders)

    assert first == designed
    assert shape(orders) == designed
    assert designed["matcher"]


def test_the_database_of_the_design_counts_as_migrated(packages: Path, orders: str) -> None:
    before = shape(orders)
    make(orders)

    assert (flow_apps.label(orders), "0001_initial") in MigrationRecorder(connection).applied_migrations()
    assert "No migrations to apply" in migrate(orders)
    assert shape(orders) == before


def test_even_unrecorded_the_migrations_change_nothing_where_the_flow_was_designed(
    packages: Path, orders: str
) -> None:
    before = shape(orders)
    make(orders)
    MigrationRecorder(connection).record_unapplied(flow_apps.label(orders), "0001_initial")

    assert "Applying" in migrate(orders)

    assert shape(orders) == before


def test_check_reports_and_writes_nothing(packages: Path, orders: str) -> None:
    with pytest.raises(CommandError) as refused:
        make(orders, "--check")
    assert refused.value.returncode == 1
    assert not packages.exists()

    make(orders)
    make(orders, "--check")
    assert "nothing is missing" in make(orders)
    assert files(packages, orders) == ["0001_initial.py"]


def test_every_change_travels(packages: Path, orders: str) -> None:
    make(orders)
    changed = api.flows.definition(orders)
    changed["label"] = "Sales"
    changed["attributes"][0]["default"] = "set"
    changed["attributes"][2]["type"] = "numeric"
    changed["attributes"].append({"name": "note", "label": "Note"})
    changed["triggers"][0] |= {"predicate": "a1 = 'set' and note is null", "timeout": "00:00:05"}
    changed["triggers"][1] |= {"mode": "transaction", "writes": ["n", "note"]}
    changed["triggers"].append({"transition": "tr_note", "predicate": "note = 'x'"})
    api.flows.publish(orders, changed)
    designed = shape(orders)

    make(orders)

    assert len(files(packages, orders)) == 2
    make(orders, "--check")
    forget(orders)
    migrate(orders)
    assert shape(orders) == designed
    migrate(orders, "0001")
    back = shape(orders)
    migrate(orders)
    assert shape(orders) == designed
    assert ("n", "integer", "7") in back["columns"]
    assert ("a1", "text", "'it''s ready'::text") in back["columns"]


def test_a_rename_is_written_as_one_and_keeps_the_values(packages: Path, orders: str) -> None:
    make(orders)
    wid = api.instances.start(orders, {"a2": "yes"})
    with connection.cursor() as cursor:
        cursor.execute(
            "update wedsql.attr set aname = 'approved' where aname = 'a2'"
            " and flow_id = (select id from wedsql.flow where name = %s)",
            [orders],
        )
    designed = shape(orders)

    with pytest.raises(CommandError, match="--rename a2:approved"):
        make(orders)
    make(orders, "--rename", "a2:approved")

    assert files(packages, orders) == ["0001_initial.py", "0002_rename_a2_approved.py"]
    migrate(orders, "0001")
    assert "a2 is null" in api.flows.definition(orders)["triggers"][0]["predicate"]
    migrate(orders)
    assert shape(orders) == designed
    with connection.cursor() as cursor:
        cursor.execute(f'select approved from "{orders}".wed_flow where wid = %s', [wid])
        assert cursor.fetchone() == ("yes",)


def test_removing_an_attribute_gives_its_default_back_on_the_way_back(packages: Path, orders: str) -> None:
    make(orders)
    changed = api.flows.definition(orders)
    changed["attributes"] = [a for a in changed["attributes"] if a["name"] != "size"]
    changed["triggers"] = [t for t in changed["triggers"] if "size" not in t["predicate"]]
    before = shape(orders)
    api.flows.publish(orders, changed)

    make(orders)
    migrate(orders, "0001")

    back = shape(orders)
    assert back["columns"] == before["columns"]
    assert sorted(repr(row[:-1]) for row in back["triggers"]) == sorted(
        repr(row[:-1]) for row in before["triggers"]
    )
    assert [a["default"] for a in api.flows.definition(orders)["attributes"] if a["name"] == "size"] == [
        "small"
    ]


def test_one_gone_and_one_come_that_is_no_rename(packages: Path, orders: str) -> None:
    make(orders)
    changed = api.flows.definition(orders)
    changed["attributes"][4] = {"name": "other"}
    api.flows.publish(orders, changed)

    make(orders, "--no-rename")

    text = (packages / orders / "migrations" / files(packages, orders)[1]).read_text()
    assert "RemoveAttribute" in text and "AddAttribute" in text and "RenameAttribute" not in text


@pytest.mark.parametrize("rename", ["a1:a2", "nowhere:a1", "a1:nowhere"])
def test_a_rename_that_was_none_is_refused(packages: Path, orders: str, rename: str) -> None:
    make(orders)

    with pytest.raises(CommandError, match="was not renamed"):
        make(orders, "--rename", rename)


@pytest.mark.parametrize("options", [["--rename", "a1"], ["--rename", ":x"], ["--rename", "x:"]])
def test_a_rename_that_cannot_be_read_is_bad_usage(packages: Path, orders: str, options: list[str]) -> None:
    with pytest.raises(CommandError) as refused:
        make(orders, *options)

    assert refused.value.returncode == 2


def test_a_type_changes_together_with_the_predicate_that_only_one_of_them_fits(
    packages: Path, orders: str
) -> None:
    definition = api.flows.definition(orders)
    definition["triggers"][0]["predicate"] = "a2 = 'maybe'"
    api.flows.publish(orders, definition)
    make(orders)
    with connection.cursor() as cursor:
        cursor.execute(
            "delete from wedsql.trig t using wedsql.flow f where f.id = t.flow_id and f.name = %s", [orders]
        )
    definition["attributes"][1]["type"] = "boolean"
    definition["triggers"][0]["predicate"] = "not a2"
    api.flows.publish(orders, definition)
    designed = shape(orders)

    make(orders)
    forget(orders)
    migrate(orders)

    assert shape(orders)["columns"] == designed["columns"]
    assert {row[3] for row in shape(orders)["triggers"]} == {row[3] for row in designed["triggers"]}
    migrate(orders, "0001")
    assert "a2 = 'maybe'" in {row[3] for row in shape(orders)["triggers"]}


def test_a_dropped_flow_is_dropped_elsewhere_only_when_asked_and_comes_back(
    packages: Path, orders: str
) -> None:
    make(orders)
    designed = shape(orders)
    api.flows.drop(orders)

    with pytest.raises(CommandError, match="no flow"):
        make(orders)
    make(orders, "--dropped")
    migrate(orders, "0001")

    assert shape(orders) == designed


def test_replaying_leaves_nothing_behind(packages: Path, orders: str) -> None:
    make(orders)
    make(orders, "--check")

    with connection.cursor() as cursor:
        cursor.execute("select count(*) from pg_namespace where nspname like 'replay%'")
        assert cursor.fetchone() == (0,)


def test_what_is_written_is_readable_python(packages: Path, orders: str) -> None:
    make(orders)

    text = (packages / orders / "migrations" / "0001_initial.py").read_text()

    assert "flows.operations.CreateFlow" in text
    assert "flows.operations.AddTrigger" in text
    assert "'transition': 'tr_a2'" in text
    assert "on_error" not in text  # defaults are not written


def test_all_flows_at_once(packages: Path, orders: str) -> None:
    other = unique("other")
    api.flows.create(other)
    output = StringIO()

    call_command("flow", "makemigrations", stdout=output)

    assert f"{other}: 1 changes" in output.getvalue()
    assert files(packages, orders) and files(packages, other)
    assert set(flow_apps.flows()) >= {orders, other}


def test_a_full_disk_leaves_no_part_of_a_migration(orders: str, packages: Path) -> None:
    for size in (10, 300, 700):
        with largest_file(size), pytest.raises(CommandError, match="cannot be written: File too large"):
            make(orders)
        assert not [*packages.rglob("0001*"), *packages.rglob(".*"), *packages.rglob("transitions.py")]
        assert all(len(path.read_bytes()) != size for path in packages.rglob("*.py"))
    assert "Written to" in make(orders) and len(list(packages.rglob("0001*.py"))) == 1
