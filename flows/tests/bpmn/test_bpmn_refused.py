"""Reading BPMN: hostile files, and what is refused with its place."""

from __future__ import annotations

import pytest

from flows.languages.bpmn import BadBpmn, BpmnProblem, compile_process, read
from flows.languages.bpmn.document.xml import DEEPEST, LARGEST, MOST_ELEMENTS
from flows.loading.bpmn_files import check_processes
from flows.tests.bpmn.files.bpmn_conformance import REFUSED, task
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, file, flows, node, timer

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


@pytest.mark.django_db
@pytest.mark.parametrize(
    "root", ["<html/>", '<Package xmlns="http://www.wfmc.org/2009/XPDL2.2"/>', "<definitions/>"]
)
def test_another_language_is_no_bpmn_where_all_processes_are_checked_too(root: str) -> None:
    with pytest.raises(BadBpmn, match="It is not BPMN"):
        list(check_processes(root.encode()))


def at(content: bytes, element: str = "t") -> list[tuple[str, str]]:
    """Return code and message of the problems of one element, and see that they have its line."""
    line = next(n for n, text in enumerate(content.decode().splitlines(), 1) if f'id="{element}"' in text)
    found = problems(content)
    assert found and {(each.element, each.line) for each in found} == {(element, line)}, found
    return [(each.code, each.message) for each in found]


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
        (file(node("startEvent", "s"), node("task", "s")), "name_collides", "s"),
        (file(node("startEvent", "s"), node("subProcess", "u", node("startEvent", "b") + node("task", "i")),
              flows("s u", "b i", "s i")), "crosses_border", "s_i"),
        (file(node("startEvent", "s"), node("exclusiveGateway", "x"), node("task", "a"), node("task", "b"),
              flows("s x", "x a =a is null", "x b 1 = 1")), "bad_expression", "x_a"),
        (file(attributes(attribute("a", colour="red")), node("startEvent", "s")), "bad_option", ""),
    ],
)  # fmt: skip
def test_an_error_is_said_at_its_element(content: bytes, code: str, element: str) -> None:
    found = problems(content)
    assert (code, element) in {(each.code, each.element) for each in found}, found


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


def test_one_of_several_processes_is_named() -> None:
    second = '<bpmn:process id="q"><bpmn:startEvent id="z"/></bpmn:process>'
    assert read(file(node("startEvent", "s"), after=second))[1][0].message.startswith(
        "Process “q” is only drawn"
    )
    content = file(node("startEvent", "s"), after=second.replace('id="q"', 'id="q" isExecutable="true"'))
    with pytest.raises(BadBpmn, match="--process; found: p; q"):
        read(content)
    assert read(content, "q")[0].id == "q"
