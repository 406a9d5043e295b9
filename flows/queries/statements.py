"""Queries of the ORM whose SQL is made once, for what every request asks.

The ORM needs several times as long for the SQL of a simple query as the database for its answer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

from django.db import connection
from django.db.models import Model, QuerySet


@cache
def _columns(model: type[Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]


class Prepared:
    """A query; the values with which it is made stand for those with which it is run, in their order."""

    def __init__(self, make: Callable[[], QuerySet[Any, Any]]) -> None:
        self._make = make

    @cached_property
    def _sql(self) -> str:
        return self._make().query.sql_with_params()[0]

    def rows(self, *values: Any) -> list[tuple[Any, ...]]:
        """Run it with these values, and return its rows."""
        with connection.cursor() as cursor:
            cursor.execute(self._sql, values)
            return cursor.fetchall()

    def instance(self, model: type[Model], *values: Any, more: tuple[str, ...] = ()) -> Any:
        """Return the first row as an instance of its model, with `more` annotations; None without a row."""
        names = _columns(model)
        for row in self.rows(*values):
            found = model.from_db(connection.alias, names, row[: len(names)])
            for name, value in zip(more, row[len(names) :], strict=True):
                setattr(found, name, value)
            return found
        return None
