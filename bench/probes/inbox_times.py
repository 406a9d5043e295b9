"""Run as a web process: the first page of open tasks, and an instance by its key with its state, in turns.

Prints a JSON object with the median milliseconds of each.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable

import django

ROUNDS = 300


def main(flow: str, size: int, roles: int) -> None:
    """Print the times, both as pages ask."""
    django.setup()
    from flows import api
    from flows.queries.definitions import flow_by_name
    from flows.queries.instances import instance, state
    from flows.queries.search import by_start_key, flows

    known, searched = flow_by_name(flow), flows([flow])
    keys = [f"r:Role {n}" for n in range(roles)]

    def page(n: int) -> bool:
        return len(api.tasks.open(f"person {n}", keys)) == 50

    def look_up(n: int) -> bool:
        (found,) = by_start_key(f"N{n * 37 % size}", searched)
        return known is not None and instance(found.wid) is not None and len(state(known, found.wid)) > 0

    times: dict[str, list[float]] = {"page": [], "look_up": []}
    for n in range(ROUNDS):
        times["page"].append(_milliseconds(page, n))
        times["look_up"].append(_milliseconds(look_up, n))
    sys.stdout.write(json.dumps({name: statistics.median(each) for name, each in times.items()}))


def _milliseconds(do: Callable[[int], bool], number: int) -> float:
    began = time.perf_counter()
    if not do(number):
        raise RuntimeError("the page or the instance was not found")
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
