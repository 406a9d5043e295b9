"""Queries whose rows are instances of a flow, which persons choose from: DATABASE "flow:" and its name.

EXPRESSION is SELECT and the attributes that are shown, of which the first one is the value, and perhaps WHERE
and a condition; my_ before a name in it means data of the process. All other queries are kept as their texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from flows.languages.pdl.model import Datum
from flows.languages.pdl.problems import PdlProblem, problem

PREFIX = "flow:"
MOST_COLUMNS = 11  # the value, and the columns that a query of a form has
_NAMES = r"[a-z_][a-z0-9_]*(?:\s*,\s*[a-z_][a-z0-9_]*)*"
_SELECT = re.compile(rf"\s*select\s+({_NAMES})(?:\s+where\s+(.+?))?\s*", re.IGNORECASE | re.DOTALL)


def is_of_flow(datum: Datum) -> bool:
    """Return whether the rows of a query are instances of a flow."""
    return datum.kind == "QUERY" and datum.values["DATABASE"].startswith(PREFIX)


def query(datum: Datum) -> dict[str, Any] | None:
    """Return the query of a form that such a query becomes; None where its EXPRESSION is none."""
    found = _SELECT.fullmatch(datum.values["EXPRESSION"])
    flow = datum.values["DATABASE"].removeprefix(PREFIX).strip()
    names = [name.strip() for name in found[1].split(",")] if found else []
    if found is None or not flow or len(names) > MOST_COLUMNS:
        return None
    shown = {"columns": names[1:]} if names[1:] else {}
    where = {"where": found[2].strip()} if found[2] else {}
    return {"flow": flow, "value": names[0], **shown, **where}


def check_queries(data: Iterable[Datum]) -> Iterator[PdlProblem]:
    """Return the problems of queries of flows."""
    for datum in data:
        if is_of_flow(datum) and query(datum) is None:
            message = (
                f"A query of a flow has SELECT with up to {MOST_COLUMNS} attributes, and perhaps WHERE and a"
                " condition: SELECT code, name WHERE town = my_town."
            )
            yield problem("bad_query", message, datum.place, datum.id)


def form(reads: Iterable[str], writes: Iterable[str], offered: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the form of a task that writes a chosen row: what it reads is shown; None where it writes none.

    `offered` has the queries of attributes.
    """
    written = [*writes]
    if not any(name in offered for name in written):
        return None
    names = dict.fromkeys([*reads, *written])
    fields = [
        {"attribute": name} | ({"kind": "query", "query": offered[name]} if name in offered else {})
        for name in names
    ]
    return {"sections": [{"fields": fields}]}
