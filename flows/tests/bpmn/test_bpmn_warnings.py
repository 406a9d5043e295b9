"""What BPMN allows and files of modellers have: warnings with names, encodings, ids of every kind."""

from __future__ import annotations

import pytest

from flows.languages.bpmn import compile_process, read
from flows.languages.bpmn.document.encodings import decoded
from flows.tests.bpmn.files.bpmn_conformance import task
from flows.tests.bpmn.files.bpmn_files import file, flows, node

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
         "The condition of the flow has no effect: startEvent “s” does not choose. Flows of activities and "
         "of exclusive, inclusive and complex gateways have conditions."),
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
