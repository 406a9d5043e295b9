"""SET strings computed as the result of a job is: on a state of a flow that has the attributes."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from flows import api


@contextmanager
def flow_over(db: psycopg.Connection[Any], attributes: dict[str, str]) -> Iterator[str]:
    """Return the name of a new flow with these attributes and their types; it is gone afterwards."""
    name = f"f_{uuid.uuid4().hex[:12]}"
    listed = [_attribute(attribute, kind) for attribute, kind in attributes.items()]
    final = {"predicate": f"{next(iter(attributes))} is not null", "final": True}
    with db.transaction(force_rollback=True):
        api.flows.create(name, conn=db)
        api.flows.publish(name, {"attributes": listed, "triggers": [final]}, conn=db)
        yield name


def _attribute(name: str, kind: str) -> dict[str, Any]:
    return {"name": name, "type": kind} | ({"options": ["car", "bike"]} if kind == "enum" else {})


def changes(db: psycopg.Connection[Any], flow: str, text: str, state: dict[str, Any] | None = None) -> Any:
    """Return what a SET string makes of a state: values as texts, documents as they are."""
    with db.transaction():
        query = "select wedsql._set_on(%s, %s, %s)"
        row = db.execute(query, [flow, text, json.dumps(state or {})]).fetchone()
    return row and row[0]
