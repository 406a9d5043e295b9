"""The options of the rules whose jobs perform tasks: who performs them, how often, and within what time.

What a person performs is made here alone. `PERSON` has the options of tasks of people; while the kernel does
not know them, such a task is a job of a role, as that of any flow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows.definition.trigger import TRIGGER
from flows.languages.pdl.model import AUTOMATIC, SEMI_AUTOMATIC, Activity, Application, TaskModel

_LONGEST_DESCRIPTION = 2_000


def options(task: Activity, model: TaskModel, application: Application | None) -> dict[str, Any]:
    """Return the options of the job of a task."""
    own = _automatic(model) if model.type == AUTOMATIC else _human(task, model, application)
    description = " ".join(task.description.split())[:_LONGEST_DESCRIPTION]
    return {
        "priority": model.priority,
        "timeout": deadline(model),
        **own,
        **({"description": description} if description else {}),
    }


def deadline(model: TaskModel) -> str | None:
    """Return the deadline of a model as an interval; a day has 24 hours. None for no limit."""
    return f"{model.deadline.hours} hours" if model.deadline is not None else None


def _automatic(model: TaskModel) -> dict[str, Any]:
    """Return what an automatic task has: RETRIES are the attempts after the first one."""
    return {"performer": "worker", "max_attempts": 1 + (model.retries or 0)}


def _human(task: Activity, model: TaskModel, application: Application | None) -> dict[str, Any]:
    """Return what the task of a person has."""
    person: Mapping[str, Any] = {
        "performer": "person",
        "deadline": deadline(model),
        "offline": model.offline,
        "application": facts(application) if model.type == SEMI_AUTOMATIC and application else None,
    }
    known = "person" in TRIGGER["performer"].choices
    found = {name: value for name, value in person.items() if known and name in TRIGGER and value is not None}
    return {"performer": "worker", **({"role": task.role} if task.role else {}), **found}


def facts(application: Application) -> dict[str, Any]:
    """Return what is said about an application; its hosts are in the order in which they are tried."""
    found = {
        "id": application.id,
        "filename": application.filename,
        "size_kb": application.size,
        "os": application.os,
        "cpu": application.cpu,
        "installer": application.installer,
        "hosts": [*application.hosts],
    }
    return {name: value for name, value in found.items() if value}
