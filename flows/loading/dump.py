"""Writes a definition in the paper's form: SQL over wed_attr and wed_trig."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows.definition import ATTRIBUTE, TRIGGER, Definition, Options
from flows.definition.literals import literal, quoted
from flows.operations.difference import settings


def as_sql(definition: Definition) -> str:
    """Return a script that defines the flow, under the name under which it is loaded."""
    lines = [f"-- Flow {definition['flow']}, version {definition['version']}.", "BEGIN;", ""]
    changed = settings(definition)
    if changed:
        values = ", ".join(f"{word} = {literal(value)}" for word, value in changed.items())
        lines += [f"UPDATE wedsql.flow SET {values} WHERE name = current_schema();", ""]  # noqa: S608 - to be read
    lines += [_insert("wed_attr", attribute, ATTRIBUTE) for attribute in definition["attributes"]]
    lines.append("")
    lines += [_insert("wed_trig", trigger, TRIGGER) for trigger in definition["triggers"]]
    return "\n".join([*lines, "", "COMMIT;", ""])


def _insert(table: str, row: Mapping[str, Any], options: Options) -> str:
    given = options.given(row)
    names = ", ".join(options.columns(given))
    values = ", ".join(
        quoted(value) if word == "predicate" else literal(value) for word, value in given.items()
    )
    return f"INSERT INTO {table} ({names})\nVALUES ({values});"
