"""Many tasks that are marked in a list: taken by one call, with the sentences of a single one."""

from __future__ import annotations

import pytest
from django.db import connection
from django.utils.html import escape

from flows import api
from flows.errors import Refused
from monitor.tasks.tests.test_task_lists import EXPERT, flow, name_of, open_some, person, shown

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["flow"]


def writers(tasks: list[int]) -> set[str]:
    """Return the transactions that wrote these tasks last."""
    with connection.cursor() as cursor:
        cursor.execute("select xmin::text from wedsql.task where job_id = any (%s)", [tasks])
        return {number for (number,) in cursor.fetchall()}


def test_marked_tasks_are_taken_in_one_transaction(flow: str) -> None:
    expert, tasks = person(EXPERT), list(open_some(flow, 5).values())
    assert len(writers(tasks)) == 5
    answered = expert.post("/tasks/take/", {"task": [*tasks, tasks[0]]}, follow=True).content.decode()
    assert "5 tasks are yours." in answered and shown(expert, show="mine") == tasks
    assert len(writers(tasks)) == 1


@pytest.mark.parametrize("place", [0, 1])
def test_the_sentence_is_that_of_the_last_task_that_cannot_be_taken(flow: str, place: int) -> None:
    expert, other = person(EXPERT), person(EXPERT)
    theirs, ended, free = open_some(flow, 3).values()
    for task in (theirs, ended):
        held = api.tasks.take(task, name_of(other), ["r:Expert"])
    api.tasks.complete(ended, name_of(other), {"amount": 5}, None, held.claim)
    refused = [theirs, 0] if place else [ended, theirs]
    answered = expert.post("/tasks/take/", {"task": [*refused, free]}, follow=True).content.decode()
    said = []
    for task in refused:
        with pytest.raises(Refused) as why:
            api.tasks.take(task, name_of(expert), ["r:Expert"])
        said.append(escape(why.value.sentence))
    assert "1 task is yours." in answered and said[1] in answered
    assert said[0] == said[1] or said[0] not in answered
