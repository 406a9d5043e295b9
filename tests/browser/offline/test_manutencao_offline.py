"""Step 6 of Manutencao of the dissertation (section 4.4), performed without a connection (T-225)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from selenium.webdriver.common.by import By

from flows import api
from flows.languages.pdl import compile_workflow, read
from flows.tests.pages import unique
from flows.tests.pdl.pdl import texts
from testkit.line import Line
from testkit.processes import Processes
from tests.browser.conftest import PASSWORD
from tests.browser.design.test_form_fields import PNG
from tests.browser.offline.device import Device, Shelf
from workers.tests.conftest import processes as processes

OFFICE = {"Maria": "Atendente", "Paulo": "Tecnico", "Joao": "Office_boy"}
LOCK = "//main//button[normalize-space()='Lock for work without a connection']"
FORM = {
    "sections": [
        {
            "title": "Visita",
            "fields": [
                {"attribute": "relatorio", "label": "Relatório", "kind": "long", "required": True},
                {"attribute": "foto", "kind": "file", "accept": ["image/*"], "required": True},
            ],
        }
    ]
}


@pytest.fixture
def flow(connect: Any) -> Iterator[str]:
    """The process as it is printed; who visits the client writes a report, and takes a photo."""
    conn, name = connect(), unique("manutencao")
    before = {flow for (flow,) in conn.execute("select name from wedsql.flow")}
    made = compile_workflow(read(texts())[0]).compiled.definition
    more = [
        {"name": "relatorio", "label": "Relatório"},
        {"name": "foto", "type": "jsonb", "label": "Foto"},
    ]
    rules = [dict(each) for each in made["triggers"]]
    for each in rules:
        if each.get("transition") == "visitar_cliente":
            each |= {"form": FORM, "writes": [*each["writes"], "relatorio", "foto"]}
    api.flows.create(name, conn=conn)
    api.flows.publish(name, made | {"attributes": [*made["attributes"], *more], "triggers": rules}, conn=conn)
    yield name
    for (each,) in conn.execute("select name from wedsql.flow").fetchall():
        if each not in before:
            api.flows.drop(each, force=True, conn=conn)


@pytest.fixture
def office(people: dict[str, Any], django_db_blocker: Any) -> Iterator[None]:
    """The persons of the office, with a role each."""
    with django_db_blocker.unblock():
        users = [get_user_model().objects.create_user(name, password=PASSWORD) for name in OFFICE]
        for user in users:
            user.groups.set([Group.objects.get_or_create(name=f"role:{OFFICE[user.username]}")[0]])
        yield
        for user in users:
            user.delete()


def open_task(conn: psycopg.Connection[Any], wid: int, transition: str) -> int:
    (found,) = [one for one in api.tasks.of_instance(wid, conn=conn) if one.transition == transition]
    return found.job_id


def perform(conn: psycopg.Connection[Any], wid: int, person: str, transition: str, **values: Any) -> None:
    task = open_task(conn, wid, transition)
    api.tasks.take(task, person, [f"r:{OFFICE[person]}"], conn=conn)
    api.tasks.complete(task, person, values, conn=conn)


def test_t225_the_visit_of_the_client_is_performed_without_a_connection(
    tmp_path: Path, shelf: Shelf, line: Line, flow: str, office: None, connect: Any, processes: Processes
) -> None:
    conn = connect()
    wid = api.instances.start(flow, {"instance_name": "Manutencao_001"}, conn=conn)
    perform(conn, wid, "Maria", "criar_ordem_servico")
    task = open_task(conn, wid, "visitar_cliente")
    phone = shelf.take(line)
    try:
        phone.open("static/wedsql_site/mark.svg")
        phone.log_in("Paulo")
        phone.open(f"tasks/{task}/")
        phone.wait(lambda page: [one.click() or one for one in page.find_elements(By.XPATH, LOCK)])
        phone.wait(lambda page: not page.find_elements(By.XPATH, LOCK))  # its answer replaces the page
        visit(phone, line, task, tmp_path)
    finally:
        shelf.give_back(phone)
    state = dict(api.tasks.read(task, "Paulo", conn=conn).state_of)
    assert state["relatorio"] == "O cano estava furado."
    assert api.task_forms.read_file(wid, "foto", conn=conn)[1] == PNG
    times = "select made_at < arrived_at, state from wedsql.device_result where job_id = %s"
    assert conn.execute(times, [task]).fetchall() == [(True, "A")]
    worker = processes.manage("wedworker", "--flow", flow, "--once")
    assert worker.wait(60) == 0, processes.output()
    perform(conn, wid, "Joao", "enviar_ordem_pagamento")
    assert conn.execute("select status from wedsql.instance where wid = %s", [wid]).fetchone() == ("F",)


def visit(phone: Device, line: Line, task: int, folder: Path) -> None:
    """Perform the task of Paulo: transferred, cut off, killed twice, filled in with a photo, and sent."""
    phone.open()
    phone.exchanged()
    phone.wait(lambda page: phone.tasks() == [str(task)])
    line.cut()
    phone.start_again()
    phone.open(f"offline/en/#/tasks/{task}")
    phone.one("[name=value-relatorio]").send_keys("O cano estava furado.")
    photo = folder / "cano.png"
    photo.write_bytes(PNG)
    phone.one("[type=file]").send_keys(str(photo))
    phone.wait(lambda page: "cano.png" in phone.one("[data-file-now]").text)
    phone.wait(lambda page: phone.all("form[data-kept]"))
    phone.start_again()
    phone.open(f"offline/en/#/tasks/{task}")
    phone.wait(lambda page: "cano.png" in phone.one("[data-file-now]").text)
    phone.press("[data-task-form] button.primary")
    phone.wait(lambda page: not phone.all("[data-task-form]"))
    phone.start_again()
    line.restore()
    phone.log_in("Paulo")
    phone.open("offline/en/#/outbox")
    phone.wait(lambda page: phone.states() == ["accepted"])
