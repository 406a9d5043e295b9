"""A client written from the OpenAPI document alone calls every operation of it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.utils import timezone

from flows import api
from flows.capabilities.approvals.api import ApprovalRule
from flows.tests.pages import unique
from monitor.api import inputs
from monitor.api.examples import BODIES
from monitor.tests.conftest import Parcels
from monitor.tests.operation.test_operations import job_of
from monitor.tests.server.programs import BASE, Program, operator, owner, problem

__all__ = ["operator", "owner"]
TYPES = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}


class Document:
    """The document, with what a generated client does: build requests and check answers."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = Client().get(f"{BASE}/openapi.json").json()

    def operations(self) -> list[tuple[str, str, dict[str, Any]]]:
        paths = self.found["paths"].items()
        return [(path, method, each) for path, methods in paths for method, each in methods.items()]

    def resolve(self, schema: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in schema:
            schema = self.found["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return schema

    def check(self, value: Any, schema: dict[str, Any], where: str) -> None:
        """Assert that a value is as its schema says."""
        schema = self.resolve(schema)
        if "anyOf" in schema:
            kinds = [self.resolve(each) for each in schema["anyOf"]]
            if value is not None:
                schema = next(kind for kind in kinds if kind.get("type") != "null")
            else:
                assert {"type": "null"} in kinds, where
                return
        if "type" in schema:
            assert isinstance(value, TYPES[schema["type"]]), (where, value, schema)
        assert set(schema.get("required", ())) <= set(value if isinstance(value, dict) else ()), where
        for name, part in schema.get("properties", {}).items():
            if name in value:
                self.check(value[name], part, f"{where}.{name}")
        if "properties" in schema and not schema.get("additionalProperties"):
            assert set(value) <= set(schema["properties"]), where
        for at, each in enumerate(value if isinstance(value, list) else ()):
            self.check(each, schema["items"], f"{where}[{at}]")


@pytest.fixture
def document(site: None) -> Document:
    return Document()


def test_the_document_has_authentication_errors_and_examples(document: Document) -> None:
    assert document.found["openapi"].startswith("3.1") and document.found["security"]
    for path, method, operation in document.operations():
        where = f"{method} {path}"
        assert operation["summary"] and operation["description"], where
        assert {"401", "429", "503"} <= set(operation["responses"]), where
        for parameter in operation.get("parameters", ()):
            needed = parameter.get("required") and "example" not in parameter
            assert not needed, f"{where}: {parameter['name']}"
        if "requestBody" in operation:
            assert operation["requestBody"]["content"]["application/json"]["example"], where
    names = [operation["operationId"] for _path, _method, operation in document.operations()]
    assert len(names) == len(set(names)), "names of a generated client's methods"


@pytest.mark.parametrize("name", BODIES)
def test_the_example_of_a_body_is_valid(name: str) -> None:
    getattr(inputs, name).model_validate(BODIES[name])


REPAIRS = {"operation": "patch", "q": "status:exception", "arguments": {"changes": {"stage": "new"}}}


def repairs_of(path: str, operator: Program, parcels: Parcels) -> tuple[int, dict[str, Any] | None]:
    """Return the number of a repair of many if the path has one, and the body that it takes."""
    place = f"/flows/{parcels.flow}/repairs"
    seen = operator.post(f"{place}/preview", REPAIRS).json()
    confirmed = REPAIRS | {"reason": "x", "expected": seen["total"], "digest": seen["digest"]}
    if "{bulk}" in path:
        return operator.post(place, confirmed).json()["id"], None
    return 0, REPAIRS if path.endswith("preview") else confirmed


def body_of(path: str, operation: dict[str, Any], flow: str) -> dict[str, Any] | None:
    """Return the example of a body with the names of this flow."""
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
    ours: dict[str, dict[str, Any]] = {
        "{name}/instances": {"state": {"customer": "Ann"}},
        "/tasks/next": {},
        "/task-settings": {"responsible": ""},
        "/deadline": {"until": (timezone.now() + timedelta(days=1)).isoformat()},
        "/aside": {"until": (timezone.now() + timedelta(days=1)).isoformat()},
        "/views": {"flow": flow, "query": "weight>=100", "columns": ["customer"]},
        "/slas": {"calendar": "", "start_when": "", "stop_when": "stage = 'packed'"},
        "/slas/{sla}": {"calendar": "", "start_when": "", "stop_when": ""},
        "/cases/next": {"queue": ""},
        "/complete": {"claim": None},
        "/fail": {"claim": None},
        "/cases/{case}/wait": {"until": (timezone.now() + timedelta(days=1)).isoformat()},
        "/repair": {"arguments": {"changes": {"stage": "new"}}, "seq": None},
        "/repair/propose": {"arguments": {"changes": {"stage": "new"}}, "seq": None},
        "/repair/preview": {"arguments": {"changes": {"stage": "new"}}},
    }
    return body and body | next((ours[end] for end in ours if path.endswith(end)), {})


def task_of(path: str, operator: Program) -> int:
    """Make the task that an operation is about, which the caller holds unless it takes it."""
    flow = unique()
    rule = {"transition": "t", "predicate": "checked is null", "performer": "person", "role": "Tester"}
    outcomes = {"outcomes": ["Approve: signed = 'yes'"], "deadline": "1 hour"}
    api.flows.create(flow)
    attributes = [{"name": "checked"}, {"name": "signed"}]
    api.flows.publish(flow, {"attributes": attributes, "triggers": [rule | outcomes]})
    Group.objects.get_or_create(name="role:Tester")[0].user_set.set(User.objects.all())
    User.objects.get_or_create(username="ben")
    api.instances.start(flow, {})
    (found,) = api.tasks.of_flow(flow)
    if not path.endswith(("/take", "{task}")):
        operator.post(f"/tasks/{found.job_id}/take", {})
    return found.job_id


def case_of(path: str, wid: int, operator: Program, parcels: Parcels) -> dict[str, Any]:
    """Make the exception, the proposal and the file that an operation is about; return their numbers."""
    found: dict[str, Any] = {}
    if "{task}" in path:
        found["task"] = task_of(path, operator)
    if "/repair" in path or "/cases" in path or "/proposals" in path:
        parcels.make_exception(wid)
        found["case"] = next(one.number for one in api.cases.list([parcels.flow], {"wid": wid}))
    approved = "/propos" in path  # what these are about needs an approval, other repairs do not
    parcels.connection.execute("delete from wedsql.approval_rule")
    api.approvals.save_rules(parcels.flow, [ApprovalRule(1, operations=["patch"])] * approved, "boss")
    if "{proposal}" in path:
        asked = {"operation": "patch", "arguments": {"changes": {"stage": "new"}}, "reason": "x"}
        made = operator.post(f"/instances/{wid}/repair/propose", asked)
        found["proposal"] = made.json()["number"]
    if "{file}" in path:
        found["file"] = operator.post(
            f"/cases/{found['case']}/files", {"name": "a", "content": "YQ=="}
        ).json()["id"]
    return found


def test_every_operation_is_called_and_answers_as_documented(
    document: Document, operator: Program, parcels: Parcels
) -> None:
    """Each operation gets a fresh instance; what it refuses is a documented problem, what it returns fits."""
    done, numbers = set(), {"view": 0, "sla": 0, "calendar": 0}
    for path, method, operation in document.operations():
        wid = parcels.start(customer="Ann")
        values = {"name": parcels.flow, "wid": wid, "seq": 1, "job": job_of(parcels, wid)} | numbers
        values |= case_of(path, wid, operator, parcels)
        body = body_of(path, operation, parcels.flow)
        if "/repairs" in path:
            values["bulk"], body = repairs_of(path, operator, parcels)
        address = path.removeprefix(BASE).format(**values)
        if "/offline/" in path and method == "get":
            address += "?device=4c1e9a70b2d84f6a"
        found = getattr(operator, method)(address, *([body or {}] if method in ("post", "put") else []))
        where, status = f"{method} {path}", str(found.status_code)
        assert status in operation["responses"], (where, status, found.content)
        if found.status_code < 300:
            done.add(where)
        if found.status_code >= 400:
            content = operation["responses"][status]["content"]["application/problem+json"]
            document.check(problem(found, found.status_code), content["schema"], where)
        elif found.streaming:
            assert [found.headers["Content-Type"]] == list(operation["responses"][status]["content"])
        elif found.content:
            content = operation["responses"][status]["content"]["application/json"]
            document.check(found.json(), content["schema"], where)
            if method == "post" and "id" in found.json():
                numbers[path.rpartition("/")[2].removesuffix("s")] = found.json()["id"]
    refused = {f"{method} {path}" for path, method, _ in document.operations()} - done
    # Nothing is suspended, leased, locked, masked, or waits for a try, a signal or children, or was
    # imported as a graph; no token approves or
    # designs.
    expected = {"resume", "retry", "release", "signals", "children", "approve", "reject", "draft", "looks",
                "deadline", "late", "{task}"}  # fmt: skip
    expected |= {"graph"}
    assert {each.rpartition("/")[2] for each in refused} == expected


def test_the_page_shows_every_operation(document: Document, alice: Client) -> None:
    response = alice.get(f"{BASE}/docs/")
    page = response.content.decode()
    assert all(f"{method.upper()} {path}" in page for path, method, _ in document.operations())
    assert "default-src 'self'" in response.headers["Content-Security-Policy"] and "//cdn" not in page
