"""Reading BPMN: what elements and extensions become."""

from __future__ import annotations

import pytest

from flows.languages.bpmn import compile_process, read
from flows.languages.bpmn.document.vocabulary import DRAFTS, MODEL
from flows.languages.bpmn.model import PERSONS, TASKS
from flows.tests.bpmn.files.bpmn_conformance import SUPPORTED, task
from flows.tests.bpmn.files.bpmn_files import ORDER, attribute, attributes, file, flows, node
from flows.tests.bpmn.test_bpmn_refused import problems


@pytest.mark.parametrize("what", SUPPORTED)
def test_what_is_supported_becomes_a_flow(what: str) -> None:
    process, warnings = read(SUPPORTED[what][0])
    assert warnings == [] and compile_process(process).compiled.definition["triggers"]


@pytest.mark.parametrize("tag", sorted({*TASKS} - {"scriptTask", "receiveTask"}))
def test_each_task_that_a_person_or_worker_performs_is_a_job(tag: str) -> None:
    (rule,) = (each for each in compile_process(read(task(tag=tag))[0]).compiled.definition["triggers"]
               if each.get("transition") == "t")  # fmt: skip
    assert rule["performer"] == ("person" if tag in PERSONS else "worker")


def test_the_type_of_a_job_of_camunda_names_its_transition() -> None:
    job = '<zeebe:taskDefinition type="charge-card" retries="2"/>'
    job = f"<bpmn:extensionElements>{job}</bpmn:extensionElements>"
    made = compile_process(read(task(job, "serviceTask"))[0]).compiled.definition["triggers"]
    rule = next(each for each in made if each["performer"] == "worker")
    assert (rule["transition"], rule["max_attempts"]) == ("charge_card", 2)
    made = compile_process(read(task("", "serviceTask", camunda_topic="pay", camunda_type="external"))[0])
    assert "pay" in {each.get("transition") for each in made.compiled.definition["triggers"]}
    computed = job.replace("charge-card", "=kind")
    assert [each.message for each in read(task(computed, "serviceTask"))[1]] == [
        "“taskDefinition” has no effect."
    ]


def test_tasks_with_one_type_of_job_have_one_transition() -> None:
    job = '<bpmn:extensionElements><zeebe:taskDefinition type="mail"/></bpmn:extensionElements>'
    parts = [node("serviceTask", id_, job, name=id_.title()) for id_ in ("mail", "second")]
    others = node("userTask", "ask", wedsql_transition="mail", wedsql_performer="worker") + node(
        "task", "mail_2"
    )
    content = file(
        node("startEvent", "s"), *parts, others, node("endEvent", "e"),
        flows("s mail", "mail second", "second ask", "ask mail_2", "mail_2 e"),
    )  # fmt: skip
    found = compile_process(read(content)[0])
    tasks = [each for each in found.compiled.definition["triggers"] if each.get("performer") == "worker"]
    assert [(each["transition"], each.get("concurrent")) for each in tasks] == [
        ("mail", True), ("mail", True), ("mail", True), ("mail_2", None),
    ]  # fmt: skip
    assert [found.source_map["rules"][each["name"]] for each in tasks] == ["mail", "second", "ask", "mail_2"]


def test_a_type_of_job_is_not_the_transition_of_a_task_without_it() -> None:
    content = file(
        node("startEvent", "s"), node("userTask", "pay"), node("serviceTask", "t", camunda_topic="pay"),
        node("scriptTask", "x", "<bpmn:script>n = 1</bpmn:script>", scriptFormat="sql"),
        node("endEvent", "e"), flows("s pay", "pay t", "t x", "x e"),
    )  # fmt: skip
    made = compile_process(read(content)[0])
    assert {made.source_map["transitions"]["pay"], made.source_map["transitions"]["pay_2"]} == {"t", "pay"}
    assert made.source_map["transitions"]["pay"] == "t"
    scripted = content.replace(b'id="x" ', b'id="x" wedsql:transition="pay" ')
    assert {each.code for each in problems(scripted)} == {"name_collides"}


def test_what_is_not_performed_alike_has_no_transition_in_common() -> None:
    content = file(
        node("startEvent", "s"), node("serviceTask", "t", camunda_topic="paid"),
        node("receiveTask", "r", messageRef="m"), node("endEvent", "e"), flows("s t", "t r", "r e"),
        named='<bpmn:message id="m" name="Paid"/>',
    )  # fmt: skip
    assert {(each.code, each.element) for each in problems(content)} == {("name_collides", "r")}


def test_options_can_be_properties_and_data_objects_are_attributes() -> None:
    kept = '<zeebe:properties><zeebe:property name="wedsql.deadline" value="1h"/></zeebe:properties>'
    content = task(
        f"<bpmn:extensionElements>{kept}</bpmn:extensionElements>", "userTask", name="Pay  now",
        after=node("dataObject", "o", wedsql_type="numeric")
        + node("dataObjectReference", "Ref_1", name="Total amount", dataObjectRef="o"),
    )  # fmt: skip
    process, warnings = read(content)
    assert warnings == []
    definition = compile_process(process).compiled.definition
    assert definition["attributes"][0] == {"name": "total_amount", "label": "Total amount", "type": "numeric"}
    rule = next(each for each in definition["triggers"] if each.get("transition") == "t")
    assert (rule["deadline"], rule["label"]) == ("1h", "Pay now")


