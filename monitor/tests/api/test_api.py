"""The HTTP API: who may call it, and what it returns."""

from __future__ import annotations

import json
from datetime import timedelta

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from flows import api as kernel
from monitor.api import tokens
from monitor.models import ApiToken
from monitor.tests.conftest import Parcels, person
from monitor.tests.operation.test_operations import last
from monitor.tests.server.programs import BASE, Program, operator, owner, problem, program
from testkit.waiting import until_counted

__all__ = ["operator", "owner"]


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
    assert shown["items"][0]["values"] == {"customer": "Bob", "pieces": 1}
    problem(operator.get(f"/flows/{parcels.flow}/instances?columns=customer,nothing"), 422)


def test_one_instance_is_returned_with_typed_state_history_and_reasons(
    operator: Program, parcels: Parcels
) -> None:
    wid = parcels.start(customer="São Paulo", weight=1.5, extra={"gift": True})
    found = operator.get(f"/instances/{wid}").json()
    assert found["state"]["extra"] == {"gift": True} and found["state"]["weight"] == 1.5
    assert found["state"]["pieces"] == 1 and found["state"]["due"] is None
    (row,) = operator.get(f"/flows/{parcels.flow}/instances").json()["items"]
    assert row["values"] == found["state"], "a list has the same types"
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
    assert (
        why["jobs"][0]["waits_for"] == kernel.reasons.explain_jobs(wid, conn=parcels.connection)[0].waits_for
    )
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
    until_counted(parcels.connection)
    until = (timezone.now() + timedelta(minutes=2)).strftime("%Y-%m-%dT%H:%M:%SZ")
    figures = operator.get(f"/flows/{parcels.flow}/figures?every=60&until={until}").json()
    assert sum(each["started"] for each in figures["items"] if each["transition"] is None) == 1
    problem(operator.get(f"/flows/{parcels.flow}/figures?every=60&since=2001-01-01T00:00:00Z"), 422)
    problem(operator.get(f"/flows/{parcels.flow}/figures?until=0001-01-01T00:00:00Z"), 422)


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
