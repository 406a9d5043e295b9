"""The last repair is undone over HTTP as on its page: on its state, and with what others hold."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from flows import api
from monitor.tasks.tests.test_holders import boss as boss
from monitor.tasks.tests.test_holders import flow as flow
from monitor.tasks.tests.test_holders import lost, operator, person
from monitor.tasks.tests.test_messages_pages import name_of
from monitor.tests.server.programs import Program, problem, program

pytestmark = pytest.mark.django_db(transaction=True)


def repaired(flow: str) -> tuple[int, int]:
    """Repair an exception; return the instance and the step."""
    wid = api.instances.start(flow, {"place": "bad"})
    return wid, api.repairs.repair(
        wid, "patch", {"changes": {"place": "here"}}, "typed wrong", actor="bob"
    ).seq


def undo(http: Program, wid: int, seq: int | None = None, **more: Any) -> Any:
    body: dict[str, Any] = {"operation": "undo", "arguments": {}, "reason": "by mistake"} | more
    return http.post(f"/instances/{wid}/repair", body | ({} if seq is None else {"seq": seq}))


def test_the_last_repair_is_undone_once(flow: str, boss: Client) -> None:
    wid, seq = repaired(flow)
    done = undo(operator(boss), wid, seq).json()
    assert done["status"] == "exception" and done["seq"] == seq + 1
    assert api.reasons.explain_instance(wid).status == "E"
    assert problem(undo(operator(boss), wid, seq), 409), "the state is another"
    assert api.reasons.explain_instance(wid).seq == seq + 1


def test_what_is_no_repair_and_what_was_gone_on_with_is_refused(flow: str, boss: Client) -> None:
    http = operator(boss)
    wid = api.instances.start(flow, {"place": "here"})
    said = problem(undo(http, wid), 409 if undo(http, wid).status_code == 409 else 422)
    assert said["detail"] and api.reasons.explain_instance(wid).status == "R"
    wid, seq = repaired(flow)
    holder = name_of(person("role:Fitter"))
    (task,) = api.tasks.of_instance(wid)
    api.tasks.take(task.job_id, holder, ["r:Fitter"])
    api.tasks.complete(task.job_id, holder, {"note": "done"})
    before = api.reasons.explain_instance(wid)
    problem(undo(http, wid, seq), 409)
    assert api.reasons.explain_instance(wid).seq == before.seq


def test_who_has_a_task_or_the_case_is_confirmed(flow: str, boss: Client) -> None:
    wid, seq = repaired(flow)
    holder = name_of(person("role:Fitter"))
    api.tasks.take(api.tasks.of_instance(wid)[0].job_id, holder, ["r:Fitter"])
    http = operator(boss)
    for wrong in ({}, {"held": 2}):
        said = problem(undo(http, wid, seq, **wrong), 409)
        assert holder in said["detail"] and "“held” 1" in said["hint"]
        assert api.reasons.explain_instance(wid).seq == seq and lost(holder) == []
    assert undo(http, wid, seq, held=1).status_code == 200
    assert api.tasks.of_instance(wid)[0].owner == holder and lost(holder) == [], "the task goes on"


def test_only_who_may_repair_undoes(flow: str, boss: Client) -> None:
    wid, seq = repaired(flow)
    reader = person(f"flow:{flow}")
    http = program(User.objects.get(username=name_of(reader)), "look", "perform")
    problem(undo(http, wid, seq), 403)
    assert api.reasons.explain_instance(wid).seq == seq
    assert reader.post(f"/instances/{wid}/undo/", {"seq": str(seq)}).status_code in (403, 404)
    assert boss.get(f"/instances/{wid}/undo/").status_code in (200, 302, 405)
