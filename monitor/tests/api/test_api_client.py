"""A Python client that is generated from the OpenAPI document calls a real web process."""

from __future__ import annotations

import importlib.util
import json
import keyword
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from monitor.api import tokens
from monitor.api.client import annotation, python_module
from monitor.api.document import document
from monitor.tests.conftest import Parcels
from monitor.tests.operation.test_operations import job_of
from monitor.tests.server.programs import owner
from testkit.web import WebServer

__all__ = ["owner"]


@pytest.fixture
def generated(tmp_path: Path) -> ModuleType:
    """The generated module, imported."""
    path = tmp_path / "wedsql_client.py"
    call_command("apiclient", "--output", str(path), verbosity=0)
    spec = importlib.util.spec_from_file_location("wedsql_client", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def url(dsn: str) -> Iterator[str]:
    with WebServer.on(dsn) as server:
        yield server.url


def test_every_operation_is_a_method(generated: ModuleType) -> None:
    operations = [
        each["operationId"] for methods in document()["paths"].values() for each in methods.values()
    ]
    assert all(callable(getattr(generated.Client, name)) for name in operations) and len(operations) > 20
    assert generated.StartIn.__annotations__.keys() == {"state", "key"}


def test_names_and_types_of_a_document_become_those_of_python() -> None:
    parts = {"class": {"type": "string"}}
    parameters = [
        {"name": "if", "in": "path", "schema": {"type": "integer"}},
        {"name": "X-Not", "in": "header", "schema": {"anyOf": [{"type": "boolean"}, {"type": "null"}]}},
    ]
    one = {"operationId": "from", "summary": 'Return "it".', "responses": {200: {}}, "parameters": parameters}
    paths = {"/a/{if}": {"get": one}}
    source = python_module({"components": {"schemas": {"Odd": {"properties": parts}}}, "paths": paths})
    compile(source, "client", "exec")
    assert "def from_(self, if_: int, *, x_not: bool | None = None) -> None:" in source
    assert "Odd = dict[str, Any]" in source and keyword.iskeyword("if")
    nested = {"type": "array", "items": {"type": "object", "additionalProperties": {"$ref": "#/a/B"}}}
    assert annotation(nested) == "list[dict[str, B]]" and annotation({}) == "Any"


def test_a_generated_client_works_through_an_instance(
    generated: ModuleType, url: str, owner: User, parcels: Parcels
) -> None:
    flow, error = parcels.flow, generated.ApiError
    client = generated.Client(url, tokens.create(owner, "a client", 30, (), ("operate", "repair"))[1])
    events = client.events(flow=flow)
    next(events)
    wid = client.start(
        flow, {"state": {"customer": "Ann & Co", "weight": 2.5, "extra": {}}, "key": "order/1"}
    )["wid"]
    assert client.start(flow, {"key": "order/1"}) == {"wid": wid}
    assert first_step(events)["wid"] == wid
    others = parcels.start_many(3, customer="Ann & Co")
    assert pages(client, flow, 'customer:"Ann & Co"') == [*reversed(others), wid]
    assert client.count_of_flow(flow, q="customer:Bob", exact=True)["n"] == 0
    found = client.instance(wid)
    assert (found["status"], found["state"]["weight"]) == ("running", 2.5)
    assert [each["transition"] for each in client.why(wid)["jobs"]] == ["tr_pack"]
    assert client.suspend(wid, {"reason": "Wait."})["status"] == "suspended"
    assert client.resume(wid, {"reason": "Go on."})["status"] == "running"
    parcels.park("tr_pack", wid, "no box")
    assert client.retry(wid, job_of(parcels, wid), {"reason": "Again."})["status"] == "running"
    steps = client.history(wid, order="oldest")["items"]
    assert [each["seq"] for each in steps] == [*range(1, len(steps) + 1)]
    view = client.save({"name": "Ann", "query": "customer:Ann", "flow": flow, "columns": []})["id"]
    assert client.delete(view) is None and client.views(flow=flow)["items"] == []
    for call, status in (
        (lambda: client.resume(wid, {"reason": "x"}), 409),
        (lambda: client.of_flow(flow, q="weight>heavy"), 422),
        (lambda: client.instance(2**31 - 1), 404),
        (lambda: generated.Client(url, "wed_x").me(), 401),
    ):
        with pytest.raises(error) as refused:
            call()
        assert refused.value.status == refused.value.problem["status"] == status
    events.close()


def first_step(events: Iterator[str]) -> dict[str, Any]:
    """Return the data of the next event of a step."""
    while next(events) != "event: step":
        pass
    return next(dict(json.loads(line.removeprefix("data: "))) for line in events if line.startswith("data: "))


def pages(client: Any, flow: str, q: str) -> list[int]:
    """Return the numbers of all instances of a filter, in pages of two."""
    found: list[int] = []
    page = client.of_flow(flow, q=q, limit=2, columns="customer")
    while True:
        found += [each["wid"] for each in page["items"]]
        if not page["next"]:
            return found
        page = client.of_flow(flow, q=q, limit=2, columns="customer", cursor=page["next"])
