"""Each number of each body is sent as one that a few letters make very large; none is an error."""

from __future__ import annotations

import json
from typing import Any

import pytest

from monitor.api.document import document
from monitor.tests.api.test_api_generated import OPERATIONS, address_of, resolved
from monitor.tests.conftest import Parcels
from monitor.tests.server.programs import Program, operator, owner

__all__ = ["operator", "owner"]
NUMBERS = (
    "1e99999999", "-1e99999999", "1e-99999999", "0e99999999", "1e9999999999999999999", "1e131000", "1e5000",
    "1e400", "-1e400", "1e-400", "9" * 5000,
)  # fmt: skip
MARK = "the-number"
WITH_BODY = [
    (path, method) for path, method in OPERATIONS if "requestBody" in document()["paths"][path][method]
]


def places(schema: dict[str, Any], example: Any) -> list[Any]:
    """Return bodies of the schema in which the mark stands for each of its values, lists of objects too."""
    found: list[Any] = []
    for name, part in schema.get("properties", {}).items():
        found.append(example | {name: MARK})
        inner = part.get("items", {})
        if inner.get("properties"):
            given = (example.get(name) or [{}])[0]
            rest = given if isinstance(given, dict) else {}
            found += [example | {name: [each]} for each in places(inner, rest)]
        elif part.get("type") == "object" or "anyOf" in part:
            found.append(example | {name: {"amount": MARK}})
            found.append(example | {name: [MARK]})
    return found


@pytest.mark.parametrize(("path", "method"), WITH_BODY)
def test_no_number_is_an_error_of_the_server(
    path: str, method: str, operator: Program, parcels: Parcels, settings: Any
) -> None:
    settings.API_REQUESTS_PER_MINUTE = 1_000_000
    operation = document()["paths"][path][method]
    schema = resolved(operation["requestBody"]["content"]["application/json"]["schema"])
    address, example = address_of(path, method, operator, parcels)
    for turn, body in enumerate(places(schema, example or {})):
        for number in (NUMBERS[turn % len(NUMBERS)], NUMBERS[(turn * 7 + 3) % len(NUMBERS)], "1e131000"):
            text = json.dumps(body).replace(f'"{MARK}"', number)
            found = getattr(operator, method)(address, text)
            assert found.status_code < 500, (text[:300], found.content[:300])
