"""What all operations on flows have in common."""

from __future__ import annotations

from typing import Any

from django.db.migrations.operations.base import Operation, OperationCategory

from flows import kernel
from flows.operations.design import Design


class FlowOperation(Operation):
    """One change of a flow's definition, made through the kernel's own tables.

    Nothing of it is in Django's project state: what a flow is, is in the database, and what its migrations
    amount to is found by replaying them there (flows.operations.replay).
    """

    reduces_to_sql = False
    elidable = False
    category = OperationCategory.PYTHON

    def __init__(self, flow: str) -> None:
        self.flow = flow

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Flows are no models."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        kernel.install_pending(schema_editor.connection)  # Django may run flow_orders before flows
        self.forwards(Design(schema_editor.connection, self.flow, f"migration {app_label}"))

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        self.backwards(Design(schema_editor.connection, self.flow, f"migration {app_label}"))

    def forwards(self, design: Design) -> None:
        """Makes the change; where it is made already, nothing."""
        raise NotImplementedError

    def backwards(self, design: Design) -> None:
        """Takes the change back."""
        raise NotImplementedError


class Alteration(FlowOperation):
    """Says new words where `was` tells the old ones; the way back is open when all of those are told."""

    changes: dict[str, Any]
    was: dict[str, Any]

    @property
    def reversible(self) -> bool:  # type: ignore[override]
        return set(self.was) >= set(self.changes)


def words(given: dict[str, Any] | None) -> dict[str, Any]:
    """The words of a definition as a dictionary of their own."""
    return dict(given or {})
