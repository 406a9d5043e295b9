"""Changes a flow's rows in the control tables, by the names of the definition's options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql

from flows import api, json_text
from flows.definition import ATTRIBUTE, FLOW, TRIGGER, Definition, Options
from flows.statements import JSON

Values = Mapping[str, Any]


class FlowMigrationError(Exception):
    """The flow differs from what the migration expects."""


def run_deferred_triggers(connection: BaseDatabaseWrapper) -> None:
    """Run the kernel's deferred triggers now, so that the caller can report their errors.

    Defers them again afterwards: a re-match must run once after the last row, not after each row.
    """
    with connection.cursor() as cursor:
        cursor.execute("set constraints all immediate")
        cursor.execute("set constraints all deferred")


class Design:
    """The definition of one flow in one database, changed row by row; the kernel checks each row."""

    def __init__(self, connection: BaseDatabaseWrapper, flow: str, actor: str = "migration") -> None:
        self.connection = connection
        self.flow = flow
        self._execute("select set_config('wedsql.actor', %s, true)", [actor])

    # The flow itself

    def id(self) -> int | None:
        """Return the flow's id, None if there is no such flow."""
        found = self._execute("select id from wedsql.flow where name = %s", [self.flow])
        return found[0][0] if found else None

    def create(self, settings: Values) -> None:
        """Create the flow with these settings if it is missing."""
        if self.id() is None:
            self.create_new(settings)

    def create_new(self, settings: Values) -> None:
        """Create the flow with these settings; raises BadName if there is one of that name."""
        api.flows.create(self.flow, conn=self._api_connection())
        self.alter(settings)

    def alter(self, settings: Values) -> None:
        """Change settings of the flow: label, final_when_pending, max_firings and so on."""
        if settings:
            self._update("flow", settings, FLOW, {"id": self._flow_id()})

    def drop(self) -> None:
        """Drop the flow if it exists; the kernel raises an error if it has instances."""
        if self.id() is not None:
            api.flows.drop(self.flow, conn=self._api_connection())

    def definition(self) -> Definition:
        """Return the flow's definition; raises FlowMigrationError if there is no such flow."""
        self._flow_id()
        found = self._execute("select wedsql.definition(%s)::text", [self.flow])
        return json_text.decode(found[0][0])

    # Attributes

    def has_attribute(self, name: str) -> bool:
        query = "select 1 from wedsql.attr where flow_id = %s and aname = %s"
        return bool(self._execute(query, [self._flow_id(), name]))

    def add_attribute(self, name: str, values: Values) -> None:
        self._insert("attr", {"name": name, **values}, ATTRIBUTE)

    def alter_attribute(self, name: str, values: Values) -> None:
        """Change options of an attribute; raises FlowMigrationError if there is none of that name."""
        where = {"flow_id": self._flow_id(), "aname": name}
        if not self._update("attr", values, ATTRIBUTE, where):
            raise FlowMigrationError(f"Flow {self.flow} has no attribute {name}.")

    def remove_attribute(self, name: str) -> None:
        self._execute(
            "delete from wedsql.attr where flow_id = %s and aname = %s returning aid", [self._flow_id(), name]
        )

    # Triggers

    def triggers(self, values: Values) -> list[int]:
        """Return the ids of the triggers that have all these option values, in the order of creation."""
        tests = [
            sql.SQL("{} is not distinct from %s::" + TRIGGER[name].type).format(
                sql.Identifier(TRIGGER[name].column)
            )
            for name in values
        ]
        query = sql.SQL("select tgid from wedsql.trig where {} order by tgid").format(
            sql.SQL(" and ").join([sql.SQL("flow_id = %s"), *tests])
        )
        return [row[0] for row in self._execute(query, [self._flow_id(), *values.values()])]

    def add_trigger(self, values: Values) -> None:
        self._insert("trig", values, TRIGGER)

    def alter_trigger(self, tgid: int, values: Values) -> None:
        self._update("trig", values, TRIGGER, {"tgid": tgid})

    def remove_trigger(self, tgid: int) -> None:
        self._execute("delete from wedsql.trig where tgid = %s returning tgid", [tgid])

    # SQL

    def _api_connection(self) -> Any:
        """Return the psycopg connection, for flows.api."""
        self.connection.ensure_connection()
        return self.connection.connection

    def _flow_id(self) -> int:
        number = self.id()
        if number is None:
            raise FlowMigrationError(f"There is no flow {self.flow}.")
        return number

    def _insert(self, table: str, values: Values, options: Options) -> None:
        query = sql.SQL("insert into wedsql.{} (flow_id, {}) values (%s, {}) returning flow_id").format(
            sql.Identifier(table),
            sql.SQL(", ").join(map(sql.Identifier, options.columns(values))),
            sql.SQL(", ").join([sql.SQL("%s")] * len(values)),
        )
        self._execute(query, [self._flow_id(), *values.values()])

    def _update(self, table: str, values: Values, options: Options, where: Values) -> int:
        """Update rows and return their number."""
        query = sql.SQL("update wedsql.{} set {} where {} returning 1").format(
            sql.Identifier(table),
            sql.SQL(", ").join(
                sql.SQL("{} = %s").format(sql.Identifier(column)) for column in options.columns(values)
            ),
            sql.SQL(" and ").join(sql.SQL("{} = %s").format(sql.Identifier(column)) for column in where),
        )
        return len(self._execute(query, [*values.values(), *where.values()]))

    def _execute(self, query: str | sql.Composable, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self.connection.cursor() as cursor:
            given: list[Any] = [JSON(each) if isinstance(each, dict) else each for each in values]
            cursor.execute(query, given)
            return cursor.fetchall()
