"""Each request about tasks that is sent twice, as after an answer that was lost, counts once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client

from flows import api
from flows.tests.pages import Form, unique
from monitor.api.document import document
from monitor.tasks.tests.test_messages_pages import reaped
from monitor.tests.server.programs import BASE, Program, program

pytestmark = pytest.mark.django_db(transaction=True)
KEY = "device-that-repeats"
SOON = (datetime.now(UTC) + timedelta(days=2)).replace(microsecond=0).isoformat()
DEFINITION: dict[str, Any] = {
    "attributes": [{"name": "amount", "type": "numeric"}, {"name": "verdict"}],
    "triggers": [
        {"transition": "weigh", "predicate": "verdict is null", "performer": "person", "role": "Weigher",
         "offline": True, "writes": ["amount", "verdict"]},
        {"predicate": "verdict is not null", "final": True},
    ],
}  # fmt: skip
# Everything that a request may write, without the moments of what was only seen again.
WRITTEN = {
    "wed_trace": "wid, seq, trw, state", "job_log": "job_id, outcome, actor, message",
    "job_pool": "id, wid, state", "message": "person, kind, wid, job_id, read_at",
    "late_result": "wid, job_id", "case_event": "kind, actor", "device": "person, key, state",
    "device_result": "device_id, number, state", "absence": "person, substitute",
    "task": "job_id, state, owner, owned_at, due_at, hidden_until, given_by", "task_setting": "wid, warnings",
}  # fmt: skip


def written() -> dict[str, list[Any]]:
    """Return what the tables have."""
    found = {}
    with connection.cursor() as cursor:
        for table, columns in WRITTEN.items():
            cursor.execute(f"select row({columns})::text from wedsql.{table} order by 1")
            found[table] = cursor.fetchall()
    return found


class Desk:
    """Two persons of a role and the flow's supervisor, and three tasks."""

    def __init__(self, flow: str) -> None:
        self.flow = flow
        self.user, self.other, self.boss = (User.objects.create_user(unique("w")) for _ in range(3))
        role = Group.objects.get_or_create(name="role:Weigher")[0]
        for user in (self.user, self.other):
            user.groups.add(role)
        self.boss.groups.add(Group.objects.get_or_create(name=f"flow:{flow}:operate")[0])
        self.program: Program = program(self.user, "perform")
        self.supervisor: Program = program(self.boss, "perform", "operate")
        self.wids = [api.instances.start(flow, {}) for _ in range(3)]
        self.tasks = [api.tasks.of_instance(wid)[0].job_id for wid in self.wids]
        self.program.post("/offline/devices", {"device": KEY})

    def held(self, lock: bool = False) -> Any:
        return api.tasks.take(self.tasks[0], self.user.username, ["r:Weigher"], lock=lock)


@pytest.fixture
def desk() -> Iterator[Desk]:
    name = unique("weights")
    api.flows.create(name)
    api.flows.publish(name, DEFINITION)
    yield Desk(name)
    api.flows.drop(name, force=True)


Sent = tuple[Program, str, str, dict[str, Any]]


def of_task(verb: str, **body: Any) -> Callable[[Desk], Sent]:
    """Return what sends a request about a task that the person holds."""

    def made(desk: Desk) -> Sent:
        held = desk.held()
        filled = {name: given(desk, held) if callable(given) else given for name, given in body.items()}
        return desk.program, "post", f"/tasks/{desk.tasks[0]}/{verb}", filled

    return made


def forced(verb: str, **body: Any) -> Callable[[Desk], Sent]:
    """Return the same of the supervisor."""

    def made(desk: Desk) -> Sent:
        _program, method, path, filled = of_task(verb, **body)(desk)
        return desk.supervisor, method, path, filled

    return made


