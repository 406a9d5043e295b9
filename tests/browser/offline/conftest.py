"""A device of carol on a line, and a flow whose tasks she performs without a connection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import Group

from flows import api
from testkit.line import Line
from testkit.web import WebServer
from tests.browser.offline.device import Device, Shelf
from tests.browser.work.test_task_form import DEFINITION as FORM

DEFINITION = FORM | {"triggers": [FORM["triggers"][0] | {"offline": True, "role": "Technician"}]}


@pytest.fixture
def technicians(people: dict[str, Any], django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock():
        group = Group.objects.get_or_create(name="role:Technician")[0]
        for name in ("carol", "bob"):
            people[name].groups.add(group)
        yield
        group.delete()


@pytest.fixture
def line(server: WebServer) -> Iterator[Line]:
    made = Line(server.port)
    yield made
    made.cut()


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    made = Shelf(tmp_path_factory.mktemp("devices"))
    yield made
    made.close()


@pytest.fixture
def device(shelf: Shelf, line: Line, technicians: None) -> Iterator[Device]:
    made = shelf.take(line)
    made.open("static/wedsql_site/mark.svg")
    made.log_in("carol")
    yield made
    shelf.give_back(made)


@pytest.fixture
def conn(flow: str, connect: Any) -> psycopg.Connection[Any]:
    found: psycopg.Connection[Any] = connect()
    api.flows.publish(flow, DEFINITION, conn=found)
    return found


@pytest.fixture
def locked(flow: str, conn: psycopg.Connection[Any]) -> Callable[[], int]:
    """A function that starts an instance, locks its task for carol, and returns the number of the task."""

    def lock() -> int:
        (task,) = api.tasks.of_instance(api.instances.start(flow, {}, conn=conn), conn=conn)
        api.tasks.take(task.job_id, "carol", ["r:Technician"], lock=True, conn=conn)
        return task.job_id

    return lock
