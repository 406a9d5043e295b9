"""Run as a web process: request pages as the views do, and explain every statement they send.

Prints a JSON object: per page its milliseconds in the database (planning and execution, median of five).
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable
from typing import Any

import django

_ROUNDS = 5


def main() -> None:
    """Print the times of all pages."""
    django.setup()
    sys.stdout.write(json.dumps({name: _milliseconds(read_page) for name, read_page in _pages().items()}))


def _pages() -> dict[str, Callable[[], Any]]:
    from bench.work.definition import FLOW
    from flows.filters import parse
    from flows.queries.definitions import flow_by_name
    from flows.queries.instances import listed
    from flows.queries.overview import summary
    from flows.queries.paging import Cursor

    flow = flow_by_name(FLOW)
    if flow is None:
        raise RuntimeError("the bench's flow is not there")

    def page(text: str, cursor: Cursor | None = None) -> Callable[[], Any]:
        chosen = parse(text, flow)
        return lambda: (listed(chosen, cursor or Cursor()), summary(flow))

    return {
        "all": page(""),
        "final": page("status:final"),
        "running, none there": page("status:running"),
        "exceptions, none there": page("status:exception"),
        "indexed attribute, nearly all": page('a2:"done"'),
        "indexed attribute, one in a thousand": page('a2:"rare"'),
        "indexed attribute, none there": page('a2:"nothing like it"'),
        "attribute without an index, all": page('a1:"final"'),
        "attribute without an index, none there": page('a1:"nothing like it"'),
        "a page in the middle": page("", Cursor(before=10_000)),
    }


def _milliseconds(read_page: Callable[[], Any]) -> float:
    from django.db import connection

    def explained() -> float:
        spent: list[float] = []

        def explain(execute: Any, query: Any, params: Any, many: bool, context: Any) -> Any:
            text = query if isinstance(query, str) else query.as_string(connection.connection)
            if text.lstrip().lower().startswith("select"):
                execute("explain (analyze, timing off, format json) " + text, params, many, context)
                plan = context["cursor"].fetchone()[0]
                plan = json.loads(plan) if isinstance(plan, str) else plan
                spent.append(plan[0]["Planning Time"] + plan[0]["Execution Time"])
            return execute(query, params, many, context)

        with connection.execute_wrapper(explain):
            read_page()
        return sum(spent)

    return statistics.median(explained() for _ in range(_ROUNDS))


if __name__ == "__main__":
    main()
