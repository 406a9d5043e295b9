"""The options of the rules whose jobs perform tasks: who performs them, how often, and within what time."""

from __future__ import annotations

import re
from typing import Any

from flows.languages.pdl.model import AUTOMATIC, FAILED, SEMI_AUTOMATIC, Activity, Application, TaskModel
from flows.languages.pdl.rules import Attributes

_LONGEST_DESCRIPTION = 2_000
_ADDRESS = re.compile(r"https?://[^\s<>{}\x00-\x1f]{1,490}")


def options(
    task: Activity, model: TaskModel, application: Application | None, found: Attributes
) -> dict[str, Any]:
    """Return the options of the job of a task, whose state and what it has reached are these attributes."""
    own = _automatic(model, found) if model.type == AUTOMATIC else _human(task, model, application, found)
    description = " ".join(task.description.split())[:_LONGEST_DESCRIPTION]
    return {
        "priority": model.priority,
        **own,
        **({"description": description} if description else {}),
    }


def deadline(model: TaskModel) -> str | None:
    """Return the deadline of a model as an interval; a day has 24 hours. None for no limit."""
    return f"{model.deadline.hours} hours" if model.deadline is not None else None


def _failing(found: Attributes) -> list[str]:
    """Return the outcome of what could not be done."""
    return [f"{FAILED}: {found.state} = '{FAILED}'"]


def _automatic(model: TaskModel, found: Attributes) -> dict[str, Any]:
    """Return the options of an automatic task: RETRIES are the attempts after the first one.

    Where a rule reads that it failed, that is what used up attempts mean; else a person decides.
    """
    own = {"performer": "worker", "timeout": deadline(model), "max_attempts": 1 + (model.retries or 0)}
    return own | ({"outcomes": _failing(found)} if found.failed else {})


def _human(
    task: Activity, model: TaskModel, application: Application | None, found: Attributes
) -> dict[str, Any]:
    """Return the options of a person's task."""
    link = application.filename if application and model.type == SEMI_AUTOMATIC else ""
    person = {
        "role": task.role,
        "deadline": deadline(model),
        "offline": model.offline,
        "application": link if _ADDRESS.fullmatch(link) else "",
        "sets_when_taken": f"{found.running} = true" if found.running else "",
    }
    given = {name: value for name, value in person.items() if value}
    return {"performer": "person", "timeout": None, "outcomes": _failing(found), **given}


def facts(application: Application) -> dict[str, Any]:
    """Return the facts about an application; its hosts are in the order in which they are tried."""
    found = {
        "id": application.id,
        "filename": application.filename,
        "size_kb": application.size,
        "os": application.os,
        "cpu": application.cpu,
        "installer": application.installer,
        "hosts": [*application.hosts],
        "by_load": application.by_load,
    }
    return {name: value for name, value in found.items() if value}