def results(desk: Desk) -> Sent:
    held = desk.held(lock=True)
    package = desk.program.get(f"/offline/packages/{held.job_id}?device={KEY}").json()
    one = {name: package[name] for name in ("task", "claim", "seq")}
    one |= {"number": 1, "data": {"verdict": "x"}, "made_at": "2026-05-01T12:00:00Z"}
    return desk.program, "post", "/offline/results", {
        "device": KEY, "sent_at": "2026-05-01T12:00:00Z", "results": [one]}  # fmt: skip


def late(desk: Desk) -> Sent:
    """A result of a task that went to the person responsible at its deadline."""
    chosen = {"responsible": desk.boss.username, "warnings": ["6 transfer"]}
    api.persons.set_settings(desk.wids[0], chosen, desk.boss.username, True)
    until = datetime.now(UTC) + timedelta(days=3)
    api.tasks.extend_deadline(desk.tasks[0], desk.boss.username, until, True)
    desk.held()
    reaped("70 hours")
    return desk.program, "post", f"/tasks/{desk.tasks[0]}/late", {"data": {"verdict": "x"}}


def read(desk: Desk) -> Sent:
    api.tasks.give(desk.tasks[0], desk.boss.username, desk.user.username, "", True)
    return desk.program, "post", "/messages/read", {"messages": [1]}


REQUESTS: dict[str, Callable[[Desk], Sent]] = {
    "post /tasks/next": lambda desk: (
        desk.program, "post", "/tasks/next", {"flow": desk.flow, "request": "r-1"}),
    "post /tasks/{task}/take": of_task("take"),
    "post /tasks/{task}/start": of_task("start"),
    "post /tasks/{task}/complete": of_task("complete", data={"verdict": "x"}),
    "post /tasks/{task}/fail": of_task("fail", reason="broken"),
    "post /tasks/{task}/release": forced("release", held_by=lambda desk, _held: desk.user.username),
    "post /tasks/{task}/give": forced("give", to=lambda desk, _held: desk.other.username, reason="ill",
                                        held_by=lambda desk, _held: desk.user.username),
    "post /tasks/{task}/aside": of_task("aside", until=SOON),
    "post /tasks/{task}/deadline": forced("deadline", until=SOON),
    "post /tasks/{task}/late": late,
    "post /messages/read": read,
    "post /offline/devices": lambda desk: (desk.program, "post", "/offline/devices", {"device": KEY}),
    "post /offline/results": results,
    "put /instances/{wid}/task-settings": lambda desk: (
        desk.supervisor, "put", f"/instances/{desk.wids[0]}/task-settings",
        {"responsible": desk.boss.username}),
}  # fmt: skip


def of_tasks(path: str) -> bool:
    return path.startswith(("/tasks", "/offline", "/messages")) or path.endswith("/task-settings")


def test_every_request_is_tried() -> None:
    paths = {path.removeprefix(BASE): methods for path, methods in document()["paths"].items()}
    assert set(REQUESTS) == {
        f"{method} {path}"
        for path, methods in paths.items()
        if of_tasks(path)
        for method in methods
        if method != "get"
    }


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_that_is_sent_twice_counts_once(name: str, desk: Desk) -> None:
    sender, method, path, body = REQUESTS[name](desk)
    first = getattr(sender, method)(path, body)
    assert first.status_code == 200, first.content
    once = written()
    second = getattr(sender, method)(path, body)
    assert second.status_code in (200, 409), second.content
    assert written() == once
    if name in ("post /tasks/next", "post /tasks/{task}/deadline", "post /tasks/{task}/give"):
        assert second.json() == first.json()


def test_the_form_that_takes_the_next_task_takes_one(desk: Desk) -> None:
    client = Client()
    client.force_login(desk.user)
    html = client.get("/tasks/?show=open").content.decode()
    fields = Form(html[html.index('action="/tasks/next/"') - 20 :].partition("</form>")[0]).fields
    first = client.post("/tasks/next/", fields)
    again = client.post("/tasks/next/", fields)
    assert first["Location"] == again["Location"] != "/tasks/"
    assert len(api.tasks.own(desk.user.username)) == 1
