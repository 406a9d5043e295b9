"""Reading BPMN: hostile files, what is refused with its place, and expressions."""

from __future__ import annotations

import pytest

from flows.languages.bpmn import BadBpmn, BpmnProblem, compile_process, read
from flows.languages.bpmn.encodings import decoded
from flows.languages.bpmn.feel import NotSimple, to_sql
from flows.languages.bpmn.model import PERSONS, TASKS
from flows.languages.bpmn.names import unique
from flows.languages.bpmn.xml import DEEPEST, LARGEST, MOST_ELEMENTS
from flows.tests.bpmn_conformance import REFUSED, SUPPORTED, task
from flows.tests.bpmn_files import ORDER, attribute, attributes, file, flows, node, timer

BOMB = b"""<?xml version="1.0"?>
<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;">]>
<definitions>&c;</definitions>"""
OUTSIDE = b'<!DOCTYPE d SYSTEM "file:///etc/passwd"><d/>'
PARAMETER = b'<!DOCTYPE d [<!ENTITY % x SYSTEM "http://localhost/x.dtd"> %x;]><d/>'


def problems(content: bytes) -> list[BpmnProblem]:
    with pytest.raises(BadBpmn) as caught:
        compile_process(read(content)[0])
    return list(caught.value.problems)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (BOMB, "refused", "document type"),
        (OUTSIDE, "refused", "document type"),
        (PARAMETER, "refused", "document type"),
        (b"<d>&undefined;</d>", "syntax", "undefined entity"),
        (b"", "syntax", "no element found"),
        (b"<d>", "syntax", "no element found"),
        (b"{}", "syntax", "not well-formed"),
        (b"<a/><b/>", "syntax", "junk after document element"),
        (b'<a x="1" x="2"/>', "syntax", "duplicate attribute"),
        (b"<a:b/>", "syntax", "unbound prefix"),
        (b"<a>\x00</a>", "syntax", "not well-formed"),
        ("<a>é</a>".encode("latin-1"), "syntax", "UTF-8"),
        ("<?xml version='1.0' encoding='UTF-16'?><a>é</a>".encode("latin-1"), "syntax", "UTF-8"),
        (b"<a>" * (DEEPEST + 1), "refused", "within each other"),
        (b"<a>" + b"<b/>" * MOST_ELEMENTS + b"</a>", "refused", "elements"),
        (b" " * (LARGEST + 1), "too_large", "5 MB"),
        (b"<html/>", "no_bpmn", "not BPMN"),
    ],
    ids=range(17),
)
def test_a_hostile_file_is_refused_with_its_reason(content: bytes, code: str, said: str) -> None:
    (problem,) = problems(content)
    assert problem.code == code and said in problem.message


def at(content: bytes, element: str = "t") -> list[tuple[str, str]]:
    """Return code and message of the problems of one element, and see that they have its line."""
    line = next(n for n, text in enumerate(content.decode().splitlines(), 1) if f'id="{element}"' in text)
    found = problems(content)
    assert found and {(each.element, each.line) for each in found} == {(element, line)}, found
    return [(each.code, each.message) for each in found]


@pytest.mark.parametrize("what", SUPPORTED)
def test_what_is_supported_becomes_a_flow(what: str) -> None:
    process, warnings = read(SUPPORTED[what][0])
    assert warnings == [] and compile_process(process).compiled.definition["triggers"]


@pytest.mark.parametrize("tag", sorted({*TASKS} - {"scriptTask", "receiveTask"}))
def test_each_task_that_a_person_or_worker_performs_is_a_job(tag: str) -> None:
    (rule,) = (each for each in compile_process(read(task(tag=tag))[0]).compiled.definition["triggers"]
               if each.get("transition") == "t")  # fmt: skip
    assert rule["performer"] == ("person" if tag in PERSONS else "worker")


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_supported_is_refused_at_its_element(what: str) -> None:
    (code, message), *_more = at(REFUSED[what])
    assert code in {"unsupported", "bad_time", "no_time", "no_message", "no_event", "unknown_reference",
                    "bad_option", "bad_need", "no_number"}  # fmt: skip
    assert message.endswith((".", "supported.")) and len(message) > 15


