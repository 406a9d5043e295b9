"""The person responsible for an instance decides about it, who may see nothing else of its flow (T-128)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from flows import api
from flows.capabilities.approvals.api import ApprovalRule
from flows.capabilities.bulk.api import BulkRequest
from flows.tests.pages import Form, opened, unique
from monitor.tasks.tests.test_messages_pages import DEFINITION, name_of, started
from monitor.tasks.tests.test_tasks_pages import page_of, person
from monitor.tests.server.programs import Program, program

pytestmark = pytest.mark.django_db(transaction=True)
MASKED = {"name": "secret", "visibility": "masked"}


@pytest.fixture
def flow() -> Any:
    name = unique("repairs")
    api.flows.create(name)
    api.flows.publish(name, {**DEFINITION, "attributes": [*DEFINITION["attributes"], MASKED]})
    yield name
    api.flows.drop(name, force=True)


def failed(flow: str, boss: Client) -> tuple[int, int]:
    """Return an instance whose task failed, so that it is an exception, and the number of its case."""
    wid = started(flow, name_of(boss))
    (task,) = api.tasks.of_instance(wid)
    fitter = name_of(person("role:Fitter"))
    api.tasks.take(task.job_id, fitter, ["r:Fitter"])
    assert api.tasks.fail(task.job_id, fitter, "no one at home") == "exception"
    (case,) = api.cases.list([flow], {"wid": wid})
    assert case.owner == name_of(boss)
    return wid, case.number


def token(client: Client) -> Program:
    return program(client.user, "perform", "repair")  # type: ignore[attr-defined]


def test_t128_the_responsible_person_gets_the_case_and_decides(flow: str) -> None:
    boss = person()
    wid, _case = failed(flow, boss)
    for show in ("open", "mine"):
        assert f'href="/instances/{wid}/repair/"' in page_of(boss, f"/cases/?show={show}"), show
    assert f"/instances/{wid}/repair/" in page_of(boss, f"/instances/{wid}/")
    form = {**opened(boss, f"/instances/{wid}/repair/"), "value-note": "fixed by phone", "reason": "phoned"}
    preview = boss.post(f"/instances/{wid}/repair/", form)
    assert preview.status_code == 200
    sent = {**form, **Form(preview.content.decode()).fields, "do": "apply"}
    assert boss.post(f"/instances/{wid}/repair/", sent).status_code == 302
    assert api.reasons.explain_instance(wid).status == "F"


def test_a_failed_job_is_tried_again_by_the_responsible_person(flow: str) -> None:
    boss = person()
    wid, _case = failed(flow, boss)
    (job,) = [one.job_id for one in api.tasks.of_instance(wid)]
    address = f"/instances/{wid}/operate/retry/?job={job}"
    assert boss.post(address, {**opened(boss, address), "reason": "again"}).status_code == 302
    assert api.reasons.explain_instance(wid).status == "R"


def test_by_a_program_too(flow: str) -> None:
    boss = person()
    wid, case = failed(flow, boss)
    caller = token(boss)
    listed = caller.get("/cases").json()["items"]
    assert [one["number"] for one in listed] == [case]
    assert caller.get(f"/cases/{case}").json()["wid"] == wid
    assert caller.post(f"/cases/{case}/comment", {"text": "I phone"}).status_code == 200
    assert caller.get(f"/instances/{wid}").status_code == 200
    sent = {"operation": "patch", "arguments": {"changes": {"note": "phoned"}}, "reason": "phoned"}
    assert caller.post(f"/instances/{wid}/repair", sent).status_code == 200
    assert api.reasons.explain_instance(wid).status == "F"


def test_others_and_other_instances_stay_as_they_were(flow: str) -> None:
    boss, other = person(), person()
    wid, _case = failed(flow, boss)
    theirs, other_case = failed(flow, other)
    assert f"/instances/{theirs}/" not in page_of(boss, "/cases/")
    for address in (f"/instances/{theirs}/", f"/instances/{theirs}/repair/", f"/instances/{theirs}/tasks/"):
        page_of(boss, address, 404)
    for address in (f"/flows/{flow}/", f"/flows/{flow}/jobs/"):
        page_of(boss, address, 404)
    assert boss.post(f"/cases/{other_case}/comment/", {"text": "x"}).status_code in (403, 404)
    assert boss.post("/cases/next/").status_code == 403
    answers = [token(boss).get(f"/cases/{other_case}"), token(boss).get(f"/instances/{theirs}")]
    assert [one.status_code for one in answers] == [404, 404]
    api.persons.set_settings(wid, {"responsible": name_of(other)}, name_of(boss))
    fresh = Client()
    fresh.force_login(boss.user)  # type: ignore[attr-defined]
    page_of(fresh, f"/instances/{wid}/", 404)
    assert f"/instances/{wid}/" not in page_of(fresh, "/cases/")


def test_what_is_masked_stays_masked(flow: str) -> None:
    boss = person()
    wid, _case = failed(flow, boss)
    api.repairs.repair(wid, "patch", {"changes": {"secret": "unspeakable", "place": "Rio"}}, "x", actor="x")
    for address in (f"/instances/{wid}/", f"/instances/{wid}/repair/"):
        assert "unspeakable" not in page_of(boss, address)
    assert "Rio" in page_of(boss, f"/instances/{wid}/")


def test_every_link_of_the_pages_leads_somewhere(flow: str) -> None:
    boss = person()
    wid, number = proposed(flow, boss)
    parts = ("", "repair/", "why/", "tasks/")
    pages = [f"/instances/{wid}/{part}" for part in parts]
    for address in (*pages, f"/cases/proposals/{number}/", "/cases/approvals/", "/cases/"):
        links = set(re.findall(r'<a [^>]*?href="(/[^"#?]*)', page_of(boss, address)))
        answers = {link: boss.get(link).status_code for link in links}
        assert {link: code for link, code in answers.items() if code >= 400} == {}, address


def proposed(flow: str, boss: Client) -> tuple[int, int]:
    """Return an exception of a flow whose repairs need an approval, and the number of the boss's proposal."""
    api.approvals.save_rules(flow, [ApprovalRule(1, operations=["patch"])], "designer")
    wid, _case = failed(flow, boss)
    form = {**opened(boss, f"/instances/{wid}/repair/"), "value-note": "fixed by phone", "reason": "phoned"}
    preview = boss.post(f"/instances/{wid}/repair/", form).content.decode()
    sent = boss.post(f"/instances/{wid}/repair/", {**form, **Form(preview).fields, "do": "propose"})
    (made,) = api.approvals.list([flow], wid=wid)
    assert sent.headers["Location"] == f"/cases/proposals/{made.number}/"
    return wid, made.number


