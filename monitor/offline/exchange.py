"""What a device and the site say to each other: which tasks are locked, and what became of results."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from flows import api
from flows.capabilities.offline.api import OfflineResult
from flows.database_errors import error_for
from flows.errors import WedError

STATES = {"A": "active", "W": "withdrawn", "L": "lost"}
RESULTS = {
    "W": "waiting", "A": "accepted", "L": "late", "R": "refused", "X": "discarded", "S": "skipped",
    "G": "gone",
}  # fmt: skip


def digest_of(tasks: Iterable[Mapping[str, Any]], variant: str = "") -> str:
    """Return a digest of tasks as they are listed; `variant`: of what they are shown with."""
    lines = [variant, *(" ".join(map(str, one.values())) for one in tasks)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]


def synchronized(
    person: str, key: str, tasks: Sequence[Mapping[str, Any]], known: str, variant: str = ""
) -> dict[str, Any]:
    """Return the tasks of a device as they are listed; None for them if it has all, which is noted.

    Raises UnknownDevice, DeviceEnded.
    """
    digest = digest_of(tasks, variant)
    if known == digest:
        api.offline.confirm_packages(person, key, [one["task"] for one in tasks])
        return {"digest": digest, "tasks": None}
    return {"digest": digest, "tasks": list(tasks)}


def sent(person: str, key: str, results: Iterable[tuple[int, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Keep the results of a device in their order, each on its own, and return what became of each.

    One that cannot be kept has its problem, and ends the list: those behind it would wait.
    """
    device = api.offline.device_seen(person, key).device
    found = []
    for number, content in sorted(results, key=lambda one: one[0]):
        try:
            found.append(shown(api.offline.keep_result(person, key, number, content)))
        except WedError as error:
            found.append({"number": number, "state": "rejected", "problem": problem_of(error)})
            break
    go_on(device)
    return found


def go_on(device: int) -> int:
    """Apply the results of a device that waited for one that has come, each on its own; return how many."""
    done = 0
    while api.offline.continue_offline(device) is not None:
        done += 1
    return done


def shown(result: OfflineResult) -> dict[str, Any]:
    """Return a result as a device gets it, with its problem in the language of the reader."""
    found = dict(vars(result))
    found["state"] = RESULTS[result.state]
    given = result.problem
    found["problem"] = None
    if given:
        texts = {name: str(given.get(name) or "") for name in ("message", "hint", "detail")}
        error = error_for(str(given["code"]), texts["message"], hint=texts["hint"], detail=texts["detail"])
        found["problem"] = problem_of(error)
    return found


def problem_of(error: WedError) -> dict[str, str]:
    """Return an error as a device shows it."""
    return {"code": error.code, "message": error.message, "hint": error.hint}
