"""Compares a flow with its migrations by running them on a temporary flow that is rolled back."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from django.db import DatabaseError, connection, transaction

from flows import api
from flows.definition import Definition
from flows.operations.attributes import RenameAttribute
from flows.operations.base import FlowOperation
from flows.operations.design import Design, FlowMigrationError
from flows.operations.difference import operations_between, settings
from flows.operations.flows import CreateFlow, DropFlow


@contextmanager
def scratch() -> Iterator[Design]:
    """Yield a temporary flow, not yet created, in a transaction that is rolled back at the end."""
    with transaction.atomic():
        yield Design(connection, f"replay_{uuid.uuid4().hex}", "replay")
        transaction.set_rollback(True)


def missing(flow: str, done: Iterable[FlowOperation], renames: dict[str, str]) -> list[FlowOperation]:
    """Return the operations that change the result of `done` to the flow's definition in this database.

    `renames` maps old names of renamed attributes to new ones; raises FlowMigrationError if it is wrong.
    """
    with scratch() as copy:
        for operation in done:
            operation.forwards(copy)
        first = _begin(flow, copy)
        wanted = Design(connection, flow, "replay").definition()
        renamed = _rename(flow, copy, renames, wanted)
        return [*first, *renamed, *_rest(flow, copy, wanted)]


def attribute_changes(flow: str, done: Iterable[FlowOperation]) -> tuple[list[str], list[str]]:
    """Return the attributes that only the migrations have, and those that only the flow has."""
    with scratch() as copy:
        for operation in done:
            operation.forwards(copy)
        before = set() if copy.id() is None else _names(copy.definition())
    after = _names(Design(connection, flow, "replay").definition())
    return sorted(before - after), sorted(after - before)


def dropped(flow: str, done: Iterable[FlowOperation]) -> list[FlowOperation]:
    """Return the operation that drops the flow and can be reversed; an empty list if the flow was dropped."""
    with scratch() as copy:
        for operation in done:
            operation.forwards(copy)
        if copy.id() is None:
            return []
        was = copy.definition()
        return [DropFlow(flow, settings(was), was["attributes"], was["triggers"])]


def _begin(flow: str, copy: Design) -> list[FlowOperation]:
    if copy.id() is not None:
        return []
    wanted = settings(Design(connection, flow, "replay").definition())
    copy.create(wanted)
    return [CreateFlow(flow, wanted)]


def _rename(flow: str, copy: Design, renames: dict[str, str], wanted: Definition) -> list[FlowOperation]:
    made: list[FlowOperation] = []
    before, after = _names(copy.definition()), _names(wanted)
    for old, new in renames.items():
        if old not in before or old in after or new not in after or new in before:
            raise FlowMigrationError(f"{old} was not renamed to {new}: see which attributes flow {flow} has.")
        operation = RenameAttribute(flow, old, new)
        operation.forwards(copy)
        made.append(operation)
    return made


def _rest(flow: str, copy: Design, wanted: Definition) -> list[FlowOperation]:
    was = copy.definition()
    for recreate_triggers in (False, True):
        plan = operations_between(flow, was, wanted, recreate_triggers)
        with suppress(DatabaseError, FlowMigrationError), transaction.atomic():
            for operation in plan:
                operation.forwards(copy)
            if not api.flows.difference(copy.definition(), wanted):
                return plan
    raise FlowMigrationError(f"The change of flow {flow} cannot be written as operations on its rows.")


def _names(definition: Definition) -> set[str]:
    return {attribute["name"] for attribute in definition["attributes"]}
