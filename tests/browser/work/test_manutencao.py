"""The process Manutencao of the dissertation (section 4.4): imported, published, and performed (T-225)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from selenium import webdriver
from selenium.webdriver.common.by import By

from flows import api
from flows.tests.pages import unique
from flows.tests.pdl.pdl import MODELS, PRINTED
from testkit.processes import Processes
from testkit.web import WebServer
from tests.browser.conftest import PASSWORD, LogIn, Wait, problems
from workers.tests.conftest import processes as processes

Browser = webdriver.Chrome
OFFICE = {"Maria": "Atendente", "Paulo": "Tecnico", "Joao": "Office_boy"}


@pytest.fixture
def session(connect: Callable[..., psycopg.Connection[Any]]) -> Iterator[psycopg.Connection[Any]]:
    """A session as owner; the flows that the test has made are dropped."""
    conn = connect()
    before = {flow for (flow,) in conn.execute("select name from wedsql.flow")}
    yield conn
    for (flow,) in conn.execute("select name from wedsql.flow").fetchall():
        if flow not in before:
            api.flows.drop(flow, force=True, conn=conn)


@dataclass(frozen=True)
class Office:
    """The pages as the persons of the office use them."""

    browser: Browser
    url: str
    log_in: LogIn
    wait: Wait

    def text(self) -> str:
        return self.browser.find_element(By.TAG_NAME, "body").text

    def shows(self, text: str) -> None:
        self.wait(lambda _page: text in self.text())

    def press(self, button: str) -> None:
        """Press the button of the page with this text."""
        self.browser.find_element(By.XPATH, f"//main//button[normalize-space()='{button}']").click()

    def publish(self, flow: str, file: Path) -> None:
        """Import a text on the page, and publish the flow."""
        self.log_in(self.browser, "alice", "/admin/flows/flow/import/")
        self.browser.find_element(By.NAME, "name").send_keys(flow)
        self.browser.find_element(By.NAME, "file").send_keys(str(file))
        self.browser.find_element(By.CSS_SELECTOR, '[value="check"]').click()
        self.shows("can be published")
        assert self.browser.find_elements(By.CSS_SELECTOR, ".bpmn svg"), "its dependencies are drawn"
        self.browser.find_element(By.CSS_SELECTOR, '[value="publish"]').click()
        self.shows("With its instances")

    def start(self, flow: str, name: str) -> int:
        """Start an instance on its page, and return its number."""
        self.browser.get(f"{self.url}flows/{flow}/start/")
        label = self.browser.find_element(By.XPATH, "//label[contains(., 'name of the instance')]")
        self.browser.find_element(By.ID, str(label.get_attribute("for"))).send_keys(name)
        self.browser.find_element(By.CSS_SELECTOR, "main form button.primary").click()
        self.wait(lambda page: "/instances/" in page.current_url)
        return int(self.browser.current_url.split("/instances/")[1].split("/")[0])

    def opens(self, person: str, task: str) -> None:
        """Show the only open task of a person, which has this title and is about the instance."""
        self.log_in(self.browser, person, "/tasks/?show=open")
        (link,) = self.browser.find_elements(By.CSS_SELECTOR, "main table tbody a[href*='/tasks/']")
        assert link.text == task
        link.click()
        self.wait(lambda page: page.find_element(By.TAG_NAME, "h1").text == task)
        self.shows("Manutencao_001")

    def completes(self, file: str = "") -> None:
        """Write the file that the task asks for, and complete the task."""
        self.wait(lambda page: page.find_elements(By.CSS_SELECTOR, "form.operate"))
        for field in self.browser.find_elements(By.CSS_SELECTOR, "form.operate textarea") if file else ():
            field.clear()
            field.send_keys(json.dumps({"name": file}))
        self.press("Complete")
        self.shows("is completed")


@pytest.fixture
def office(
    browser: Browser, server: WebServer, log_in: LogIn, wait: Wait, django_db_blocker: Any
) -> Iterator[Office]:
    """The office, with three persons who have a role each."""
    with django_db_blocker.unblock():
        users = [get_user_model().objects.create_user(name, password=PASSWORD) for name in OFFICE]
        for user in users:
            user.groups.set([Group.objects.get_or_create(name=f"role:{OFFICE[user.username]}")[0]])
    yield Office(browser, server.url, log_in, wait)
    with django_db_blocker.unblock():
        for user in users:
            user.delete()


def test_t225_the_office_performs_manutencao_to_its_end(
    office: Office, session: psycopg.Connection[Any], processes: Processes, tmp_path: Path
) -> None:
    flow, file = unique("manutencao"), tmp_path / "m.pdl"
    file.write_text(PRINTED.read_text("utf-8") + MODELS.read_text("utf-8"), encoding="utf-8")
    office.publish(flow, file)
    wid = office.start(flow, "Manutencao_001")  # step 1
    office.log_in(office.browser, "Paulo", "/tasks/?show=open")
    assert "CriarOrdemServico" not in office.text(), "only an Atendente gets it (step 2)"
    office.opens("Maria", "CriarOrdemServico")  # steps 3 and 4
    assert "Nome do Cliente" in office.text()
    office.press("Take")
    office.completes("OrdemServico-1.txt")
    office.opens("Paulo", "VisitarCliente")  # steps 5 and 6
    office.press("Lock for work without a connection")
    office.completes("OrdemServico-2.txt")
    office.log_in(office.browser, "Joao", "/tasks/?show=open")
    assert "EnviarOrdemPagamento" not in office.text(), "a worker comes first (step 7)"
    worker = processes.manage("wedworker", "--flow", flow, "--once")
    assert worker.wait(60) == 0, processes.output()  # steps 8 to 10
    office.opens("Joao", "EnviarOrdemPagamento")
    office.press("Take")
    office.completes()
    state = session.execute(f"select to_jsonb(w) from {flow}.wed_flow w where wid = %s", [wid]).fetchone()
    assert state is not None and state[0]["debitos_clientes"] == {"name": "bill of OrdemServico-2.txt"}
    done = session.execute("select status from wedsql.instance where wid = %s", [wid]).fetchone()
    assert done == ("F",)  # step 11
    story = (
        "select trw, actor from wedsql.wed_trace where wid = %s and trw not like '%%\\_\\_%%' order by seq"
    )
    found = [row for row in session.execute(story, [wid]) if row[1] in OFFICE]
    assert found == [
        ("criar_ordem_servico", "Maria"), ("visitar_cliente", "Paulo"), ("enviar_ordem_pagamento", "Joao"),
    ]  # fmt: skip
    assert problems(office.browser) == []
