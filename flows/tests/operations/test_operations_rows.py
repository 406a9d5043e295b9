"""Each migration operation separately: its effect, its reverse, and its errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.db import DatabaseError, connection, transaction
from django.db.migrations import Migration
from django.db.migrations.exceptions import IrreversibleError
from django.db.migrations.state import ProjectState
from django.db.migrations.writer import OperationWriter

from flows import api
from flows.errors import AttributeInUse, BadDefinition
from flows.models import Trigger
from flows.operations import (
    AddAttribute,
    AddTrigger,
    AlterAttribute,
    AlterFlow,
    AlterTrigger,
    CreateFlow,
    DropFlow,
    FlowMigrationError,
    FlowOperation,
    RemoveAttribute,
    RemoveTrigger,
    RenameAttribute,
)
from flows.operations.difference import operations_between
from flows.tests.operations.flow_packages import shape
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def standing_flow(standing: Callable[[Callable[[], str]], str]) -> str:
    return standing(made_flow)


@pytest.fixture
def flow(standing_flow: str, db: None) -> str:
    """A flow with the attributes a1 and a2 and two triggers, made by operations."""
    cache.clear()  # it has what other tests have done with the flow
    return standing_flow


def made_flow() -> str:
    name = unique()
    forwards(
        CreateFlow(name, {"label": "Orders"}),
        AddAttribute(name, "a1", {"default": "ready"}),
        AddAttribute(name, "a2"),
        AddTrigger(name, {"name": "t1", "transition": "tr_a2", "predicate": "a1 = 'ready' and a2 is null"}),
        AddTrigger(name, {"predicate": "a1 <> 'ready'", "final": True}),
    )
    return name


def migration(*operations: FlowOperation) -> Migration:
    made = Migration("0001_test", "flow_test")
    made.operations = list(operations)
    return made


def forwards(*operations: FlowOperation) -> None:
    with connection.schema_editor(atomic=True) as editor:
        migration(*operations).apply(ProjectState(), editor)


def backwards(*operations: FlowOperation) -> None:
    with connection.schema_editor(atomic=True) as editor:
        migration(*operations).unapply(ProjectState(), editor)


def changes(flow: str) -> list[FlowOperation]:
    """Return operations of all kinds that can be run on the flow of the fixture."""
    return [
        AlterFlow(flow, {"label": "Sales", "max_firings": 7}, {"label": "Orders", "max_firings": 1000}),
        AddAttribute(flow, "n", {"type": "integer", "default": "3", "label": "Number"}),
        AlterAttribute(flow, "a1", {"default": "set"}, {"default": "ready"}),
        RenameAttribute(flow, "a2", "approved"),
        AddTrigger(flow, {"transition": "tr_x", "predicate": "a1 = 'x'", "timeout": None, "writes": ["a1"]}),
        AlterTrigger(flow, {"name": "t1"}, {"timeout": "00:00:05"}, {"timeout": "00:01:00"}),
        AlterTrigger(flow, {"final": True}, {"predicate": "a1 = 'z'"}, {"predicate": "a1 <> 'ready'"}),
        RemoveTrigger(flow, {"predicate": "a1 <> 'ready'", "final": True}),
    ]


@pytest.mark.parametrize("number", range(8))
def test_there_and_back_again_is_the_same_flow(flow: str, number: int) -> None:
    operation = changes(flow)[number]
    before = shape(flow), api.flows.definition(flow)["label"]

    forwards(operation)
    there = shape(flow), api.flows.definition(flow)["label"]
    backwards(operation)

    assert there != before
    assert (shape(flow), api.flows.definition(flow)["label"]) == before


@pytest.mark.parametrize("number", range(8))
def test_what_is_done_already_is_not_done_again(flow: str, number: int) -> None:
    operation = changes(flow)[number]
    forwards(operation)
    there = shape(flow)

    forwards(operation)

    assert shape(flow) == there


@pytest.mark.parametrize("number", range(8))
def test_operations_describe_and_write_themselves(flow: str, number: int) -> None:
    operation = changes(flow)[number]

    text, imports = OperationWriter(operation, indentation=0).serialize()
    scope: dict[str, Any] = {}
    exec("\n".join(imports), scope)  # noqa: S102 - the imports that Django would write into a migration
    again = eval(text.rstrip(","), scope)  # noqa: S307

    assert {**vars(again), "_constructor_args": None} == {**vars(operation), "_constructor_args": None}
    assert flow in operation.describe()
    assert operation.migration_name_fragment.isidentifier()
    assert text.startswith("flows.operations.")


def test_removed_attributes_come_back_with_all_their_options(flow: str) -> None:
    options = {"type": "enum", "options": ["s", "l"], "default": "s", "label": "Size"}
    forwards(AddAttribute(flow, "size", options))
    before = shape(flow)
    gone = RemoveAttribute(flow, "size", options)

    forwards(gone)
    assert "size" not in {row[0] for row in shape(flow)["columns"]}
    backwards(gone)

    assert shape(flow) == before


def test_an_attribute_that_is_still_named_is_not_removed(flow: str) -> None:
    with pytest.raises(DatabaseError, match="still used"), transaction.atomic():
        forwards(RemoveAttribute(flow, "a2"))

    assert "a2" in {row[0] for row in shape(flow)["columns"]}


def test_a_change_without_its_past_cannot_be_taken_back(flow: str) -> None:
    operation = AlterAttribute(flow, "a1", {"default": "x"})
    forwards(operation)

    with pytest.raises(IrreversibleError):
        backwards(operation)


def test_an_attribute_that_is_not_there_cannot_change(flow: str) -> None:
    with pytest.raises(FlowMigrationError, match="no attribute nowhere"):
        forwards(AlterAttribute(flow, "nowhere", {"default": "x"}))
    with pytest.raises(FlowMigrationError, match="no attribute nowhere"):
        forwards(RenameAttribute(flow, "nowhere", "a9"))


def test_a_trigger_that_is_meant_must_be_one(flow: str) -> None:
    forwards(AddTrigger(flow, {"name": "t1", "transition": "tr_x", "predicate": "a2 = 'x'"}))

    with pytest.raises(FlowMigrationError, match="2 triggers"):
        forwards(AlterTrigger(flow, {"name": "t1"}, {"priority": 1}))
    with pytest.raises(FlowMigrationError, match="no trigger"):
        forwards(AlterTrigger(flow, {"name": "t9"}, {"priority": 1}))


def test_a_missing_flow_is_reported(db: None) -> None:
    with pytest.raises(FlowMigrationError, match="no flow nowhere"):
        forwards(AddAttribute("nowhere", "a1"))


def test_going_back_does_not_drop_a_flow_that_has_instances(flow: str) -> None:
    api.instances.start(flow)

    with pytest.raises(AttributeInUse, match="has instances"), transaction.atomic():
        backwards(CreateFlow(flow))

    assert api.flows.definition(flow)["flow"] == flow


def test_a_dropped_flow_comes_back_whole(flow: str) -> None:
    definition = api.flows.definition(flow)
    before = shape(flow)
    operation = DropFlow(flow, {"label": "Orders"}, definition["attributes"], definition["triggers"])

    forwards(operation)
    assert shape(flow)["columns"] == []
    backwards(operation)

    assert shape(flow) == before


def test_the_kernel_records_the_actor_of_a_migration(flow: str) -> None:
    forwards(AlterAttribute(flow, "a1", {"label": "First"}, {"label": ""}))
    with connection.cursor() as cursor:
        cursor.execute("set constraints all immediate")
        cursor.execute(
            "select actor from wedsql.flow_version v join wedsql.flow f on f.id = v.flow_id"
            " where f.name = %s order by v.version desc limit 1",
            [flow],
        )
        assert cursor.fetchone() == ("migration flow_test",)


A, B, C = ({"transition": f"tr_{n}", "predicate": f"a1 = '{n}'", "timeout": None} for n in "abc")


def compared(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[tuple[Any, Any]]:
    """Return the pairs of triggers that differ; one is empty if the trigger was added or removed."""
    definitions = ({"attributes": [], "triggers": triggers} for triggers in (old, new))
    return [(change.old, change.new) for change in api.flows.difference(*definitions)]


def test_triggers_of_one_name_are_distinguished(db: None) -> None:
    old = [A | {"name": "t"}, A | {"name": "t", "predicate": "a1 = '2'"}, B | {"name": "u"}]
    new = [old[0], old[2] | {"predicate": "a1 = '4'"}, C]

    assert compared(old, new) == [({}, new[2]), (old[2], new[1]), (old[1], {})]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (A | {"id": 7}, B | {"id": 7}),
        (A | {"name": "t"}, B | {"name": "t"}),
        (A | {"condition": "c"}, A | {"name": "t", "condition": "d"}),
        (A | {"name": "t"}, A | {"name": "u", "predicate": "a1 = 'x'"}),
        (A | {"final": True, "name": "end"}, B | {"final": True}),
    ],
)
def test_a_trigger_is_followed_by_its_number_or_one_of_its_names(
    db: None, old: dict[str, Any], new: dict[str, Any]
) -> None:
    assert compared([C, old], [new, C]) == [(old, new)]


def test_a_name_that_several_have_follows_none(db: None) -> None:
    old, new = [A | {"name": "t"}, B | {"name": "t"}], [C | {"name": "t"}]

    assert compared(old, new) == [({}, new[0]), (old[0], {}), (old[1], {})]


def test_publishing_and_migrations_follow_a_trigger_alike(flow: str) -> None:
    """Both treat a renamed transition as a change of the trigger, which keeps its number."""
    was = api.flows.definition(flow)
    numbers = Trigger.objects.filter(flow__name=flow).order_by("tgid").values_list("tgid", flat=True)
    before = list(numbers)
    renamed = [was["triggers"][0] | {"transition": "tr_other"}, was["triggers"][1]]
    wanted = was | {"triggers": renamed}

    (operation,) = operations_between(flow, was, wanted)
    api.flows.publish(flow, wanted)

    assert operation.describe() == f"Change transition of trigger t1 of flow {flow}"
    assert list(numbers.all()) == before


def test_a_comparison_of_what_is_no_definition_is_refused(db: None) -> None:
    empty = {"attributes": [], "triggers": []}

    for wrong in ({}, empty | {"tiemout": 1}, empty | {"triggers": [A | {"backoff": "soon"}]}):
        with pytest.raises(BadDefinition), transaction.atomic():
            api.flows.difference(empty, wrong)
