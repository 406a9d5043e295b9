"""Who else has something of an instance: a task of it, or the claim of its case."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
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


def _others(person: str, flow: FlowInfo, wid: int) -> Iterator[Holder]:
    for task in api.instance_tasks(wid):
        if task.owner and task.owner != person and task.state in HOLDING:
            yield Holder(task.owner, flow.transition_titles.get(task.transition, task.label), task.owned_at)
    for found in api.list_cases([flow.name], {"wid": wid}, limit=1):
        case = api.read_case(found.number)
        if case.claimed_until_at and case.owner != person:
            kinds = ("claimed", "taken_over", "given")
            since = [each.at for each in case.history if each.kind in kinds]
            yield Holder(case.owner, "", max(since, default=None))
