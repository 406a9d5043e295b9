"""Conditions and transitions with names of their own, which triggers share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows.statements import JSON, rows, value

NamedObjects = dict[tuple[str, str], dict[str, Any]]


def named_objects(flow: str, *, conn: Any = None) -> NamedObjects:
    """Return the named conditions and transitions of a flow, by kind and name. Raises UnknownFlow."""
    found = rows(conn, "select kind, name, content from wedsql.named_objects(%s)", (flow,))
    return {(kind, name): content for kind, name, content in found}


def save_named_objects(
    flow: str, objects: Mapping[tuple[str, str], Mapping[str, Any]], *, actor: str = "", conn: Any = None
) -> None:
    """Save named conditions ({"predicate": ...}) and transitions ({"timeout": ...}); others are unchanged.

    Raises UnknownFlow, BadName, BadDefinition, PredicateRefused, PredicateType.
    """
    given = [{"kind": kind, "name": name, "content": each} for (kind, name), each in objects.items()]
    value(conn, "select wedsql.save_named_objects(%s, %s, %s)", (flow, JSON(given), actor))