@pytest.mark.parametrize(
    ("content", "code", "element"),
    [
        (file(), "no_process", ""),
        (file(node("startEvent", "s"), node("startEvent", "s2"), node("endEvent", "e"), flows("s e", "s2 e")),
         "unsupported", "s2"),
        (file(node("startEvent", "s"), node("task", "s")), "name_collides", "s"),
        (file(node("startEvent", "s"), flows("s nowhere")), "no_outgoing", "s"),
        (file(node("startEvent", "s"), node("subProcess", "u", node("startEvent", "b") + node("task", "i")),
              flows("s u", "b i", "s i")), "crosses_border", "s_i"),
        (file(node("startEvent", "s"), node("exclusiveGateway", "x"), node("task", "a"), node("task", "b"),
              flows("s x", "x a a is null", "x b 1 = 1")), "bad_expression", "x_a"),
        (file(attributes(attribute("a", colour="red")), node("startEvent", "s")), "bad_option", ""),
        (file(node("startEvent", "s"), node("boundaryEvent", "b", timer("PT1M"), attachedToRef="s")),
         "unknown_reference", "b"),
    ],
)  # fmt: skip
def test_an_error_is_said_at_its_element(content: bytes, code: str, element: str) -> None:
    found = problems(content)
    assert (code, element) in {(each.code, each.element) for each in found}, found


SPLIT = (node("startEvent", "s"), node("exclusiveGateway", "x"), node("task", "a"), node("task", "b"))
JOINED = file(*SPLIT, node("parallelGateway", "j", name="Both done"), node("endEvent", "e"),
              flows("s x", "x a true", "x b false", "a j", "b j", "j e"))  # fmt: skip


@pytest.mark.parametrize(
    ("content", "element", "said"),
    [
        (JOINED, "j", "“Both done” waits without end where these ways are taken: “x” → “b”."),
        (file(node("startEvent", "s"), node("task", "t"), node("task", "lost"), flows("s t", "lost t")),
         "lost",
         "No way leads to “lost”: it is never performed."),
        (file(node("startEvent", "s"), node("task", "t"), flows("s t", "t nowhere")), "t_nowhere",
         "The flow does not connect two elements of the process: it is left out."),
        (file(*SPLIT, flows("s x", "x a", "x b 1 = 1")), "x_a",
         "“a” has no condition: it is taken where no other flow of “x” is."),
        (file(node("startEvent", "s"), node("task", "t"), node("parallelGateway", "g"), flows("s t", "t g")),
         "g",
         "No flow leaves “g”: its tokens end there."),
        (file(node("startEvent", "s"), node("task", "t"), flows("s t 1 = 2")), "s_t",
         "The condition of a flow has no effect: “s” takes all its flows."),
    ],
)  # fmt: skip
def test_what_bpmn_allows_is_a_warning_with_the_names_of_elements(
    content: bytes, element: str, said: str
) -> None:
    process, warnings = read(content)
    found = {(each.element, each.message) for each in (*warnings, *compile_process(process).warnings)}
    assert (element, said) in found, found


@pytest.mark.parametrize("name", ["iso-8859-1", "windows-1252", "utf-8", "utf-16"])
def test_a_file_has_the_encoding_that_it_declares(name: str) -> None:
    head = f'<?xml version="1.0" encoding="{name}"?>'
    text = task(name="Prüfen").decode().partition("?>")[2]
    content = (head + text).encode(name)
    assert read(content)[0].elements["t"].name == "Prüfen"
    assert read(decoded(content).encode())[0].elements["t"].name == "Prüfen", "as it is kept"


def test_elements_in_extensions_and_other_processes_are_not_those_of_the_process() -> None:
    model = '<bpmn:extensionElements><x xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="t"/>'
    other = b'<bpmn:process id="q"><bpmn:task id="t"/></bpmn:process><bpmn:process id="p"'
    content = task(f"{model}</bpmn:extensionElements>").replace(b'<bpmn:process id="p"', other)
    assert read(content, "p")[0].elements["t"].line > read(content, "q")[0].elements["t"].line
    nameless = task().replace(b'<bpmn:sequenceFlow id="s_t"', b"<bpmn:sequenceFlow")
    assert "s-t" in read(nameless)[0].flows
    spaced = task().replace(b"<bpmn:definitions ", b'<bpmn:definitions xmlns:q="http://x/A Process" ')
    assert read(spaced)[0].elements["t"].tag == "task"


