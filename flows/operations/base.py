"""Base classes of the operations on flows."""

from __future__ import annotations

from typing import Any

from django.db.migrations.operations.base import Operation, OperationCategory

from flows import kernel
from flows.operations.design import Design


class FlowOperation(Operation):
    """One change of a flow's definition, made in the kernel's tables.

    Django's project state does not contain flows: the definition is in the database, and the definition that
    the migrations produce is found by replaying them there (flows.operations.replay).
    """

    reduces_to_sql = False
    elidable = False
    category = OperationCategory.PYTHON

    def __init__(self, flow: str) -> None:
        self.flow = flow

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Do nothing: flows are not models."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        kernel.install_pending(schema_editor.connection)  # Django may run flow_orders before flows
        self.forwards(Design(schema_editor.connection, self.flow, f"migration {app_label}"))

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        self.backwards(Design(schema_editor.connection, self.flow, f"migration {app_label}"))

    def forwards(self, design: Design) -> None:
        """Make the change; do nothing if it was already made."""
        raise NotImplementedError

    def backwards(self, design: Design) -> None:
        """Reverse the change."""
        raise NotImplementedError


class Alteration(FlowOperation):
    """Change options; `was` holds the previous values, and reversing needs one for each changed option."""

    changes: dict[str, Any]
    was: dict[str, Any]

    @property
    def reversible(self) -> bool:  # type: ignore[override]
        return set(self.was) >= set(self.changes)


def copy_options(given: dict[str, Any] | None) -> dict[str, Any]:
    """Return a copy of the options of a definition; empty for None."""
    return dict(given or {})
