"""The migration operation that changes the kernel's tables."""

from __future__ import annotations

from typing import Any

from django.db.migrations.operations.base import Operation

from flows import kernel, tables


class ChangeTables(Operation):
    """Apply one numbered change of the kernel's tables (flows/sql/tables) together with its functions.

    Tables and functions must match, so they change in one transaction: the first migration that is not
    applied makes all pending changes and installs the functions; the later ones find nothing pending.
    """

    reduces_to_sql = False

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def reversible(self) -> bool:  # type: ignore[override]
        return self.name == tables.names()[0] or tables.is_reversible(self.name)

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Do nothing: the kernel's tables are not part of Django's state."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        kernel.install_pending(schema_editor.connection)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Reverse the change, except the first one: no migration deletes flows and their history."""
        if self.name != tables.names()[0]:
            kernel.reverse(schema_editor.connection, self.name)

    def describe(self) -> str:
        return f"Change the kernel's tables ({self.name}) and replace its functions"
