"""A number keeps every digit through each way into a task and each way out of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client

from flows import api
from flows.tests.commands import run
from flows.tests.pages import opened, unique
from monitor.tests.server.programs import Program, program

pytestmark = pytest.mark.django_db(transaction=True)
NUMBER = "321588685435836431.123456789"
SMALL = "0.10000000000000000000000000000001"
EXTRA = f'{{"id": {NUMBER}, "k": [1.50, {SMALL}]}}'
ROWS = f'[{{"n": {NUMBER}}}, {{"n": 1.50}}]'
NOON = "2026-05-01T12:00:00Z"
KEY = "device-with-numbers"
NAMES = ["amount", "extra", "rows", "verdict"]
DEFINITION: dict[str, Any] = {
    "attributes": [
        {"name": "amount", "type": "numeric"},
        {"name": "extra", "type": "jsonb"},
        {"name": "rows", "type": "jsonb"},
        {"name": "verdict"},
    ],
    "triggers": [
        {
            "transition": "weigh",
            "predicate": "verdict is null",
            "performer": "person",
            "role": "Weigher",
            "offline": True,
            "writes": NAMES,
            "form": {
                "sections": [
                    {
                        "fields": [
                            *({"attribute": name} for name in ("amount", "extra", "verdict")),
                            {
                                "attribute": "rows",
                                "kind": "table",
                                "columns": [{"name": "n", "type": "numeric"}],
                            },
                        ]
                    }
                ]
            },
        },
        {"predicate": "verdict is not null", "final": True},
    ],
}


class Desk:
    """A person who holds a task, with a browser and a program."""

    def __init__(self, flow: str, **state: str) -> None:
        self.user = User.objects.create_user(unique("w"))
        self.user.groups.add(Group.objects.get_or_create(name="role:Weigher")[0])
        self.page: Client = Client()
        self.page.force_login(self.user)
        self.program: Program = program(self.user, "perform")
        self.flow, self.name = flow, self.user.username
        columns = {name: f"'{text}'" for name, text in state.items()} or {"verdict": "null"}
        with connection.cursor() as cursor:
            cursor.execute(
                f'insert into "{flow}".wed_flow ({", ".join(columns)})'
                f" values ({', '.join(columns.values())}) returning wid"
            )
            self.wid = int(cursor.fetchone()[0])
        (found,) = api.tasks.of_instance(self.wid)
        self.task = found.job_id
        self.program.post("/offline/devices", {"device": KEY})
        self.held = api.tasks.take(self.task, self.name, ["r:Weigher"], lock=True)

    def stored(self) -> tuple[str, str, str]:
        with connection.cursor() as cursor:
            cursor.execute(
                f'select amount::text, extra::text, rows::text from "{self.flow}".wed_flow where wid = %s',
                [self.wid],
            )
            return tuple(cursor.fetchone())  # type: ignore[return-value]

    def body(self, **more: Any) -> str:
        """Return a body of JSON with the numbers, which no Python number could have."""
        values = f'{{"amount": {NUMBER}, "extra": {EXTRA}, "rows": {ROWS}, "verdict": "x"}}'
        return json.dumps(more | {"data": "DATA"}).replace('"DATA"', values)


@pytest.fixture
def flow() -> Iterator[str]:
    name = unique("weights")
    api.flows.create(name)
    api.flows.publish(name, DEFINITION)
    yield name
    api.flows.drop(name, force=True)


def typed(desk: Desk) -> dict[str, Any]:
    return {
        **opened(desk.page, f"/tasks/{desk.task}/"),
        "value-amount": NUMBER,
        "value-extra": EXTRA,
        "value-verdict": "x",
        "cell-rows-0-n": NUMBER,
        "cell-rows-1-n": "1.50",
    }


def by_page(desk: Desk) -> None:
    assert desk.page.post(f"/tasks/{desk.task}/", typed(desk)).status_code == 302


def by_draft(desk: Desk) -> None:
    address = f"/tasks/{desk.task}/"
    assert desk.page.post(f"{address}draft/", typed(desk)).json() == {"kept": True}
    assert desk.page.post(address, opened(desk.page, address)).status_code == 302


def by_http(desk: Desk) -> None:
    assert desk.program.post(f"/tasks/{desk.task}/complete", desk.body()).status_code == 200


def by_device(desk: Desk) -> None:
    package = desk.program.get(f"/offline/packages/{desk.task}?device={KEY}").json()
    own = {name: package[name] for name in ("task", "claim", "seq")}
    result = desk.body(number=1, made_at=NOON, **own)
    body = f'{{"device": "{KEY}", "sent_at": "{NOON}", "results": [{result}]}}'
    (found,) = desk.program.post("/offline/results", body).json()["results"]
    assert found["state"] == "accepted", found


def by_client(desk: Desk) -> None:
    """As the client of a browser without a connection sends it: the texts of the form."""
    package = desk.page.get(f"/offline/packages/{desk.task}/?device={KEY}").json()
    fields = [[name, text] for name, text in typed(desk).items() if isinstance(text, str)]
    result = {name: package[name] for name in ("task", "claim", "seq")}
    result |= {"number": 1, "fields": fields, "made_at": NOON}
    body = {"device": KEY, "sent_at": NOON, "results": [result]}
    answer = desk.page.post("/offline/results/", json.dumps(body), "application/json").json()
    assert answer["results"][0]["state"] == "accepted", answer


def by_command(desk: Desk) -> None:
    words = (f"amount:={NUMBER}", f"extra:={EXTRA}", f"rows:={ROWS}", "verdict=x")
    run("tasks", "complete", str(desk.task), *words, "--person", desk.name)


WAYS = [by_page, by_draft, by_http, by_device, by_client, by_command]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_every_digit_gets_into_the_instance(way: Callable[[Desk], None], flow: str) -> None:
    desk = Desk(flow)
    way(desk)
    assert desk.stored() == (NUMBER, f'{{"k": [1.50, {SMALL}], "id": {NUMBER}}}', ROWS)


OUT = ["/tasks/{task}/", "/api/v1/tasks/{task}", "/api/v1/offline/packages/{task}?device=" + KEY,
       "/offline/packages/{task}/?device=" + KEY]  # fmt: skip


@pytest.mark.parametrize("way", OUT)
def test_every_digit_gets_out_of_the_task(way: str, flow: str) -> None:
    desk = Desk(flow, amount=NUMBER, extra=EXTRA, rows=ROWS)
    address = way.format(task=desk.task)
    answer = desk.program.get(address.removeprefix("/api/v1")) if "api" in way else desk.page.get(address)
    assert answer.status_code == 200
    text = unescape(answer.content.decode().replace('\\"', '"').replace("\\u0022", '"'))
    assert re.search(rf"id\W+{re.escape(NUMBER)}", text) and SMALL in text and "3.2158" not in text
    assert "1.50" in text
