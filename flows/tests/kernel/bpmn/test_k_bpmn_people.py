"""Tasks of persons that files in BPMN ask for: who gets them, until when, and how they fail."""

from __future__ import annotations

from datetime import timedelta

import pytest

from flows import api
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, event, file, flows, node, timer
from flows.tests.bpmn.files.bpmn_running import publish
from flows.tests.kit import Kit, broken, refused
from flows.tests.people import done, failed, pending

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

FORM = (
    '<bpmn:extensionElements><camunda:formData><camunda:formField id="total" label="Total" type="long"/>'
    "</camunda:formData></bpmn:extensionElements>"
)
CLAIM = file(
    attributes(attribute("approver"), attribute("note")),
    '<bpmn:laneSet><bpmn:lane id="l" name="Clerks"><bpmn:flowNodeRef>check</bpmn:flowNodeRef></bpmn:lane>',
    "</bpmn:laneSet>", node("startEvent", "s"), node("endEvent", "e"), node("task", "warn"),
    node("userTask", "check", FORM, camunda_dueDate="P2D", camunda_priority="5"),
    node("userTask", "approve", camunda_assignee="${approver}", camunda_candidateGroups="bosses"),
    node("manualTask", "file", flowable_assignee="rui"),
    node("boundaryEvent", "lost", event("error", errorRef="x"), attachedToRef="check"),
    node("boundaryEvent", "late", timer("P3D"), attachedToRef="approve"),
    flows("s check", "check approve", "approve file", "file e", "lost warn", "late warn", "warn e"),
    named='<bpmn:error id="x" errorCode="LOST"/>',
)  # fmt: skip


REQUIRED = {
    "a constraint": '<camunda:formData><camunda:formField id="total" type="long"><camunda:validation>'
    '<camunda:constraint name="required"/></camunda:validation></camunda:formField>{}</camunda:formData>',
    "Flowable": '<flowable:formProperty id="total" type="long" required="true"/>{}',
    "Activiti": '<activiti:formProperty id="total" type="long" required="true"/>{}',
}
READ = {
    "a constraint": '<camunda:formField id="note" type="string"><camunda:validation>'
    '<camunda:constraint name="readonly"/></camunda:validation></camunda:formField>',
    "Flowable": '<flowable:formProperty id="note" writable="false"/>',
    "Activiti": '<activiti:formProperty id="note" writable="false"/>',
}


@pytest.mark.parametrize("words", REQUIRED)
def test_a_field_that_an_engine_requires_is_required_by_every_door(kit: Kit, words: str) -> None:
    form = REQUIRED[words].format(READ[words])
    task = node("userTask", "check", f"<bpmn:extensionElements>{form}</bpmn:extensionElements>")
    parts = [node("startEvent", "s"), task, node("endEvent", "e"), flows("s check", "check e")]
    publish(kit, file(attributes(attribute("note")), *parts))
    wid = kit.start()
    sheet = api.tasks.read(pending(kit, "check", wid), "ana", conn=kit.conn)
    assert sheet.form is not None
    fields = {each["attribute"]: each for each in sheet.form["sections"][0]["fields"]}
    assert [(name, each["writable"]) for name, each in fields.items()] == [("total", True), ("note", False)]
    with refused("WD595") as error:
        done(kit, "check", wid)
    assert error.facts["wrong"] == {"total": "required"}
    assert done(kit, "check", wid, total=7) == "F" and broken(kit) == []


def audience(kit: Kit, name: str, wid: int) -> str:
    return api.tasks.read(pending(kit, name, wid), "ana", conn=kit.conn).audience


def test_each_task_is_for_whom_the_file_names(kit: Kit) -> None:
    publish(kit, CLAIM)
    wid = kit.start(approver="eva")
    sheet = api.tasks.read(pending(kit, "check", wid), "ana", conn=kit.conn)
    assert (sheet.audience, sheet.priority, [*sheet.writes]) == ("r:Clerks", 5, ["total"])
    assert sheet.due_at is not None and sheet.due_at - sheet.arrived_at == timedelta(days=2)
    with refused("WD591"):
        api.tasks.take(sheet.job_id, "eva", ["r:bosses"], conn=kit.conn)
    done(kit, "check", wid, total=7)
    assert audience(kit, "approve", wid) == "p:eva"
    done(kit, "approve", wid)
    assert audience(kit, "file", wid) == "p:rui"
    assert done(kit, "file", wid) == "F" and broken(kit) == []
    other = kit.start(p_file="leo")
    done(kit, "check", other)
    assert audience(kit, "approve", other) == "r:bosses", "without an approver"
    done(kit, "approve", other)
    assert audience(kit, "file", other) == "p:leo", "another person than the first one"


def test_a_failure_that_a_person_reports_goes_the_way_of_the_error(kit: Kit) -> None:
    publish(kit, CLAIM)
    wid = kit.start()
    assert failed(kit, "check", wid) == "FAILED"
    assert kit.jobs(wid) == ["warn"] and kit.state(wid)["error"] is None
    kit.run("warn", wid)
    assert kit.status(wid) == "F"
    other = kit.start()
    done(kit, "check", other)
    assert failed(kit, "approve", other) == "exception", "no event catches it"
    assert broken(kit) == []


def test_a_timer_at_a_task_takes_it_from_the_lists(kit: Kit) -> None:
    publish(kit, CLAIM)
    wid = kit.start(approver="eva")
    done(kit, "check", wid)
    task = pending(kit, "approve", wid)
    kit.reap("4 days")
    assert kit.jobs(wid) == ["warn"] and api.tasks.open("eva", [], conn=kit.conn) == []
    with refused("WD593"):
        api.tasks.take(task, "eva", [], conn=kit.conn)


def test_pending_jobs_become_tasks_at_the_next_import_and_jobs_again(kit: Kit) -> None:
    publish(kit, CLAIM.replace(b"<bpmn:userTask", b'<bpmn:userTask wedsql:performer="worker"'))
    wid = kit.start()
    assert kit.take("check", wid).wid == wid
    publish(kit, CLAIM)
    assert audience(kit, "check", wid) == "r:Clerks"
    done(kit, "check", wid)
    publish(kit, CLAIM.replace(b"<bpmn:userTask", b'<bpmn:userTask wedsql:performer="worker"'))
    kit.run("approve", wid)
    assert kit.jobs(wid) == ["file"] and broken(kit) == []


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"wedsql_writes": "total"},
        {"wedsql_outcomes": "OK: total = 1; No: total = 2"},
        {"wedsql_writes": "total", "wedsql_outcomes": "OK: total = 1"},
    ],
)
def test_options_of_the_user_leave_a_way_to_the_error(kit: Kit, given: dict[str, str]) -> None:
    publish(kit, file(
        attributes(attribute("total", type="integer")),
        node("startEvent", "s"), node("userTask", "check", **given), node("task", "warn"),
        node("endEvent", "e"),
        node("boundaryEvent", "lost", event("error", errorRef="x"), attachedToRef="check"),
        flows("s check", "check e", "lost warn"), named='<bpmn:error id="x" errorCode="LOST"/>',
    ))  # fmt: skip
    wid = kit.start()
    assert failed(kit, "check", wid) == "FAILED"
    assert kit.jobs(wid) == ["warn"] and broken(kit) == []