def test_a_proposal_of_the_responsible_person_is_shown_listed_and_withdrawn(flow: str) -> None:
    boss = person()
    wid, number = proposed(flow, boss)
    address = f"/cases/proposals/{number}/"
    assert "fixed by phone" in page_of(boss, address)
    for page in (f"/instances/{wid}/repair/", "/cases/approvals/"):
        assert address in page_of(boss, page)
    caller = token(boss)
    assert [one["number"] for one in caller.get("/proposals").json()["items"]] == [number]
    assert caller.get(f"/proposals/{number}").json()["wid"] == wid
    assert boss.post(f"{address}approve/", {"text": "x"}).status_code == 403
    assert boss.post(f"{address}withdraw/").status_code == 302
    assert api.approvals.read(number).state == "withdrawn"
    assert caller.post(f"/proposals/{number}/withdraw", None).status_code == 409, "it is withdrawn already"


def test_the_proposals_of_others_stay_hidden(flow: str) -> None:
    boss, other = person(), person()
    _wid, number = proposed(flow, boss)
    page_of(other, f"/cases/proposals/{number}/", 404)
    assert other.post(f"/cases/proposals/{number}/withdraw/").status_code == 404
    assert f"/proposals/{number}/" not in page_of(other, "/cases/approvals/")
    assert token(other).get(f"/proposals/{number}").status_code == 404
    assert token(other).get("/proposals").json()["items"] == []


def test_a_proposal_about_many_instances_is_not_shown_with_one_of_them(flow: str) -> None:
    boss, other = person(), person()
    wid, _number = failed(flow, boss)
    theirs, _case = failed(flow, other)
    api.approvals.save_rules(flow, [ApprovalRule(1, operations=["patch"])], "designer")
    asked = BulkRequest("patch", "all of them", arguments={"changes": {"note": "x"}}, propose=True)
    api.bulk.request(asked, [wid, theirs], expected=2, actor="operator")
    page = page_of(boss, f"/instances/{wid}/repair/")
    assert "all of them" not in page and f"/instances/{theirs}/" not in page


def test_the_cases_of_a_person_are_pages_of_one_order(flow: str) -> None:
    """Cases of flows that a person sees and of others are in one list, each once, by pages."""
    seen, boss = unique("seen"), person()
    api.flows.create(seen)
    api.flows.publish(seen, DEFINITION)
    numbers = [failed(each, boss)[1] for each in (flow, seen, flow, seen, flow)]
    found: list[int] = []
    last = None
    while page := api.cases.list([seen], {"person": name_of(boss)}, after=last, limit=2):
        found += [one.number for one in page]
        last = found[-1]
    assert found == numbers
    assert [one.number for one in api.cases.list([], {"person": name_of(boss)})] == numbers
    assert api.cases.list([], {"person": name_of(person())}) == []
    api.flows.drop(seen, force=True)