def test_what_has_no_effect_is_warned_of_and_not_dropped_silently() -> None:
    form = '<zeebe:ioMapping><zeebe:input source="=a" target="b"/></zeebe:ioMapping>'
    content = task(
        f"<bpmn:extensionElements>{form}</bpmn:extensionElements>", "userTask", camunda_asyncBefore="true"
    )
    _process, warnings = read(content)
    assert {(each.element, each.severity) for each in warnings} == {("t", "warning")}
    assert {each.message for each in warnings} == {
        "“asyncBefore” has no effect.",
        "“ioMapping” has no effect.",
    }


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


@pytest.mark.parametrize(
    ("form", "text", "reason"),
    [
        ("timeDuration", "=wait", "The time of the event “=wait” is not supported: give a duration"),
        ("timeDuration", '=duration("1 hour")', "The time of the event “1 hour” is not supported"),
        ("timeDuration", "=now()", "The time of the event “=now()” is not supported"),
        ("timeDate", "=now()", "The time of the event “=now()” is not supported: give a moment"),
        ("timeDate", "=wait", "“wait” has the type interval."),
        ("timeDate", "=later", "“later” is not declared."),
        ("timeDate", '=wait + duration("PT1H")', "“wait” has the type interval."),
        ("timeDate", '=due + duration("soon")', "is not supported: give a moment"),
        ("timeCycle", '=cycle(0 - 1, duration("PT1H"))', "give a duration or a date"),
    ],
)
def test_a_time_that_cannot_be_computed_has_a_reason(form: str, text: str, reason: str) -> None:
    content = file(
        attributes(attribute("wait", type="interval"), attribute("due", type="timestamptz")),
        node("startEvent", "s"), node("intermediateCatchEvent", "c", timer(text, form)),
        node("endEvent", "e"), flows("s c", "c e"),
    )  # fmt: skip
    (found,) = problems(content)
    code = "unknown_name" if "not declared" in reason else "bad_time"
    assert (found.code, found.element) == (code, "c") and reason in found.message


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


@pytest.mark.parametrize(
    ("id_", "expected"),
    [
        ("Activity_0x1y2z3", "pay"),
        ("sid-81ED1ADC-6D7B-4E2A-9C4B-0A1B2C3D4E5F", "pay"),
        ("_ec59e164-68b4-4f94-98de-ffb1c58a84af", "pay"),
        ("_6-12", "pay"),
        ("pay_the_bill", "pay_the_bill"),
        ("task_1", "task_1"),
    ],
)
def test_ids_that_modellers_make_up_give_way_to_names(id_: str, expected: str) -> None:
    assert unique([(id_, "Pay", "")]) == {id_: expected}


def shown(content: bytes) -> set[str]:
    """Return what people read of the attributes and rules that a process becomes."""
    definition = compile_process(read(content)[0]).compiled.definition
    attributes = {each.get("label") or each["name"] for each in definition["attributes"]}
    rules = {each.get("label") or each.get("name", "") for each in definition["triggers"]}
    return attributes | rules


def test_people_read_names_of_elements_not_of_what_they_become() -> None:
    labels = shown(ORDER)
    assert not [label for label in labels if "__" in label or label.startswith("t_")]
    assert labels >= {
        "Charge the card: performed", "Charge the card: result", "declined: error DECLINED",
        "fork → Charge the card", "fork → pack: waiting", "late: taken", "Approve the order → accepted",
        "tokens", "number",
    }  # fmt: skip


@pytest.mark.parametrize("what", SUPPORTED)
def test_no_label_has_a_made_up_name(what: str) -> None:
    assert not [label for label in shown(SUPPORTED[what][0]) if "__" in label]


def test_an_element_without_a_name_is_called_what_it_is() -> None:
    content = file(
        node("startEvent", "Event_0x1y2z3"), node("exclusiveGateway", "Gateway_0a1b2c3"),
        node("exclusiveGateway", "Gateway_1a1b2c3"), node("endEvent", "End_0x1y2z3", name="Paid"),
        flows("Event_0x1y2z3 Gateway_0a1b2c3", "Gateway_0a1b2c3 Gateway_1a1b2c3"),
        '<bpmn:sequenceFlow id="f" name="all  well" sourceRef="Gateway_1a1b2c3" targetRef="End_0x1y2z3"/>',
    )  # fmt: skip
    assert shown(content) >= {
        "Start → Exclusive gateway", "Exclusive gateway → Exclusive gateway 2",
        "Exclusive gateway 2 → Paid (all well)", "Exclusive gateway 2", "Paid",
    }  # fmt: skip


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


