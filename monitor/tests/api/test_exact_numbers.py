"""A number keeps every digit through each way into an instance and each way out of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from flows import api, archive
from flows.archive import read_archive
from flows.tests.commands import run
from flows.tests.pages import Form
from monitor.tests.conftest import Parcels, client_of, person
from monitor.tests.server.programs import program

NUMBER = "321588685435836431.123456789"
OTHER = "0.10000000000000000000000000000001"
EXTRA = f'{{"id": {NUMBER}, "k": [1.50, {OTHER}]}}'
AS_SQL = f'{{"k": [1.50, {OTHER}], "id": {NUMBER}}}'


@pytest.fixture
def olga(parcels: Parcels, site: None) -> User:
    rights = [f"flow:{parcels.flow}:{right}" for right in ("operate", "repair")]
    return person("olga", *rights, staff=True, permission="view_traceentry")


@pytest.fixture
def page(olga: User) -> Client:
    return client_of(olga)


def stored(parcels: Parcels, wid: int) -> tuple[str, str]:
    found = parcels.connection.execute(
        f'select weight::text, extra::text from "{parcels.flow}".wed_flow where wid = %s', [wid]
    ).fetchone()
    assert found is not None
    return found


def newest(parcels: Parcels) -> int:
    found = parcels.connection.execute(f'select max(wid) from "{parcels.flow}".wed_flow').fetchone()
    assert found is not None
    return int(found[0])


def start_page(parcels: Parcels, user: User) -> None:
    path = f"/flows/{parcels.flow}/start/"
    client = client_of(user)
    form = Form(client.get(path).content.decode()).fields
    typed = {"value-weight": NUMBER, "value-extra": EXTRA}
    assert client.post(path, form | typed).status_code == 302


def start_csv(parcels: Parcels, user: User) -> None:
    path, client = f"/flows/{parcels.flow}/start/csv/", client_of(user)
    cell = EXTRA.replace('"', '""')
    sent = client.post(path, {"text": f'weight,extra\n{NUMBER},"{cell}"\n', "do": "preview"})
    assert client.post(path, Form(sent.content.decode()).fields | {"do": "start"}).status_code == 200


def start_http(parcels: Parcels, user: User) -> None:
    body = f'{{"state": {{"weight": {NUMBER}, "extra": {EXTRA}}}}}'
    assert program(user, "operate").post(f"/flows/{parcels.flow}/instances", body).status_code == 201


def start_command(parcels: Parcels, user: User) -> None:
    run("startinstance", parcels.flow, f"weight:={NUMBER}", f"extra:={EXTRA}")


def start_csv_command(parcels: Parcels, user: User) -> None:
    cell = EXTRA.replace('"', '""')
    with TemporaryDirectory() as folder:
        path = Path(folder, "parcels.csv")
        path.write_text(f'weight,extra\n{NUMBER},"{cell}"\n')
        run("startinstance", parcels.flow, "--csv", str(path))


def repair_command(parcels: Parcels, user: User) -> None:
    given = (f"weight:={NUMBER}", f"extra:={EXTRA}")
    run("repair", str(_lost(parcels)), "patch", *given, "--reason", "Weighed.", "--actor", "olga")


def repair_http(parcels: Parcels, user: User) -> None:
    changes = f'{{"weight": {NUMBER}, "extra": {EXTRA}}}'
    body = f'{{"operation": "patch", "reason": "x", "arguments": {{"changes": {changes}}}}}'
    answer = program(user, "repair").post(f"/instances/{_lost(parcels)}/repair", body)
    assert answer.status_code == 200, answer.content


def repair_page(parcels: Parcels, user: User) -> None:
    path, client = f"/instances/{_lost(parcels)}/repair/", client_of(user)
    typed = {"value-weight": NUMBER, "value-extra": EXTRA, "reason": "x"}
    form = Form(client.get(path).content.decode()).fields | typed
    seen = Form(client.post(path, form | {"do": "preview"}).content.decode()).fields
    assert json.loads(seen["value-extra"], parse_float=str)["id"] == NUMBER
    assert client.post(path, seen | {"do": "apply"}).status_code == 302


def _lost(parcels: Parcels) -> int:
    """Return an exception."""
    wid = parcels.start(stage="new")
    parcels.make_exception(wid)
    return wid


IN = [
    start_page, start_csv, start_http, start_command, start_csv_command, repair_command, repair_http,
    repair_page,
]  # fmt: skip


@pytest.mark.parametrize("way", IN, ids=lambda way: way.__name__)
def test_every_digit_gets_into_the_instance(
    way: Callable[[Parcels, User], None], parcels: Parcels, olga: User
) -> None:
    way(parcels, olga)
    assert stored(parcels, newest(parcels)) == (NUMBER, AS_SQL)


@pytest.fixture
def wid(parcels: Parcels) -> int:
    row = parcels.connection.execute(
        "select wedsql.start(%s, %s::jsonb, 'shop')",
        [parcels.flow, f'{{"weight": {NUMBER}, "extra": {EXTRA}, "stage": "new"}}'],
    ).fetchone()
    assert row is not None
    parcels.do("tr_pack", row[0], stage="lost")
    return int(row[0])


OUT = [
    "/instances/{wid}.json", "/instances/{wid}/steps/1.json", "/instances/{wid}/repair/",
    "/instances/{wid}/steps/1/", "/flows/{flow}/export.jsonl", "/flows/{flow}/export.csv",
    "/api/v1/instances/{wid}", "/api/v1/instances/{wid}/why", "/api/v1/instances/{wid}/steps/1",
    "/admin/flows/traceentry/{wid}.1/change/", "trace", "api",
]  # fmt: skip


@pytest.mark.parametrize("way", OUT)
def test_every_digit_gets_out_of_the_instance(way: str, parcels: Parcels, page: Client, wid: int) -> None:
    if way == "trace":
        text = run("trace", str(wid), "--json")
    elif way == "api":
        text = str(api.reasons.explain_instance(wid).state)
    else:
        response = page.get(way.format(wid=wid, flow=parcels.flow))
        assert response.status_code == 200, response.status_code
        whole = b"".join(response) if response.streaming else response.content
        text = unescape(whole.decode())
    assert re.search(rf"id\W+(Decimal\(')?{re.escape(NUMBER)}", text), text[-3000:]
    assert "3.2158" not in text and OTHER in text


def test_an_archive_keeps_every_digit(parcels: Parcels, site: None, wid: int, tmp_path: Path) -> None:
    document: dict[str, Any] = {"instance": {"wid": wid, "finished_at": "2026-01-01"}}
    archive._append(tmp_path, parcels.flow, [document | {"state": api.reasons.explain_instance(wid).state}])
    (found,) = read_archive(tmp_path)
    assert str(found["state"]["extra"]["id"]) == NUMBER


# Modules that read or write JSON without values of flows, and those that set its digits themselves.
WITHOUT_VALUES = {
    "flows/admin/definition.py", "flows/definition/files.py", "flows/definition/merge.py",
    "flows/designer/editor/conditions.py", "flows/designer/trial/tab.py", "flows/designer/trial/values.py",
    "flows/wed_error.py", "flows/filters/values.py", "flows/json_text.py", "flows/designer/imports/pdl.py",
    "flows/capabilities/tasks/people.py", "flows/capabilities/figures/ocel.py",
    "flows/capabilities/moves/envelope.py", "flows/capabilities/moves/exchange.py",
    "flows/languages/graph/problems.py", "flows/languages/pdl/compiler.py", "monitor/tasks/forms.py",
    "monitor/offline/views.py",
    "flows/languages/bpmn/feel/paths.py", "flows/languages/bpmn/feel/path_tests.py",
    "flows/languages/bpmn/compiler/children.py",
    "flows/messages.py", "flows/patterns/code.py",
    "monitor/api/client.py", "monitor/api/document.py", "monitor/api/streams.py", "monitor/desk_rules.py",
    "monitor/recovery/drafts.py", "monitor/management/commands/caselinks.py", "monitor/recovery/views.py",
    "monitor/bulk/repair_views.py", "workers/jobs/times.py",
}  # fmt: skip


def test_json_with_values_is_read_and_written_with_every_digit() -> None:
    """A module that uses the standard functions rounds numbers: use flows.json_text, or say why not here."""
    root = Path(__file__).parents[3]
    found = {
        str(path.relative_to(root))
        for package in ("flows", "monitor", "workers")
        for path in (root / package).rglob("*.py")
        if "tests" not in path.parts and re.search(r"json\.(loads?|dumps?)\(", path.read_text())
    }
    assert found == WITHOUT_VALUES
