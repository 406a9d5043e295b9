"""A flow of the largest size that the pages of a definition are made for, with living instances."""

from __future__ import annotations

from typing import Any

import psycopg

from bench import site

LARGE = "large"
ATTRIBUTES, RULES = 150, 300
CHANGED = 17
"""the place of the rule whose condition is changed"""
_BATCH = 5_000
_START = """
select count(*) from wedsql.start_many(%s, array(
  select jsonb_build_object('stage', n %% %s, 'kind', (array['letter', 'call', 'visit'])[1 + n / 7 %% 3],
                            'amount', n %% 1000, 'field6', 'Office ' || n %% 40, 'field7', n)
  from generate_series(%s::integer, %s) n))
"""


def large() -> dict[str, Any]:
    """Return 299 transitions, each for one stage and kind of case, and a final condition."""
    kinds = ("text", "integer", "numeric", "boolean", "timestamptz", "date")
    others = [
        {
            "name": f"field{n}",
            "type": kinds[n % len(kinds)],
            "label": f"Field {n}",
            "description": "What the office in charge writes into the case before it is passed on.",
        }
        for n in range(3, ATTRIBUTES)
    ]
    return {
        "flow": LARGE,
        "attributes": [
            {"name": "stage", "type": "integer", "default": "0", "label": "Stage"},
            {"name": "kind", "type": "enum", "options": ["letter", "call", "visit"], "default": "letter"},
            {"name": "amount", "type": "numeric", "default": "0", "label": "Amount"},
            *others,
        ],
        "triggers": [*map(_rule, range(RULES - 1)), {"name": "end", "predicate": "stage < 0", "final": True}],
    }


def changed() -> dict[str, Any]:
    """Return the same flow with another condition of one rule, true on a third of the instances it had."""
    definition = large()
    rule = definition["triggers"][CHANGED]
    rule["predicate"] = f"stage in ({CHANGED}, {CHANGED + 1}) and kind = 'call'"
    return definition


def start(conn: psycopg.Connection, size: int) -> None:
    """Publish the flow and start `size` instances, in batches, each with one pending job."""
    site.publish(conn, large())
    for first in range(0, size, _BATCH):
        conn.execute(_START, [LARGE, RULES - 1, first, min(first + _BATCH, size) - 1])
    conn.execute(f"vacuum (analyze) wedsql.instance, wedsql.job_pool, wedsql.wed_trace, {LARGE}.wed_flow")


def _rule(n: int) -> dict[str, Any]:
    field = f"field{3 + n % (ATTRIBUTES - 3)}"
    others = f"(kind <> 'visit' or {field} is null or amount < {n + 1000})"
    return {
        "name": f"rule{n}",
        "label": f"Rule {n}",
        "transition": f"tr_step{n}",
        "condition": f"c_{n}",
        "predicate": f"stage = {n} and amount >= 0 and {others}",
        "timeout": "1 hour",
        "description": "Sends the case to the office in charge, with all that was collected before.",
    }
