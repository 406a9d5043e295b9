"""Requests that are generated from the OpenAPI document get the answers that it promises.

What a schema forbids is rejected. What it allows is never answered by 422 without a code, which is kept for
input that is not as the document says: a code says that the flow, or the database, does not accept it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import HttpResponse

from monitor.api.document import document
from monitor.tests.api.schema_values import ODD, allows, neighbours
from monitor.tests.api.test_api_document import body_of, case_of, repairs_of
from monitor.tests.conftest import Parcels
from monitor.tests.operation.test_operations import job_of
from monitor.tests.server.programs import BASE, Program, operator, owner, problem
from testkit.cases import some

__all__ = ["operator", "owner"]
OPERATIONS = [(path, method) for path, methods in document()["paths"].items() for method in methods]
# A short run has so many of the values of each part; those of the next operation are others.
ONE_IN = 10
# In the address and in the query all values are texts; these are what a generated client writes.
WRITTEN = {True: "true", False: "false"}


def resolved(schema: Any) -> Any:
    """Return a schema with the parts that it refers to in their places."""
    if isinstance(schema, list):
        return [resolved(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return resolved(document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    return {name: resolved(each) for name, each in schema.items()}


def read_as(schema: dict[str, Any], text: str) -> Any:
    """Return what a text of the query means for a schema: a number, a truth value, or the text."""
    kinds = {each.get("type") for each in schema.get("anyOf", [schema])}
    if kinds & {"integer", "number"} and re.fullmatch(r"-?[0-9]+([.]0+)?", text, re.ASCII):
        return int(text.partition(".")[0])
    return {"true": True, "false": False}.get(text, text) if "boolean" in kinds else text


def queries(operation: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Yield parameters of the query with texts, and whether the document allows them."""
    for parameter in operation.get("parameters", ()):
        schema = resolved(parameter["schema"])
        for value in (*ODD, *neighbours(schema)) if parameter["in"] == "query" else ():
            if not isinstance(value, list | dict | None):
                text = WRITTEN[value] if isinstance(value, bool) else str(value)
                yield parameter["name"], text, allows(schema, read_as(schema, text))


def required(operation: dict[str, Any]) -> dict[str, str]:
    """Return the parameters of the query without which an operation is rejected, with values."""
    values = {"device": "device-of-a-test-1"}
    parameters = operation.get("parameters", ())
    return {
        each["name"]: values[each["name"]]
        for each in parameters
        if each["in"] == "query" and each["required"]
    }


def bodies(operation: dict[str, Any], example: dict[str, Any]) -> Iterator[tuple[Any, bool]]:
    """Yield bodies that differ from the example in one value, and whether the document allows them."""
    schema = resolved(operation["requestBody"]["content"]["application/json"]["schema"])
    required = set(schema.get("required", ()))
    for name, part in schema["properties"].items():
        yield {each: example[each] for each in example if each != name}, name not in required
        for value in (*ODD, *neighbours(part)):
            yield example | {name: value}, allows(part, value)
    yield example | {"other": 1}, False
    yield from ((value, False) for value in (None, [], "x", 1))


def check(found: HttpResponse, allowed: bool, operation: dict[str, Any], what: str) -> None:
    """Assert that a response is one of the document, and that it fits what was sent."""
    status = found.status_code
    said = "" if found.streaming else found.content.decode()[:300]
    assert status < 500 and str(status) in {str(each) for each in operation["responses"]}, (what, said)
    if not allowed:
        assert status >= 400, f"{what} is accepted, and forbidden by the document"
    elif status == 422:
        assert found.json()["code"], f"{what} is rejected, and allowed by the document: {said}"


def address_of(
    path: str, method: str, operator: Program, parcels: Parcels
) -> tuple[str, dict[str, Any] | None]:
    """Return the address of an operation on something that exists, and the body of its example."""
    wid = parcels.start(customer="Ann")
    numbers = {"view": 1, "sla": 1, "calendar": 1, "proposal": 1, "case": 1, "file": 1, "bulk": 1}
    values = {"name": parcels.flow, "wid": wid, "seq": 1, "job": job_of(parcels, wid)} | numbers
    values |= case_of(path, wid, operator, parcels)
    body = body_of(path, document()["paths"][path][method], parcels.flow)
    if "/repairs" in path:
        values["bulk"], body = repairs_of(path, operator, parcels)
    return path.removeprefix(BASE).format(**values), body


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_the_document_allows_what_is_accepted_and_forbids_what_is_rejected(
    path: str, method: str, operator: Program, parcels: Parcels, settings: Any
) -> None:
    settings.API_REQUESTS_PER_MINUTE = 1_000_000
    operation = document()["paths"][path][method]
    address, example = address_of(path, method, operator, parcels)
    turn = OPERATIONS.index((path, method))
    for name, text, allowed in some(queries(operation), ONE_IN, turn):
        asked = f"{address}?{urlencode(required(operation) | {name: text})}"
        found = getattr(operator, method)(asked, *([example or {}] if method in ("post", "put") else []))
        check(found, allowed, operation, f"{method} {path}?{name}={text!r:.60}")
    sent = bodies(operation, example) if "requestBody" in operation and example else ()
    for body, allowed in some(sent, ONE_IN, turn):
        found = getattr(operator, method)(address, json.dumps(body))
        check(found, allowed, operation, f"{method} {path} {body!r:.200}")


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_a_parameter_that_an_operation_does_not_read_is_rejected(
    path: str, method: str, operator: Program, parcels: Parcels
) -> None:
    address, example = address_of(path, method, operator, parcels)
    body = [example or {}] if method in ("post", "put") else []
    asked = urlencode({"stauts": "final"} | required(document()["paths"][path][method]))
    found = getattr(operator, method)(f"{address}?{asked}", *body)
    if found.status_code not in (403, 404):  # which come first, so that nothing is found out
        said = problem(found, 422)
        assert said["detail"] == "query.stauts: There is no such parameter here."
        parameters = document()["paths"][path][method].get("parameters", ())
        known = sorted(each["name"] for each in parameters if each["in"] == "query")
        listed = f"Parameters: {', '.join(known)}." if known else "This address has no parameters."
        assert said["hint"].endswith(listed)


def test_the_parameter_that_is_probably_meant_is_named(operator: Program, parcels: Parcels) -> None:
    found = problem(operator.get(f"/flows/{parcels.flow}/instances?q=&ordr=oldest"), 422)
    assert found["hint"].startswith("Did you mean order? Parameters: as_of, columns,")
