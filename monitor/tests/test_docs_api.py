"""The examples of docs/api.md, run in their order."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from django.conf import settings
from django.urls import Resolver404, resolve

from monitor.api import limits, tokens
from monitor.tests.conftest import Parcels
from monitor.tests.test_api import BASE, Program, operator, owner

__all__ = ["operator", "owner"]
TEXT = (Path(__file__).resolve().parents[2] / "docs" / "api.md").read_text()
EXAMPLE = re.compile(r"```\n(GET|POST) /api/v1(\S+)\n(?:(\{.*\})\n)?\n(\d+) (\{.*\})\n```")


def included(expected: Any, found: Any) -> bool:
    """Return whether everything that an example shows is in the answer."""
    if isinstance(expected, dict):
        return all(included(value, found[name]) for name, value in expected.items())
    if isinstance(expected, list):
        return len(expected) == len(found) and all(map(included, expected, found))
    return bool(expected == found)


def test_the_examples_work_as_written(operator: Program, parcels: Parcels) -> None:
    wid = 1
    examples = EXAMPLE.findall(TEXT)
    assert len(examples) == TEXT.count("/api/v1/") - len(re.findall(r"`/api/v1/\S*`", TEXT)) >= 5
    for method, path, body, status, answer in examples:
        path = path.replace("/parcels/", f"/{parcels.flow}/").replace("/instances/1", f"/instances/{wid}")
        found = operator.post(path, json.loads(body)) if method == "POST" else operator.get(path)
        assert found.status_code == int(status), (path, found.content)
        shown = found.json()
        if status == "201":
            wid = shown["wid"]
        text = json.dumps(shown).replace(f'"wid": {wid}', '"wid": 1').replace(parcels.flow, "parcels")
        assert included(json.loads(answer), json.loads(text)), (path, text)


def test_the_limits_and_addresses_are_those_of_the_code() -> None:
    assert f"{settings.API_REQUESTS_PER_MINUTE}" in TEXT and f"{tokens.MOST_DAYS} days" in TEXT
    assert limits.MOST_BODY == 1024 * 1024
    for address in re.findall(r"`(/api/v1/\S*)`", TEXT):
        try:
            resolve(address)
        except Resolver404:
            raise AssertionError(address) from None
    assert BASE in TEXT