def test_a_lane_is_the_role_of_its_rules_and_a_made_up_id_gives_way_to_the_name() -> None:
    lanes = (
        '<bpmn:laneSet><bpmn:lane id="l" name="Sales"><bpmn:flowNodeRef>Activity_0x1y2z3</bpmn:flowNodeRef>'
    )
    content = file(
        f"{lanes}</bpmn:lane></bpmn:laneSet>", node("startEvent", "s"), node("endEvent", "e"),
        node("userTask", "Activity_0x1y2z3", name="Überprüfen & zahlen".replace("&", "&amp;")),
        flows("s Activity_0x1y2z3", "Activity_0x1y2z3 e"),
    )  # fmt: skip
    triggers = compile_process(read(content)[0]).compiled.definition["triggers"]
    rule = next(each for each in triggers if each.get("performer") == "person")
    assert (rule["transition"], rule["role"]) == ("uberprufen_zahlen", "Sales")


def test_what_children_get_is_read_as_camunda_writes_it() -> None:
    content = task(
        '<bpmn:extensionElements><zeebe:calledElement processId="Credit-Check"/><zeebe:ioMapping>'
        '<zeebe:input source="=amount * 2" target="asked"/><zeebe:output source="=answer" target="granted"/>'
        "</zeebe:ioMapping></bpmn:extensionElements><bpmn:multiInstanceLoopCharacteristics>"
        '<bpmn:extensionElements><zeebe:loopCharacteristics inputCollection="=items" inputElement="item" '
        'outputCollection="results" outputElement="=answer"/></bpmn:extensionElements>'
        "</bpmn:multiInstanceLoopCharacteristics>",
        "callActivity",
    )  # fmt: skip
    process, warnings = read(content)
    rule = compile_process(process).compiled.definition["triggers"][0]
    assert warnings == [] and rule["child"] == "credit_check"
    assert rule["child_set"] == ["asked = amount * 2", "item = (items) -> (child_number - 1)"]
    assert [each.split(" = ")[0] for each in rule["child_result"]] == ["granted", "results"]


def test_the_layout_is_read() -> None:
    shape = (
        '<bpmndi:BPMNDiagram id="d"><bpmndi:BPMNPlane id="pl" bpmnElement="p">'
        '<bpmndi:BPMNShape id="x" bpmnElement="s"><dc:Bounds x="1" y="2" width="36" height="36"/>'
        '</bpmndi:BPMNShape><bpmndi:BPMNShape id="y" bpmnElement="t"><dc:Bounds x="NaN" y="2" width="1"'
        ' height="1"/></bpmndi:BPMNShape>'
        '<bpmndi:BPMNEdge id="z" bpmnElement="f"><di:waypoint x="1" y="2"/><di:waypoint x="3" y="4.5"/>'
        "</bpmndi:BPMNEdge></bpmndi:BPMNPlane></bpmndi:BPMNDiagram>"
    )
    (plane,) = read(file(node("startEvent", "s"), after=shape))[0].planes
    assert [(each.element, each.x, each.width) for each in plane.shapes] == [("s", 1, 36)]
    assert plane.lines[0].points == ((1, 2), (3, 4.5))


def test_the_example_has_no_warnings() -> None:
    process, warnings = read(ORDER)
    made = compile_process(process)
    assert [*warnings, *made.warnings] == [] and made.compiled.definition["start_by"] == ["order_received"]


def test_the_condition_of_a_default_flow_has_no_effect() -> None:
    """As BPMN says, whatever it is."""
    found, warnings = read(file(
        node("startEvent", "s"), node("exclusiveGateway", "g", default="g_b"), node("task", "a"),
        node("task", "b"), node("endEvent", "e"), attributes(attribute("n", type="integer")),
        flows("s g", "g a n &gt; 1", "g b no FEEL at all", "a e", "b e"),
    ))  # fmt: skip
    assert [(each.element, each.severity) for each in warnings] == [("g_b", "warning")]
    assert "The condition of a default flow has no effect" in warnings[0].message
    made = compile_process(found)
    assert {each.default for each in made.graph.edges.values() if each.path[0] == "g_b"} == {True}


def test_a_default_flow_leaves_its_element_and_is_one_of_several() -> None:
    ends = (node("startEvent", "s"), node("task", "a", default="a_e"), node("endEvent", "e"))
    made = compile_process(read(file(*ends, flows("s a", "a e")))[0])
    assert not any(each.default for each in made.graph.edges.values()), "the only flow needs no default"
    wrong = file(node("startEvent", "s"), node("exclusiveGateway", "g", default="a_e"), *ends[1:],
                 flows("s g", "g a", "a e"))  # fmt: skip
    process, (warning,) = read(wrong)
    assert warning.message.startswith("The default does not leave the element")
    assert process.elements["g"].default == ""


@pytest.mark.parametrize("space", sorted(DRAFTS))
def test_a_file_in_a_namespace_of_a_draft_of_bpmn_is_one_of_bpmn(space: str) -> None:
    old = ORDER.replace(MODEL.encode(), space.encode())
    assert old != ORDER
    assert compile_process(read(old)[0]).compiled == compile_process(read(ORDER)[0]).compiled
