"""Perform the tasks by viewflow's Python calls as its views do: assign, start, save the process, execute."""

from __future__ import annotations

import os

import django
from office import PERSONS, arguments, perform, persons

OPTIONS = arguments()
PAGE = 50


def main() -> None:
    """Start the processes, and perform the tasks."""
    os.environ |= {"BENCH_DSN": OPTIONS.dsn, "DJANGO_SETTINGS_MODULE": "viewflow_app.settings"}
    django.setup()
    from django.contrib.auth.models import User
    from viewflow_app.flows import Office

    users = [User.objects.get_or_create(username=f"person{n}")[0] for n in range(PERSONS)]
    ours = [Office.start.run().pk for _ in range(OPTIONS.instances)]
    turns = persons()
    perform(lambda: sum(_task(task, users[next(turns)]) for task in _page(ours)), OPTIONS.seconds)


def _page(processes: list[int]) -> list[object]:
    """Return the first tasks that no person has."""
    from viewflow.workflow.models import Task

    found = Task.objects.filter(status="NEW", flow_task_type="HUMAN", process_id__in=processes)
    return list(found.order_by("created")[:PAGE])


def _task(task, user) -> int:  # type: ignore[no-untyped-def]
    with task.activation() as activation:
        activation.assign(user)
    with task.activation() as activation:
        activation.start(None)
        activation.process.data = {**(activation.process.data or {}), task.flow_task.name: "done"}
        activation.process.save()
        activation.execute()
    return 1


main()