def test_one_of_several_processes_is_named() -> None:
    second = '<bpmn:process id="q"><bpmn:startEvent id="z"/></bpmn:process>'
    assert read(file(node("startEvent", "s"), after=second))[1][0].message.startswith(
        "Process “q” is only drawn"
    )
    content = file(node("startEvent", "s"), after=second.replace('id="q"', 'id="q" isExecutable="true"'))
    with pytest.raises(BadBpmn, match="--process; found: p; q"):
        read(content)
    assert read(content, "q")[0].id == "q"


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


@pytest.mark.parametrize(
    ("feel", "sql"),
    [
        ("amount > 1000", "amount > 1000"),
        ('status = "it\'s"', "status = 'it''s'"),
        ("a != null and b = null", "a is not null and b is null"),
        ("not(a or b) and c", "not (a or b) and c"),
        ("a and (b or c)", "a and (b or c)"),
        ("x in [1..10)", "(x >= 1 and x < 10)"),
        ("x in ]1..10]", "(x > 1 and x <= 10)"),
        ('s in ("a", "b")', "s in ('a', 'b')"),
        ("x between 1 and 2 and y", "x between 1 and 2 and y"),
        ("Amount * 2 + .5 <= -3", "amount * 2 + .5 <= -3"),
        ('due < date("2026-01-01")', "due < date '2026-01-01'"),
        ('at > date and time("2026-01-01T00:00Z")', "at > timestamptz '2026-01-01T00:00Z'"),
        ("a == 1 && !b || c gt 2", "a = 1 and not (b) or c > 2"),
        ("n in (a / 2, a/b)", "n in (a / 2.0, a * 1.0 / nullif(b, 0))"),
        ("a = not(b) or not(a) < b", "a = (not (b)) or (not (a)) < b"),
        ("n = - -1 and (null) != n", "n = -(-1) and n is not null"),
        (r's = "a\n\"b\\"', "s = 'a\n\"b\\'"),
        ("true", "true"),
        ("Loan Approval = 1", "loan_approval = 1"),
        ("a between Low Value and 3 and (Ok)", "a between low_value and 3 and (ok)"),
        ("if a then 1 else 2", "(case when coalesce((a), false) then 1 else 2 end)"),
        (
            'some x in y satisfies x.n > 1 and not(x.s = "a\'b")',
            """(case when jsonb_path_exists(y, '$[*] ? (@."n" > 1 && !(@."s" == "a''b"))') then true """
            "when y is null or jsonb_path_exists(y, "
            """'$[*] ? ((@."n" > 1 && !(@."s" == "a''b")) is unknown)') """
            "then null else false end)",
        ),
    ],
)
def test_feel_becomes_sql(feel: str, sql: str) -> None:
    assert to_sql(feel) == sql


@pytest.mark.parametrize(
    ("feel", "said"),
    [("for x in y return x", "“for”"), ("function(x) x", "“function(”"),
     ("some x in y satisfies x > z", "written out only"), ("every x in 1 satisfies x > 1", "with a list"),
     ("some 1 in y satisfies true", "A name is expected")],
)  # fmt: skip
def test_other_forms_of_feel_are_refused_in_words(feel: str, said: str) -> None:
    with pytest.raises(NotSimple) as caught:
        to_sql(feel)
    assert said in str(caught.value)


def test_an_attribute_may_have_a_name_that_is_a_word_of_feel() -> None:
    assert to_sql("some = 1", {"some": "integer"}) == "some = 1"


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
    with pytest.raises(BadBpmn, match="The default does not leave the element"):
        read(wrong)


@pytest.mark.parametrize(
    ("feel", "position"),
    [("", 1), ("a >", 4), ("count(a)", 1), ("a.b = 1", 1), ("(a", 3), ("a = ;", 5), ("x in", 5),
     ('"open', 1), ("a = 1; drop", 6), ("date()", 6), ("٣ = 1", 1),
     ("if a then b", 12), ("(" * 300, 51), ("-" * 4000, 1), ("x" * 4001, 1)],
)  # fmt: skip
def test_feel_beyond_the_subset_is_refused_with_its_position(feel: str, position: int) -> None:
    with pytest.raises(NotSimple) as caught:
        to_sql(feel)
    assert caught.value.position == position
