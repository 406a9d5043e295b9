"""What files say of tasks of persons: each becomes an option of the rule, or a warning names it.

A row of `SAID` is one thing that an engine or BPMN itself can say. It is tried at each element that a person
can perform, in each kind of loop, and at elements that no person performs, where it is warned of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from flows.languages.bpmn import BadBpmn, CompiledProcess, compile_process, read
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, event, file, flows, node
from flows.tests.bpmn.files.bpmn_hosts import LOOPS

ENGINES = ("camunda", "flowable", "activiti")
RESOURCES = '<bpmn:resource id="r" name="Night  shift"/>'


def role(tag: str, text: str) -> str:
    """Return a resource role with an expression."""
    inner = f"<bpmn:formalExpression>{text}</bpmn:formalExpression>"
    expression = f"<bpmn:resourceAssignmentExpression>{inner}</bpmn:resourceAssignmentExpression>"
    return f"<bpmn:{tag}>{expression}</bpmn:{tag}>"


def named(resource: str) -> str:
    """Return a potential owner that is a resource."""
    return f"<bpmn:potentialOwner><bpmn:resourceRef>{resource}</bpmn:resourceRef></bpmn:potentialOwner>"


def extended(*parts: str) -> str:
    return f"<bpmn:extensionElements>{''.join(parts)}</bpmn:extensionElements>"


def zeebe(tag: str, **given: str) -> str:
    said = " ".join(f'{name}="{text}"' for name, text in given.items())
    return extended(f"<zeebe:{tag} {said}/>")


def inputs(**given: str) -> str:
    """Return constant inputs as jBPM writes them."""
    named = "".join(f'<bpmn:dataInput id="i_{name}" name="{name}"/>' for name in given)
    said = "".join(
        f"<bpmn:dataInputAssociation><bpmn:targetRef>i_{name}</bpmn:targetRef><bpmn:assignment>"
        f"<bpmn:from>{text}</bpmn:from><bpmn:to>i_{name}</bpmn:to></bpmn:assignment></bpmn:dataInputAssociation>"
        for name, text in given.items()
    )
    return f"<bpmn:ioSpecification>{named}</bpmn:ioSpecification>{said}"


def prop(given: str, engine: str = "flowable") -> str:
    return extended(f"<{engine}:formProperty {given}/>")


def constrained(name: str) -> str:
    return f'><camunda:validation><camunda:constraint name="{name}"/></camunda:validation>'


def limited(*given: str) -> str:
    """Return constraints: names and values in turn."""
    both = zip(given[::2], given[1::2], strict=True)
    inner = "".join(f'<camunda:constraint name="{name}" config="{value}"/>' for name, value in both)
    return f"><camunda:validation>{inner}</camunda:validation>"


def camunda(*fields: str) -> str:
    return extended(f"<camunda:formData>{''.join(fields)}</camunda:formData>")


def wide(name: str, text: str) -> dict[str, tuple[str, dict[str, str]]]:
    """Return the same attribute in the words of each engine that has it."""
    return {f"{each}:{name}={text}": ("", {f"{each}_{name}": text}) for each in ENGINES}


Said = Mapping[str, tuple[str, Mapping[str, str]]]
_SUM = 'id="m" name="Sum" type="long" default="3"'
CANDIDATE = {"candidate": "p_h"}
# What is said (by its name: the inside of the task, and its attributes), and what the rule has then.
OPTIONS: list[tuple[Said, dict[str, Any]]] = [
    (wide("assignee", "demo"), CANDIDATE),
    (wide("assignee", "${approver}"), {"candidate": "approver"}),
    (wide("assignee", "#{approver}"), {"candidate": "approver"}),
    (wide("candidateUsers", "demo"), CANDIDATE),
    (wide("candidateGroups", "accounting"), {"role": "accounting"}),
    (wide("dueDate", "P2D"), {"deadline": "P2D"}),
    (wide("priority", "7"), {"priority": 7}),
    (wide("formKey", "https://crm.example/${n}"), {"application": "https://crm.example/{n}"}),
    ({"assignment": (zeebe("assignmentDefinition", assignee="demo", candidateGroups="a"), {})},
     CANDIDATE | {"role": "a"}),
    ({"assignment as FEEL": (zeebe("assignmentDefinition", assignee="=approver"), {})},
     {"candidate": "approver"}),
    ({"a text of FEEL": (zeebe("assignmentDefinition", candidateUsers="=&quot;demo&quot;"), {})},
     CANDIDATE),
    ({"schedule": (zeebe("taskSchedule", dueDate="=now() + duration(&quot;PT4H&quot;)"), {})},
     {"deadline": "PT4H"}),
    ({"priority": (zeebe("priorityDefinition", priority="30"), {})}, {"priority": 30}),
    ({"zeebe:userTask": (zeebe("userTask"), {})}, {}),
    ({"zeebe:formDefinition": (zeebe("formDefinition", externalReference="https://f.example"), {})},
     {"application": "https://f.example"}),
    ({"potentialOwner": (role("potentialOwner", "clerks"), {})}, {"role": "clerks"}),
    ({"group()": (role("potentialOwner", "user(demo), group(clerks)"), {})}, CANDIDATE | {"role": "clerks"}),
    ({"humanPerformer": (role("humanPerformer", "demo"), {})}, CANDIDATE),
    ({"performer": (role("performer", "${approver}"), {})}, {"candidate": "approver"}),
    ({"GroupId": (inputs(GroupId="<![CDATA[clerks]]>", TaskName="pay", Skippable="true"), {})},
     {"role": "clerks"}),
    ({"ActorId": (inputs(ActorId="#{approver}", Priority="7"), {})},
     {"candidate": "approver", "priority": 7}),
    ({"a resource": (named("r"), {})},
     {"role": "Night shift"}),
    ({"formField": (camunda('<camunda:formField id="m" label="Sum" type="long" defaultValue="3"/>'), {}),
      "flowable:formProperty": (prop(_SUM), {}),
      "activiti:formProperty": (prop(_SUM, "activiti"), {})},
     {"writes": ["m"]}),
    ({"readonly": (prop('id="m" writable="false"'), {})}, {"writes": []}),
]  # fmt: skip
# What is said and cannot be done here, and what the warning says.
IGNORED: list[tuple[Said, str]] = [
    (wide("assignee", "${service.find()}"), "is no user and no attribute"),
    (wide("assignee", "$INITIATOR"), "is no user and no attribute"),
    (wide("candidateUsers", "ana, rui"), "are several: name a group"),
    (wide("candidateGroups", "a,b"), "The group “b” has no effect: the task has another role"),
    ({"two roles": (named("r"), {"camunda_candidateGroups": "a"})}, "The group “Night shift” has no effect"),
    ({"two users": (role("performer", "eva"), {"flowable_assignee": "ana"})}, "The user “eva” has no effect"),
    ({"a user besides": ("", {"camunda_candidateUsers": "eva", "camunda_assignee": "ana"})},
     "The user “eva” has no effect"),
    (wide("candidateGroups", "${group}"), "is computed"),
    (wide("dueDate", "${due}"), "is no duration"),
    (wide("dueDate", "2026-06-01T12:00:00Z"), "is no duration"),
    (wide("followUpDate", "P1D"), "has no effect"),
    ({"two actors": (inputs(ActorId="ana,rui"), {})}, "are several: name a group"),
    (wide("priority", "${urgent}"), "is no whole number"),
    (wide("formKey", "embedded:app:form.html"), "“formKey” has no effect"),
    ({"follow-up": (zeebe("taskSchedule", followUpDate="=later"), {})}, "has no effect"),
    ({"a resource without a name": (named("none"), {})},
     "has no name"),
    ({"a binding": ("<bpmn:performer><bpmn:resourceParameterBinding/></bpmn:performer>", {})},
     "“resourceParameterBinding” of “performer” has no effect"),
    ({"businessKey": (extended('<camunda:formData businessKey="n"/>'), {})}, "“businessKey”"),
    *(({what: (camunda(f'<camunda:formField id="m" {given}</camunda:formField>'), {})}, why)
      for what, given, why in (
        ("minlength without a number", constrained("minlength"), "“minlength” of the field “m”"),
        ("a length of a number", 'type="long"' + limited("minlength", "2"), "“minlength” of the field “m”"),
        ("a limit that is computed", 'type="long"' + limited("max", "${n}"), "“max” of the field “m”"),
        ("a limit of a text", 'type="string"' + limited("min", "2"), "“min” of the field “m”"),
        ("limits without a value between", 'type="long"' + limited("min", "2", "max", "1"), "“max” of the"),
        ("a validator of a program", constrained("validator"), "“validator” of the field “m”"),
        ("a pattern that is not read", limited("pattern", "(?=a)"), "“pattern” of the field “m”"),
        ("required of a field that is only read", 'type="string"' + constrained("required").replace(
            "</camunda:validation>", '<camunda:constraint name="readonly"/></camunda:validation>'),
         "“required” of the field “m”"),
        ("a type", 'type="custom">', "read as a text"), ("no values", 'type="enum">', "has no values"),
        ("a computed default", 'defaultValue="${x}">', "The default"),
        ("a wrong default", 'type="boolean" defaultValue="maybe">', "The default"),
        ("a name that is no label", f'type="enum"><camunda:value id="a" name="{"x" * 300}"/>', "The name of"),
        ("a date", 'type="date" datePattern="dd/MM">', "“datePattern”"),
        ("properties", 'type="string"><camunda:properties/>', "“properties”"),
    )),
    *(({what: (prop(f'id="m" {given}'), {})}, why) for what, given, why in (
        ("formProperty, required", 'required="true" writable="false"', "“required” of the field “m”"),
        ("formProperty, required and not readable", 'required="true" readable="false"',
         "“required” of the field “m”"),
        ("formProperty, expression", 'expression="${x}"', "“expression” of the field “m”"),
    )),
]  # fmt: skip


def cases(table: Sequence[tuple[Said, Any]]) -> list[Any]:
    return [
        pytest.param(inner, given, expected, id=name)
        for said, expected in table
        for name, (inner, given) in said.items()
    ]


def process(tag: str, inner: str, **given: str) -> bytes:
    """Return a process with one task."""
    declared = attributes(attribute("n", type="integer"))
    return file(
        declared, node("startEvent", "s"), node(tag, "h", inner, **given), node("endEvent", "e"),
        flows("s h", "h e"), named=RESOURCES,
    )  # fmt: skip


def rule(made: CompiledProcess) -> dict[str, Any]:
    """Return the rule of the task."""
    triggers = made.compiled.definition["triggers"]
    return dict(next(each for each in triggers if each.get("transition") == "h" and not each.get("child")))


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("tag", ["userTask", "manualTask", "task"])
@pytest.mark.parametrize(("inner", "given", "expected"), cases(OPTIONS))
def test_what_is_said_of_a_person_is_an_option_of_the_rule(
    inner: str, given: dict[str, str], expected: dict[str, Any], tag: str, loop: str
) -> None:
    wanted = {"wedsql_performer": "person"} if tag == "task" else {}
    found, warnings = read(process(tag, inner + LOOPS[loop], **given, **wanted))
    assert warnings == []
    made = compile_process(found)
    assert {name: rule(made)[name] for name in ("performer", *expected)} == {
        "performer": "person", **expected,
    }  # fmt: skip
    plain = rule(compile_process(read(process(tag, LOOPS[loop], **wanted))[0]))
    assert {name for name in rule(made) if rule(made)[name] != plain.get(name)} == {*expected}


@pytest.mark.parametrize(("inner", "given", "said"), cases(IGNORED))
def test_what_cannot_be_done_is_warned_of_at_its_task(inner: str, given: dict[str, str], said: str) -> None:
    found, warnings = read(process("userTask", inner, **given))
    assert [said in each.message for each in warnings] == [True], [each.message for each in warnings]
    assert {(each.severity, each.element) for each in warnings} == {("warning", "h")}
    compile_process(found)


@pytest.mark.parametrize("wanted", ["serviceTask", "worker"])
@pytest.mark.parametrize(("inner", "given", "expected"), cases([*OPTIONS, *IGNORED]))
def test_nothing_is_dropped_silently_where_a_worker_performs_the_task(
    inner: str, given: dict[str, str], expected: object, wanted: str
) -> None:
    tag, options = ("userTask", {"wedsql_performer": "worker"}) if wanted == "worker" else (wanted, {})
    found, warnings = read(process(tag, inner, **given, **options))
    assert warnings and {each.severity for each in warnings} == {"warning"}, expected
    assert rule(compile_process(found))["performer"] == "worker"


def test_a_user_is_the_first_value_of_an_attribute_and_a_field_an_attribute() -> None:
    form = camunda(
        '<camunda:formField id="Amount.paid" label="Paid" type="double" defaultValue="1.5"/>',
        '<camunda:formField id="kind" type="enum" defaultValue="a">'
        '<camunda:value id="a" name="Always"/><camunda:value id="b" name="b"/></camunda:formField>',
        '<camunda:formField id="n" label="Number" type="long"/>',
    )
    found, warnings = read(process("userTask", form, camunda_assignee="demo", name="Pay"))
    assert [each.message for each in warnings] == [
        "The field “n” has the type integer, as it is declared before."
    ]
    made = compile_process(found)
    declared = {each["name"]: each for each in made.compiled.definition["attributes"]}
    assert declared["p_h"] == {"name": "p_h", "type": "text", "default": "demo", "label": "Pay: person"}
    assert declared["amount_paid"] == {
        "name": "amount_paid", "type": "numeric", "default": "1.5", "label": "Paid",
    }  # fmt: skip
    assert declared["kind"] == {
        "name": "kind", "type": "enum", "options": ["a", "b"], "option_labels": ["a = Always"],
        "default": "a", "label": "kind",
    }  # fmt: skip
    assert rule(made)["writes"] == ["amount_paid", "kind", "n"]
    assert not {"p_h", "amount_paid", "kind"} & {*made.internal}


def test_options_of_the_element_come_first_then_what_engines_say_then_the_lane() -> None:
    inner = '<bpmn:lane id="l" name="Sales"><bpmn:flowNodeRef>h</bpmn:flowNodeRef></bpmn:lane>'
    lane = f"<bpmn:laneSet>{inner}</bpmn:laneSet><bpmn:startEvent".encode()
    groups = {"camunda_candidateGroups": "a"}
    texts = [process("userTask", "", **given) for given in ({}, groups, {**groups, "wedsql_role": "b"})]
    made = [compile_process(read(text.replace(b"<bpmn:startEvent", lane))[0]) for text in texts]
    roles = [rule(each)["role"] for each in made]
    assert roles == ["Sales", "a", "b"]


def test_an_attribute_that_names_a_person_is_a_text() -> None:
    with pytest.raises(BadBpmn, match="names a person, so its type is text, not integer"):
        read(process("userTask", "", camunda_assignee="${n}"))


def test_a_process_says_that_workers_perform_its_tasks_and_a_task_otherwise() -> None:
    content = file(
        node("startEvent", "s"), node("userTask", "h"), node("manualTask", "m", wedsql_performer="person"),
        node("endEvent", "e"), flows("s h", "h m", "m e"), options='wedsql:performer="worker"',
    )  # fmt: skip
    made = compile_process(read(content)[0]).compiled.definition["triggers"]
    found = {each["transition"]: each["performer"] for each in made if each.get("transition")}
    assert (found["h"], found["m"]) == ("worker", "person")
    with pytest.raises(BadBpmn, match="“performer” is no option here"):
        read(content.replace(b'wedsql:performer="worker"', b'wedsql:performer="robot"', 1))


@pytest.mark.parametrize(("codes", "expected"), [(["X"], "X"), (["X", ""], "FAILED"), (["", "Y"], "FAILED")])
def test_a_failure_that_a_person_reports_is_the_error_that_is_caught(codes: list[str], expected: str) -> None:
    errors = "".join(f'<bpmn:error id="e{code}" errorCode="{code}"/>' for code in codes if code)
    events = [
        node("boundaryEvent", f"b{n}", event("error", **({"errorRef": f"e{code}"} if code else {})),
             attachedToRef="h")
        for n, code in enumerate(codes)
    ]  # fmt: skip
    content = file(
        node("startEvent", "s"), node("userTask", "h", wedsql_writes="n"), *events, node("endEvent", "e"),
        flows("s h", "h e", *(f"b{n} e" for n, _code in enumerate(codes))),
        attributes(attribute("n", type="integer")), named=errors,
    )  # fmt: skip
    found = rule(compile_process(read(content)[0]))
    assert found["outcomes"] == [f"FAILED: error = '{expected}'"] and found["writes"] == ["n", "error"]


def test_outcomes_are_separated_by_semicolons() -> None:
    said = "Pay: n = 1, m = 2; Refuse: n = 0"
    found = rule(compile_process(read(process("userTask", "", wedsql_outcomes=said))[0]))
    assert found["outcomes"] == ["Pay: n = 1, m = 2", "Refuse: n = 0"]
