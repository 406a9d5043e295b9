"""Every command that changes something, with every database role; a new command fails until it has a row."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command, get_commands
from django.db import DatabaseError, connection, transaction
from django_otp.plugins.otp_totp.models import TOTPDevice

from flows import api
from flows.errors import WedError
from flows.tests.bpmn.files.bpmn_files import ORDER
from flows.tests.pdl.pdl import workflow as pdl
from tests.access import command_matrix as matrix
from tests.access.conftest import MINE, SampleData
from workers.demo.definitions import FLOWS

PROJECT = ("flows", "workers", "workers.demo", "monitor", "pages", "wedsql_site")


@contextmanager
def acting_as(role: str) -> Iterator[None]:
    """Act as this role, and roll back at the end."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f'set local role "{role}"')
        yield
        transaction.set_rollback(True)


def arguments(command: str, sample: SampleData, directory: Path) -> list[str]:
    """Return a command line that changes something."""
    definition = directory / "orders.json"
    definition.write_text(json.dumps({"attributes": [{"name": "a"}], "triggers": []}))
    graph = directory / "graph.txt"
    graph.write_text("R = [{r1, a, b}, {r2, b, c}]")
    workflow = directory / "workflow.pdl"
    workflow.write_text(pdl("a: m { ROLE r; }"))
    process = directory / "process.bpmn"
    process.write_bytes(ORDER)
    links = directory / "links.json"
    links.write_text(json.dumps([{"label": "CRM", "url": "https://crm.example/"}]))
    return {
        "flow": ["create", "made_by_a_verb"],
        "createflow": ["made_by_a_command"],
        "loadflow": [str(definition), "--flow", sample.parcels.flow],
        "importbpmn": [str(process), "--flow", "made_of_a_process"],
        "importpdl": [str(workflow), "--flow", "made_of_a_workflow"],
        "importgraph": [str(graph), "--flow", "made_of_a_graph"],
        "signal": [sample.parcels.flow],
        "workerkey": ["create", "k", "--flow", sample.parcels.flow],
        "startinstance": [sample.parcels.flow],
        "repair": [str(sample.parcels.start()), "suspend", "--reason", "x"],
        "operate": ["suspend", str(sample.parcels.start()), "--reason", "x"],
        "bulk": [str(sample.bulk), "pause"],
        "alerts": ["add", "--flow", sample.parcels.flow, "--name", "new", "--above", "1"],
        "webhooks": ["add", "--flow", sample.parcels.flow, "--url", "https://example.org/"],
        "sla": ["add", "--flow", sample.parcels.flow, "--name", "new", "--time", "4h"],
        "cases": ["next", "--flow", sample.parcels.flow],
        "tasks": [
            "release",
            str(sample.rows["task"]),
            "--person",
            "object" + MINE,
            "--force",
            "--held-by",
            "object" + MINE,
        ],
        "devices": ["withdraw", str(device_of(sample))],
        "moves": ["identity", "home"],
        "caselinks": ["--flow", sample.parcels.flow, "--file", str(links)],
        "flowrole": [sample.parcels.flow],
        "flowdraft": ["open", sample.parcels.flow],
        "wsql": [sample.parcels.flow, "-c", "CREATE WED-ATTRIBUTE colour"],
        "flowindex": [sample.parcels.flow, "pieces"],
        "archive": [str(directory), "--flow", sample.parcels.flow],
        "removefactor": ["object" + MINE],
        "apitoken": ["create", "object" + MINE, "--name", "reports"],
    }.get(command, [])


def device_of(sample: SampleData) -> int:
    """Return the number of a device that has connected."""
    return api.offline.device_seen(
        "object" + MINE, "device-of-a-test-1", conn=sample.parcels.connection
    ).device


def prepare(sample: SampleData) -> None:
    """Create something to archive, and a second factor to remove; drop the demo if a test has loaded it."""
    sample.parcels.send(sample.wid)
    change = "update wedsql.flow set retention = '1 microsecond' where name = %s"
    sample.parcels.connection.execute(change, [sample.parcels.flow])
    loaded = "select wedsql.drop_flow(name, true) from wedsql.flow where name = any(%s)"
    sample.parcels.connection.execute(loaded, [list(FLOWS)])
    TOTPDevice.objects.create(user_id=sample.rows["auth/user"], name="phone", confirmed=True)


def outcome(command: str, line: list[str], role: str) -> str:
    """Return the letter of the matrix, or the message of an error other than a missing right."""
    try:
        with acting_as(role):
            call_command(command, *line, stdout=StringIO())
    except (CommandError, WedError, DatabaseError) as error:
        return "f" if "permission denied" in str(error) else f"{type(error).__name__}: {error}"
    return "y"


def test_every_command_has_a_row() -> None:
    known = {*matrix.commands(), *matrix.READING, *matrix.PROGRAMS}
    assert {name for name, app in get_commands().items() if app in PROJECT} == known, (
        "write it into tests/access/command_matrix.py: COMMANDS if it changes something (with its line in"
        " this file), else READING or PROGRAMS"
    )


@pytest.mark.parametrize("command", matrix.commands())
def test_commands_do_what_their_database_role_may(command: str, sample: SampleData, tmp_path: Path) -> None:
    prepare(sample)
    line = arguments(command, sample, tmp_path)
    found = {role: outcome(command, line, role) for role in matrix.DATABASE_ROLES}
    assert found == dict(zip(matrix.DATABASE_ROLES, matrix.commands()[command], strict=True))
