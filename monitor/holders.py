"""Who else has something of an instance, or of many: tasks, or the claims of cases."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest

from flows import api
from flows.queries.definitions import FlowInfo

HOLDING = "SLX"


@dataclass(frozen=True)
class Holder:
    """A person who has a task, or with an empty `task` has claimed the case, and since when."""

    person: str
    task: str
    since: datetime | None


def facts(request: HttpRequest, flow: FlowInfo, wid: int) -> dict[str, Any]:
    """Return the facts for the form of an operation about others who hold something of the instance.

    `unseen` is whether a form was sent that did not show them: then it is shown again instead of done.
    """
    found = [*_others(request.user.get_username(), flow, wid)]
    parts = "\n".join(f"{one.person}\t{one.task}\t{one.since}" for one in found)
    seen = hashlib.sha256(parts.encode()).hexdigest()[:16] if found else ""
    unseen = request.method == "POST" and bool(found) and request.POST.get("seen") != seen
    return {"holders": found, "seen": seen, "unseen": unseen}


def tasks_of(person: str, flow: FlowInfo, wid: int) -> list[Holder]:
    """Return the others who have tasks of an instance."""
    return [one for one in _others(person, flow, wid) if one.task]


def of_many(request: HttpRequest, wids: Sequence[int]) -> dict[str, Any]:
    """Return the others who have tasks or cases of these instances, for the form of an operation on many.

    `claims` is a text by which a request recognizes that the form showed them.
    """
    person = request.user.get_username()
    cases, tasks = api.cases.claims_of_others(wids, person), api.tasks.of_others(wids, person)
    parts = [*(f"{one.owner}:{one.cases}" for one in cases), *(f"{one.owner}/{one.tasks}" for one in tasks)]
    seen = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16] if parts else ""
    return {"others": cases, "other_tasks": tasks, "claims": seen}


def _others(person: str, flow: FlowInfo, wid: int) -> Iterator[Holder]:
    for task in api.tasks.of_instance(wid):
        if task.owner and task.owner != person and task.state in HOLDING:
            yield Holder(task.owner, flow.transition_titles.get(task.transition, task.label), task.owned_at)
    for found in api.cases.list([flow.name], {"wid": wid}, limit=1):
        case = api.cases.read(found.number)
        if case.claimed_until_at and case.owner != person:
            kinds = ("claimed", "taken_over", "given")
            since = [each.at for each in case.history if each.kind in kinds]
            yield Holder(case.owner, "", max(since, default=None))
