"""The HTTP API: who may call it, what it returns, and what it rejects."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from flows import api as kernel
from monitor.api import limits, tokens
from monitor.models import ApiToken
from monitor.tests.conftest import Parcels, person
from monitor.tests.test_operations import job_of, last

BASE = "/api/v1"


class Program:
    """A client with a token, as a program uses it: no cookies."""

    def __init__(self, secret: str) -> None:
        self.client = Client(enforce_csrf_checks=True)
        self.headers = {"Authorization": f"Bearer {secret}"}

    def get(self, path: str, **headers: str) -> HttpResponse:
        return self.client.get(BASE + path, headers=self.headers | headers)

    def head(self, path: str, **headers: str) -> HttpResponse:
        return self.client.head(BASE + path, headers=self.headers | headers)

    def post(self, path: str, body: Any) -> HttpResponse:
        return self.client.post(BASE + path, body, "application/json", headers=self.headers)

    def put(self, path: str, body: Any) -> HttpResponse:
        return self.client.put(BASE + path, body, "application/json", headers=self.headers)

    def delete(self, path: str) -> HttpResponse:
        return self.client.delete(BASE + path, headers=self.headers)


def program(user: User, *rights: str, flows: tuple[str, ...] = ()) -> Program:
    return Program(tokens.create(user, "a program", 30, flows, rights)[1])


def problem(response: HttpResponse, status: int) -> dict[str, Any]:
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"] == "application/problem+json"
    found: dict[str, Any] = response.json()
    assert found["status"] == status and found["detail"]
    return found


@pytest.fixture
def owner(parcels: Parcels, site: None) -> User:
    return person("olga", f"flow:{parcels.flow}:operate", f"flow:{parcels.flow}:repair")


@pytest.fixture
def operator(owner: User) -> Program:
    return program(owner, "operate", "repair")


def test_without_a_token_or_session_nothing_is_served(site: None) -> None:
    found = Client().get(f"{BASE}/flows")
    assert "neither a token nor a session" in problem(found, 401)["detail"]
    assert found.headers["WWW-Authenticate"].startswith("Bearer")
    for wrong in ("", "x", "wed_" + "0" * 8 + "_" + "x" * 43, "é" * 9, "\udc80"):
        problem(Program(wrong).get("/flows"), 401)
    assert problem(Client().get(f"{BASE}/flows", headers={"Authorization": "Basic eDp5"}), 401)


def test_only_the_digest_of_a_token_is_stored(owner: User) -> None:
    token, secret = tokens.create(owner, "reports", 30)
    stored = ApiToken.objects.filter(pk=token.pk).values().get()
    assert secret.startswith(token.prefix) and secret not in json.dumps(stored, default=str)
    assert secret[13:] not in json.dumps(stored, default=str)
    assert program(owner).get("/me").json()["user"] == owner.get_username()


def test_a_token_ends_by_revocation_expiry_and_with_its_account(owner: User) -> None:
    token, secret = tokens.create(owner, "reports", 30)
    caller = Program(secret)
    assert caller.get("/me").json()["token"]["prefix"] == token.prefix
    assert ApiToken.objects.get(pk=token.pk).last_used_at is not None
    ApiToken.objects.filter(pk=token.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    problem(caller.get("/me"), 401)
    ApiToken.objects.filter(pk=token.pk).update(expires_at=timezone.now() + timedelta(days=1))
    User.objects.filter(pk=owner.pk).update(is_active=False)
    problem(caller.get("/me"), 401)
    User.objects.filter(pk=owner.pk).update(is_active=True)
    assert not tokens.revoke(person("other"), token.prefix), "only the owner revokes it"
    assert tokens.revoke(owner, token.prefix) and not tokens.revoke(owner, token.prefix)
    problem(caller.get("/me"), 401)


def test_a_token_never_does_more_than_its_scope_or_its_user(owner: User, parcels: Parcels) -> None:
    wid = parcels.start()
    reader, elsewhere = program(owner), program(owner, "operate", flows=())
    ApiToken.objects.filter(pk=ApiToken.objects.latest("id").pk).update(flows=["another_flow"])
    assert reader.get(f"/flows/{parcels.flow}").json()["rights"] == ["see"]
    problem(reader.post(f"/instances/{wid}/cancel", {"reason": "x"}), 403)
    problem(reader.post(f"/flows/{parcels.flow}/instances", {}), 403)
    assert elsewhere.get("/flows").json()["items"] == elsewhere.get("/instances").json()["items"] == []
    for path in (
        f"/flows/{parcels.flow}",
        f"/instances/{wid}",
        f"/instances/{wid}/why",
        f"/views?flow={parcels.flow}",
    ):
        problem(elsewhere.get(path), 404)
    problem(elsewhere.post(f"/instances/{wid}/cancel", {"reason": "x"}), 404)
    viewer = program(person("vera", f"flow:{parcels.flow}"), "operate", "repair")
    problem(viewer.post(f"/instances/{wid}/cancel", {"reason": "x"}), 403)
    stranger = program(person("mallory"), "operate", "repair")
    problem(stranger.get(f"/instances/{wid}"), 404)
    assert stranger.get("/instances?q=status:running").json()["items"] == []
    assert stranger.get("/instances/count").json() == {"n": 0, "capped": False}


def test_a_session_needs_the_csrf_token_for_changes_only(owner: User, parcels: Parcels) -> None:
    wid = parcels.start()
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner)
    assert browser.get(f"{BASE}/instances/{wid}").status_code == 200
    path, body = f"{BASE}/instances/{wid}/suspend", {"reason": "Wait."}
    assert "CSRF" in problem(browser.post(path, body, "application/json"), 403)["detail"]
    browser.get("/")
    value = browser.cookies["csrftoken"].value if "csrftoken" in browser.cookies else ""
    done = browser.post(path, body, "application/json", headers={"X-CSRFToken": value})
    assert done.status_code == 200, done.content
    assert last(parcels, wid)[:3] == ("_SUSPEND", "olga in monitor", "Wait.")


def test_lists_are_chosen_by_the_filter_and_paged_by_cursor(operator: Program, parcels: Parcels) -> None:
    wids = parcels.start_many(7, customer="Ann") + parcels.start_many(2, customer="Bob")
    for path in ("/instances", f"/flows/{parcels.flow}/instances"):
        found, cursor = [], ""
        while True:
            page = operator.get(f"{path}?q=customer:Ann&limit=3&cursor={cursor}").json()
            found += [each["wid"] for each in page["items"]]
            if not (cursor := page["next"]):
                break
        assert found == wids[6::-1], path
        assert page["previous"] and page["query"] == "customer:Ann"
        back = operator.get(f"{path}?q=customer:Ann&limit=3&cursor={page['previous']}").json()
        assert [each["wid"] for each in back["items"]] == wids[3:0:-1]
        oldest = operator.get(f"{path}?q=customer:Ann&limit=3&order=oldest").json()
        following = operator.get(f"{path}?q=customer:Ann&limit=3&order=oldest&cursor={oldest['next']}").json()
        assert [each["wid"] for each in oldest["items"] + following["items"]] == wids[:6]
        assert operator.get(f"{path}/count?q=customer:Bob").json() == {"n": 2, "capped": False}
    shown = operator.get(f"/flows/{parcels.flow}/instances?limit=1&columns=customer,pieces").json()
    assert shown["items"][0]["values"] == {"customer": "Bob", "pieces": "1"}
    problem(operator.get(f"/flows/{parcels.flow}/instances?columns=customer,nothing"), 422)


def test_one_instance_is_returned_with_typed_state_history_and_reasons(
    operator: Program, parcels: Parcels
) -> None:
    wid = parcels.start(customer="São Paulo", weight=1.5, extra={"gift": True})
    found = operator.get(f"/instances/{wid}").json()
    assert found["state"]["extra"] == {"gift": True} and found["state"]["weight"] == 1.5
    assert found["state"]["pieces"] == 1 and found["state"]["due"] is None
    assert [job["transition"] for job in found["jobs"]] == ["tr_pack"] and found["status"] == "running"
    parcels.do("tr_pack", wid, stage="packed")
    page = operator.get(f"/instances/{wid}/history?limit=1").json()
    assert page["items"][0]["written_by"] == "tr_pack" and page["previous"] is None
    assert page["items"][0]["changes"] == [{"name": "stage", "before": "new", "after": "packed"}]
    rest = operator.get(f"/instances/{wid}/history?cursor={page['next']}").json()
    assert [each["seq"] for each in rest["items"]] == [1] and rest["next"] is None
    oldest = operator.get(f"/instances/{wid}/history?order=oldest&limit=1").json()
    assert oldest["items"] == rest["items"] and oldest["next"]
    assert operator.get(f"/instances/{wid}/steps/1").json()["state"]["stage"] == "new"
    problem(operator.get(f"/instances/{wid}/steps/9"), 404)
    why = operator.get(f"/instances/{wid}/why").json()
    assert [rule["transition"] for rule in why["rules"] if rule["value"] == "t"] == ["tr_send"]
    assert why["jobs"][0]["waits_for"] == kernel.explain_jobs(wid, conn=parcels.connection)[0].waits_for
    assert operator.get(f"/instances/{wid}/why?seq=1").json()["seq"] == 1


def test_flows_jobs_and_figures_are_read(operator: Program, parcels: Parcels) -> None:
    wid = parcels.start(customer="Ann")
    listed = operator.get("/flows").json()["items"]
    assert [each["name"] for each in listed] == [parcels.flow]
    assert listed[0]["statuses"] == {"running": {"n": 1, "capped": False}}
    one = operator.get(f"/flows/{parcels.flow}").json()
    assert one["rights"] == ["handle", "operate", "repair", "see"]
    assert one["attributes"][0]["name"] == "customer"
    jobs = operator.get(f"/flows/{parcels.flow}/jobs?transition=tr_pack").json()
    assert [(job["wid"], job["state"]) for job in jobs["items"]] == [(wid, "pending")]
    kernel.count_history(conn=parcels.connection)
    until = (timezone.now() + timedelta(minutes=2)).strftime("%Y-%m-%dT%H:%M:%SZ")
    figures = operator.get(f"/flows/{parcels.flow}/figures?every=60&until={until}").json()
    assert sum(each["started"] for each in figures["items"] if each["transition"] is None) == 1
    problem(operator.get(f"/flows/{parcels.flow}/figures?every=60&since=2001-01-01T00:00:00Z"), 422)
    problem(operator.get(f"/flows/{parcels.flow}/figures?until=0001-01-01T00:00:00Z"), 422)


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
    monkeypatch.setattr("monitor.api.reading.shown.flow", lambda _: 1 / 0)
    operator.client.raise_request_exception = False
    problem(operator.get("/flows"), 500)


def test_a_state_is_returned_with_every_digit_and_at_any_depth(operator: Program, parcels: Parcels) -> None:
    for depth in (2, 300, 5_000):
        deep = '{"a":' * depth + "1" + "}" * depth
        state = f'{{"extra": {{"number": 0.12345678901234567890123, "large": 1e400, "deep": {deep}}}}}'
        given = [parcels.flow, state]
        wid = parcels.connection.execute("select wedsql.start(%s, %s::jsonb)", given).fetchone()[0]
        found = operator.get(f"/instances/{wid}")
        assert found.status_code == 200, found.content
        text = found.content.decode().replace(" ", "")
        assert "0.12345678901234567890123" in text and '{"a":' * depth in text and "0" * 400 in text
        assert operator.get(f"/instances/{wid}/why").status_code == (200 if depth < 1_000 else 409)


def test_a_body_that_cannot_be_stored_is_rejected(operator: Program, parcels: Parcels) -> None:
    path = f"/flows/{parcels.flow}/instances"
    found = problem(operator.post(path, {"key": "order-\x00"}), 422)
    assert found["where"]["fields"][0]["place"] == ["body", "key"], "not started without the key"
    deep = '{"a":' * 600 + '"\\u0000"' + "}" * 600
    for body, status in (
        ('{"state": {"customer": "\\ud800"}}', 422),
        ('{"state": {"weight": NaN}}', 422),
        (f'{{"state": {{"extra": {deep}}}}}', 422),
        ("[" * 100_000, 400),
        ("{", 400),
    ):
        problem(operator.post(path, body), status)
    assert operator.get(f"{path}/count").json()["n"] == 0


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
    for path in paths:
        for parameter in PARAMETERS:
            found = operator.get(f"{path}?{parameter}={quote(value)}")
            assert found.status_code in (200, 404, 422), (path, parameter, found.content)
    for path in (
        f"/instances/{wid}/suspend",
        f"/instances/{wid}/jobs/{'9' * 30}/retry",
        f"/flows/{name}/instances",
    ):
        for body in ({"reason": value}, {"state": {"customer": value}}, {"key": value}, [value], value, None):
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


def test_an_instance_is_started_exactly_once_by_its_key(operator: Program, parcels: Parcels) -> None:
    body = {"state": {"customer": "Ann", "weight": 2}, "key": "order-1"}
    first = operator.post(f"/flows/{parcels.flow}/instances", body)
    wid = first.json()["wid"]
    assert first.status_code == 201 and first.headers["Location"] == f"{BASE}/instances/{wid}"
    assert operator.post(f"/flows/{parcels.flow}/instances", body).json() == {"wid": wid}
    assert operator.get(f"/flows/{parcels.flow}/instances/count").json()["n"] == 1
    assert last(parcels, wid)[1] == "olga in monitor"


def test_instances_and_jobs_are_operated(operator: Program, parcels: Parcels) -> None:
    wid = parcels.start()
    assert operator.post(f"/instances/{wid}/suspend", {"reason": "Wait."}).json()["status"] == "suspended"
    assert operator.post(f"/instances/{wid}/resume", {"reason": "Go on."}).json()["status"] == "running"
    assert operator.post(f"/instances/{wid}/rematch", {}).json() == {"changed": False, "fired": []}
    jobs = f"/instances/{wid}/jobs/{job_of(parcels, wid)}"
    assert operator.post(f"{jobs}/priority", {"reason": "VIP.", "priority": 7}).status_code == 200
    assert operator.get(f"/instances/{wid}").json()["jobs"][0]["priority"] == 7
    assert operator.post(f"{jobs}/extend", {"reason": "Slow.", "seconds": 60}).status_code == 200
    problem(operator.post(f"{jobs}/extend", {"reason": "Slow.", "seconds": 0}), 422)
    assert operator.post(f"{jobs}/reassign", {"reason": "Its printer.", "to": "press"}).status_code == 200
    problem(operator.post(f"{jobs}/reassign", {"reason": "x", "to": "x" * 201}), 422)
    assert operator.get(f"/instances/{wid}").json()["jobs"][0]["assigned_to"] == "press"
    why = operator.get(f"/instances/{wid}/why").json()["jobs"][0]
    assert (why["waits_for"], why["facts"]["to"]) == ("no_assignee", "press")
    assert problem(operator.post(f"{jobs}/release", {"reason": "x"}), 409)["code"] == "WD212"
    assert operator.post(f"{jobs}/withdraw", {"reason": "Twice."}).status_code == 200
    problem(operator.post(f"{jobs}/withdraw", {"reason": "Twice."}), 409)
    assert operator.post(f"/instances/{wid}/cancel", {"reason": "x"}).json()["status"] == "cancelled"


def test_an_exception_is_previewed_and_repaired(owner: User, parcels: Parcels) -> None:
    wid = parcels.start()
    parcels.make_exception(wid)
    path, patch = (
        f"/instances/{wid}/repair",
        {"operation": "patch", "arguments": {"changes": {"stage": "new"}}},
    )
    problem(program(owner, "operate").post(f"{path}/preview", patch), 403)
    problem(program(owner, "operate").post(path, patch | {"reason": "x"}), 403)
    clerk = program(owner, "repair")
    found = clerk.post(f"{path}/preview", patch).json()
    assert (found["status_before"], found["status_after"]) == ("exception", "running")
    assert (found["before"], found["after"]) == ({"stage": "lost"}, {"stage": "new"})
    assert found["fires"] == ["tr_pack"] and found["refusal"] is None
    nothing = {"operation": "patch", "arguments": {"changes": {"nothing": 1}}}
    assert clerk.post(f"{path}/preview", nothing).json()["refusal"]["code"] == "WD002"
    moved = clerk.post(path, patch | {"reason": "Found.", "seq": found["seq"] - 1})
    assert problem(moved, 409)["code"] == "WD108"
    problem(clerk.post(path, patch), 422)
    problem(clerk.post(path, {"operation": "cancel", "reason": "x"}), 422)
    done = clerk.post(path, patch | {"reason": "Found.", "seq": found["seq"]}).json()
    assert done == {"wid": wid, "status": "running", "seq": found["seq"] + 1, "instance": None}
    assert last(parcels, wid)[:2] == ("_RECOVER:patch", "olga in monitor")
    problem(clerk.post(path, patch | {"reason": "Again."}), 409)


def test_a_parked_job_is_retried_with_the_right_to_repair(owner: User, parcels: Parcels) -> None:
    wid = parcels.start(extra={})
    parcels.park("tr_pack", wid, "no box")
    path = f"/instances/{wid}/jobs/{job_of(parcels, wid)}/retry"
    problem(program(owner, "operate").post(path, {"reason": "Again."}), 403)
    done = program(owner, "repair").post(path, {"reason": "Again."})
    assert done.status_code == 200 and done.json()["status"] == "running", done.content


def test_views_are_saved_listed_and_deleted(operator: Program, owner: User, parcels: Parcels) -> None:
    body = {"name": "For Ann", "query": "customer:Ann", "flow": parcels.flow, "columns": ["customer"]}
    made = operator.post("/views", body)
    assert made.status_code == 201, made.content
    problem(program(owner).post("/views", body), 403)
    listed = operator.get(f"/views?flow={parcels.flow}").json()["items"]
    assert [(each["name"], each["query"]) for each in listed] == [("For Ann", "customer:Ann")]
    problem(operator.post("/views", body | {"query": "nothing:1"}), 422)
    path = f"/views/{made.json()['id']}"
    problem(program(person("vera", f"flow:{parcels.flow}"), "operate").delete(path), 404)
    assert operator.delete(path).status_code == 204
    problem(operator.delete(path), 404)
