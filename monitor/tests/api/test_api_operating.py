"""The HTTP API changes instances, jobs and views, and rejects what cannot be stored."""

from __future__ import annotations

from django.contrib.auth.models import User

from monitor.tests.conftest import Parcels, person
from monitor.tests.operation.test_operations import job_of, last
from monitor.tests.server.programs import BASE, Program, operator, owner, problem, program

__all__ = ["operator", "owner"]


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
    problem(clerk.post(path, {"operation": "cancel", "reason": "x"}), 403)
    problem(clerk.post(path, {"operation": "explode", "reason": "x"}), 422)
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


def test_a_start_with_a_known_key_is_not_a_new_one(operator: Program, parcels: Parcels) -> None:
    path = f"/flows/{parcels.flow}/instances"
    given = {"state": {"customer": "Ann"}, "key": "order-7"}
    first = operator.post(path, given)
    again = operator.post(path, given)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json() and first["Location"] == again["Location"]
    other = problem(operator.post(path, given | {"state": {"customer": "Bob"}}), 409)
    assert "customer" in other["detail"] and str(first.json()["wid"]) in other["detail"]
