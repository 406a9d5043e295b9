"""Run as a web process: request every page of a flow's definition; time it, measure it, count its queries.

Prints a JSON object: per page milliseconds in the server (median of five), kilobytes, and statements.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from typing import Any

import django

_ROUNDS = 5


def main() -> None:
    """Print the figures of all pages."""
    django.setup()
    from django.contrib.auth import get_user_model
    from django.test import Client

    from bench.work.large import CHANGED, LARGE
    from flows.queries.definitions import flow_by_name

    flow = flow_by_name(LARGE)
    if flow is None:
        raise RuntimeError("the flow is not there")
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(get_user_model().objects.get(username="bench"))
    sys.stdout.write(
        json.dumps({name: _measured(client, address) for name, address in _pages(flow.id, CHANGED).items()})
    )


def _pages(flow: int, rule: int) -> dict[str, str]:
    base = f"/admin/flows/flow/{flow}/"
    return {
        "Rules": f"{base}design/",
        "Rules, one open": f"{base}design/?rule={rule + 1}",
        "Attributes": f"{base}design/attributes/",
        "Attributes, one open": f"{base}design/attributes/?attribute=7",
        "Picture": f"{base}picture/",
        "Try it": f"{base}try/",
        "Checks": f"{base}checks/",
        "Publish": f"{base}publish/",
        "Versions": f"{base}versions/",
        "Text": f"{base}design/text/",
        "Settings": f"{base}design/settings/",
        "Paste rows": f"{base}design/paste/?part=triggers",
    }


def _measured(client: Any, address: str) -> dict[str, float]:
    from django.db import connection

    queries: list[str] = []

    def count(execute: Any, query: Any, *more: Any) -> Any:
        queries.append(query)
        return execute(query, *more)

    with connection.execute_wrapper(count):  # which also warms up what a process does once
        answer = client.get(address)
    if answer.status_code != 200:
        raise RuntimeError(f"{address} answered {answer.status_code}")
    times = []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        answer = client.get(address)
        times.append(1000 * (time.perf_counter() - began))
    size = len(answer.content) / 1000
    return {"ms": statistics.median(times), "kB": size, "queries": len(queries)}


if __name__ == "__main__":
    main()
