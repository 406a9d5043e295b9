"""Whatever replaces a definition asks who holds what that takes: doors of texts, files, pages and rows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from flows import api
from flows.models import Flow
from flows.tests.bpmn.files.bpmn_files import file, flows, node
from flows.tests.command.test_command_importgraph import ORDERS
from flows.tests.commands import refused, run, write
from flows.tests.pages import unique
from flows.tests.pdl.pdl import workflow

pytestmark = pytest.mark.django_db
CLERK = ["r:Clerk"]
RULE = {"transition": "tr_check", "predicate": "a is null", "performer": "person", "role": "Clerk"}
RULE_2 = {"transition": "tr_more", "predicate": "a = 'b'"}


@pytest.fixture(scope="module")
def standing_flow(standing: Callable[[Callable[[], str]], str]) -> str:
    return standing(made_flow)


@pytest.fixture
def flow(standing_flow: str, db: None) -> str:
    """A flow of which ana has taken a task."""
    cache.clear()  # it has what other tests have done with the flow
    return standing_flow


def made_flow() -> str:
    name = unique()
    api.flows.create(name)
    api.flows.publish(name, {"attributes": [{"name": "a"}], "triggers": [RULE, RULE_2]})
    api.instances.start(name)
    (task,) = (each for each in api.tasks.open("ana", CLERK) if each.flow == name)
    api.tasks.take(task.job_id, "ana", CLERK)
    return name


def process(flow: str) -> bytes:
    """Return a file with one process, which becomes this flow if all processes are imported."""
    empty = file(node("startEvent", "s"), node("task", "t"), node("endEvent", "e"), flows("s t", "t e"))
    return empty.replace(b'id="p"', f'id="{flow}"'.encode())


def two(flow: str) -> bytes:
    """Return a file with this process and another one."""
    other = f'<bpmn:process id="{flow}_b" isExecutable="true">{node("startEvent", "s2")}'
    other += f"{node('endEvent', 'e2')}{flows('s2 e2')}</bpmn:process>"
    return process(flow).replace(b"</bpmn:definitions>", other.encode() + b"</bpmn:definitions>")


def command(*line: str) -> Callable[[str, Path, list[str]], str]:
    """Return a door that runs a command with a file; the first of the line is the ending of its name."""
    ending, *words = line

    def door(flow: str, place: Path, more: list[str]) -> str:
        text = {
            "json": json.dumps({"attributes": [{"name": "a"}], "triggers": [RULE_2]}),
            "yaml": ORDERS,
            "bpmn": process(flow).decode(),
            "pdl": workflow("a: m { ROLE r; }"),
            "sql": "update wed_trig set performer = 'worker', role = '' where trname = 'tr_check';",
        }[ending]
        path = write(place, text, f"x.{ending}")
        given = [{"FILE": path, "FLOW": flow}.get(word, word) for word in words] + more
        return run(*given) if more == ["--held", "1"] else refused(*given)

    return door


# Statements of WSQL take no task: none changes who performs a transition, or removes one.
COMMANDS = {
    "flow load": command("json", "flow", "load", "FILE", "--flow", "FLOW"),
    "rows from SQL": command("sql", "flow", "load", "FILE", "--flow", "FLOW"),
    "graph": command("yaml", "flow", "import", "graph", "FILE", "--flow", "FLOW"),
    "BPMN": command("bpmn", "flow", "import", "bpmn", "FILE", "--flow", "FLOW"),
    "all of BPMN": command("bpmn", "flow", "import", "bpmn", "FILE", "--all"),
    "PDL": command("pdl", "flow", "import", "pdl", "FILE", "--flow", "FLOW"),
}


def untouched(flow: str, before: object) -> bool:
    (task,) = (each for each in api.tasks.own("ana") if each.flow == flow)
    return bool(task) and api.flows.definition(flow) == before


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_that_takes_a_task_asks_who_has_it(name: str, flow: str, tmp_path: Path) -> None:
    before = api.flows.definition(flow)
    for more in ([], ["--held", "0"], ["--held", "2"]):
        assert "ana (1)" in COMMANDS[name](flow, tmp_path, more)
        assert untouched(flow, before), more
    COMMANDS[name](flow, tmp_path, ["--held", "1"])
    assert api.flows.definition(flow) != before


def import_page(client: Client, flow: str, **more: str) -> tuple[int, str]:
    given = {"name": flow, "file": SimpleUploadedFile("x.bpmn", process(flow)), "do": "publish"}
    answer = client.post("/admin/flows/flow/import/", given | more)
    return answer.status_code, answer.content.decode()


def all_page(client: Client, flow: str, **more: str) -> tuple[int, str]:
    given = {"process": "*", "file": SimpleUploadedFile("x.bpmn", two(flow)), "do": "publish"}
    answer = client.post("/admin/flows/flow/import/", given | more)
    return answer.status_code, answer.content.decode()


def pdl_page(client: Client, flow: str, **more: str) -> tuple[int, str]:
    address = f"/admin/flows/flow/{Flow.objects.get(name=flow).pk}/pdl/"
    base = re.search('name="base" value="([^"]*)"', client.get(address).content.decode())
    given = {"text": workflow("a: m { ROLE r; }"), "do": "publish", "base": base[1] if base else ""}
    answer = client.post(address, given | more)
    return answer.status_code, answer.content.decode()


PAGES = {"import": import_page, "all at once": all_page, "PDL": pdl_page}


@pytest.mark.parametrize("name", PAGES)
def test_each_page_that_takes_a_task_asks_who_has_it(name: str, flow: str, alice: Client) -> None:
    before = api.flows.definition(flow)
    for wrong in ({}, {"held": "0"}, {"held": "2"}):
        status, page = PAGES[name](alice, flow, **wrong)
        assert status in (200, 409) and "ana" in page and "held" in page, (wrong, status)
        assert untouched(flow, before)
    status, page = PAGES[name](alice, flow, held="1")
    assert status == 302 and api.flows.definition(flow) != before, page
