"""Responses of the HTTP API: errors, headers, limits and what parameters may be."""

from __future__ import annotations

import json
from itertools import product
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client

from monitor.api import limits
from monitor.tests.conftest import Parcels
from monitor.tests.server.programs import BASE, Program, operator, owner, problem, program
from testkit.cases import some

__all__ = ["operator", "owner"]


def test_an_unchanged_response_is_not_sent_again(operator: Program, parcels: Parcels) -> None:
    wid = parcels.start()
    first = operator.get(f"/instances/{wid}")
    tag = first.headers["ETag"]
    second = operator.get(f"/instances/{wid}", **{"If-None-Match": tag})
    assert second.status_code == 304 and not second.content and second.headers["ETag"] == tag
    assert "RateLimit-Remaining" in second.headers
    parcels.do("tr_pack", wid, stage="packed")
    assert operator.get(f"/instances/{wid}", **{"If-None-Match": tag}).status_code == 200


def test_errors_have_code_place_and_hint(operator: Program, parcels: Parcels) -> None:
    found = problem(operator.get(f"/flows/{parcels.flow}/instances?q=status:exception city:Rio"), 422)
    assert found["code"] == "WD501" and found["where"]["position"] == 17 and found["hint"]
    found = problem(operator.post(f"/flows/{parcels.flow}/instances", {"state": {"nothing": 1}}), 422)
    assert found["code"] == "WD002" and "nothing" in found["detail"]
    found = problem(operator.post(f"/flows/{parcels.flow}/instances", {"stat": {}}), 422)
    assert found["where"]["fields"][0]["place"][-1] == "stat"
    wid = parcels.start()
    problem(operator.post(f"/instances/{wid}/cancel", {"reason": " "}), 422)
    operator.post(f"/instances/{wid}/cancel", {"reason": "x"})
    assert problem(operator.post(f"/instances/{wid}/cancel", {"reason": "x"}), 409)["code"] == "WD105"
    large = {"state": {"customer": "x" * limits.MOST_BODY}}
    problem(operator.post(f"/flows/{parcels.flow}/instances", large), 413)


def test_head_is_answered_like_get_without_a_body(operator: Program, parcels: Parcels) -> None:
    wid = parcels.start()
    for path in ("/flows", f"/instances/{wid}", "/instances/count?q=status:running", "/nothing"):
        got, asked = operator.get(path), operator.head(path)
        assert asked.status_code == got.status_code and asked.content == b"", path
        assert asked.headers["Content-Length"] == str(len(got.content)), path
        assert asked.headers["Content-Type"] == got.headers["Content-Type"], path
        assert asked.headers.get("ETag") == got.headers.get("ETag"), path
    tag = operator.get(f"/instances/{wid}").headers["ETag"]
    assert operator.head(f"/instances/{wid}", **{"If-None-Match": tag}).status_code == 304
    refused = operator.head(f"/instances/{wid}/cancel")
    assert refused.status_code == 405 and refused.headers["Allow"] == "POST"
    assert Client().head(f"{BASE}/me").status_code == 401


def test_errors_outside_of_the_endpoints_are_problem_documents(
    operator: Program, parcels: Parcels, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in ("/nothing", "/instances/x", "/instances/1/", f"/flows/{parcels.flow}%00/instances"):
        problem(operator.get(path), 404)
    refused = operator.delete("/me")
    problem(refused, 405)
    assert refused.headers["Allow"] == "GET, HEAD"
    monkeypatch.setattr("monitor.api.reads.shown.flow", lambda _: 1 / 0)
    operator.client.raise_request_exception = False
    problem(operator.get("/flows"), 500)


HOSTILE = [
    "--5",
    "²",
    "9" * 20,
    "-2147483649",
    "\x00",
    "'%{}",
    "x~1~--5",
    "b" + "9" * 10,
    "b²",
    "💩" * 300,
    "a~0~1\x00",
]


PARAMETERS = [
    *("cursor", "limit", "q", "order", "columns", "exact", "state", "transition", "since", "until"),
    *("every", "seq", "flow"),
]


@pytest.mark.parametrize("value", HOSTILE)
def test_no_parameter_causes_a_server_error(
    value: str, operator: Program, parcels: Parcels, settings: Any
) -> None:
    settings.API_REQUESTS_PER_MINUTE = 10_000
    wid, name = parcels.start(), parcels.flow
    flow = f"/flows/{name}"
    paths = ["/flows", "/instances", "/instances/count", f"{flow}/instances", f"{flow}/figures"]
    paths += [f"{flow}/jobs", f"/instances/{wid}/history", f"/instances/{wid}/why", "/views"]
    for path, parameter in some(product(paths, PARAMETERS), 11, HOSTILE.index(value)):
        found = operator.get(f"{path}?{parameter}={quote(value)}")
        assert found.status_code in (200, 404, 422), (path, parameter, found.content)
    paths = [f"/instances/{wid}/suspend", f"/instances/{wid}/jobs/{'9' * 30}/retry", f"{flow}/instances"]
    bodies: list[Any] = [{"reason": value}, {"state": {"customer": value}}, {"key": value}]
    bodies += [[value], value, None]
    for body, path in some(product(bodies, paths), 2, HOSTILE.index(value)):
        found = operator.post(path, json.dumps(body))
        assert found.status_code in (200, 201, 403, 404, 409, 422), (path, body, found.content)
    for path in (f"/instances/{'9' * 30}", f"/instances/{wid}/steps/{'9' * 30}"):
        problem(operator.get(path), 404)


def test_requests_are_limited_per_caller_and_the_headers_say_so(
    owner: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.API_REQUESTS_PER_MINUTE = 3
    monkeypatch.setattr(limits.time, "time", lambda: 6_000_015.0)
    caller, other = program(owner), program(owner)
    left = [caller.get("/me").headers["RateLimit-Remaining"] for _ in range(3)]
    assert left == ["2", "1", "0"]
    refused = caller.get("/me")
    assert "3 requests in a minute" in problem(refused, 429)["detail"]
    assert refused.headers["Retry-After"] == refused.headers["RateLimit-Reset"] == "45"
    assert other.get("/me").status_code == 200
    monkeypatch.setattr(limits.time, "time", lambda: 6_000_060.0)
    assert caller.get("/me").status_code == 200
