"""What was where in a flow at a moment of the history; the kernel evaluates the conditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows.statements import value


@dataclass(frozen=True, slots=True)
class OpenJobs:
    """The jobs that a trigger had at a moment.

    `failed` are those that had used all attempts, so that their instances were exceptions; `oldest` says when
    the oldest of the others was fired.
    """

    n: int
    oldest: datetime | None
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Places:
    """Of the instances that were living: on how many each condition held, and jobs, by trigger.

    `examined` are the newest of them, and `more` says that there were others.
    """

    examined: int
    more: bool
    holds: Mapping[int, int]
    jobs: Mapping[int, OpenJobs]


def places_at(flow: str, at: datetime, *, limit: int = 1_000, conn: Any = None) -> Places:
    """Return the places of instances at a moment, by the current triggers of the flow. Raises UnknownFlow."""
    found = value(conn, "select wedsql.places_at(%s, %s, %s)", (flow, at, limit))
    jobs = {
        int(tgid): OpenJobs(
            each["n"], each["oldest"] and datetime.fromisoformat(each["oldest"]), each["failed"]
        )
        for tgid, each in found["jobs"].items()
    }
    holds = {int(tgid): n for tgid, n in found["holds"].items()}
    return Places(found["examined"], found["more"], holds, jobs)
