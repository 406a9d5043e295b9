"""The migration operation that installs the kernel's SQL."""

from __future__ import annotations

from typing import Any

from django.db.migrations.operations.base import Operation

from flows import kernel


class InstallKernel(Operation):
    """Installs the kernel's tables and functions; installing again changes nothing.

    Going back leaves them: flows and their history are not thrown away by a migration.
    """

    reversible = True
    reduces_to_sql = False

    def state_forwards(self, app_label: str, state: Any) -> None:
        """The kernel's tables are no part of Django's state."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        kernel.install(schema_editor.connection)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Nothing to do: see the class."""

    def describe(self) -> str:
        return "Install the kernel"
