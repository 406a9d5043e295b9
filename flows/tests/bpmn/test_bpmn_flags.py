"""True and false in BPMN are values of XML Schema, which has two spellings of each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flows.languages import bpmn
from flows.languages.bpmn import BadBpmn, compile_process, read
from flows.tests.bpmn.files.bpmn_conformance import (
    REFUSED,
    SUPPORTED,
    at,
    file,
    flows,
    node,
    start,
    task,
    timer,
)
from flows.tests.bpmn.habits.bpmn_habits import ONE, ad_hoc

SOURCES = Path(bpmn.__file__).parent
WRITTEN = re.compile(
    rb"(?<=[ ])(is\w+|\w+Activity|triggeredByEvent|testBefore|instantiate|readable|writable|required"
    rb"|parallelMultiple|waitForCompletion|cancelRemainingInstances)"
    rb'="(true|false)"'
)
LOOP = '<bpmn:standardLoopCharacteristics testBefore="true" loopMaximum="3"/>'
FIELDS = "".join(
    f'<f:formProperty xmlns:f="http://flowable.org/bpmn" id="{name}_{value}" {name}="{value}"/>'
    for name in ("readable", "writable", "required") for value in ("true", "false")
)  # fmt: skip
MORE = {
    "a loop that tests before": task(LOOP),
    "a start event that does not interrupt": file(
        node("startEvent", "s"), node("task", "t"), node("endEvent", "e"), flows("s t", "t e"),
        node("subProcess", "p", node("startEvent", "b", timer("PT1H"), isInterrupting="false")
             + node("endEvent", "z") + flows("b z"), triggeredByEvent="true"),
    ),
    "a process beside one that is executed": start().replace(
        b"<bpmn:process", b'<bpmn:process id="other" isExecutable="false"><bpmn:task id="u"/></bpmn:process>'
        b"<bpmn:process", 1),
    "an event that interrupts": at("task", "", timer("PT1H")).replace(
        b"<bpmn:boundaryEvent ", b'<bpmn:boundaryEvent cancelActivity="true" '),
    "a form": file(
        node("startEvent", "s"), flows("s t", "t e"), node("endEvent", "e"),
        node("userTask", "t", f"<bpmn:extensionElements>{FIELDS}</bpmn:extensionElements>"),
    ),
}  # fmt: skip
MORE |= {
    f"an ad-hoc sub-process, {cancels}": ad_hoc(ONE, until="=done", cancelRemainingInstances=cancels)
    for cancels in ("true", "false")
}
FILES = {what: content for what, (content, _becomes) in SUPPORTED.items()} | REFUSED | MORE


def in_digits(found: re.Match[bytes]) -> bytes:
    """Return the attribute as 1 or 0, with the spaces that XML Schema removes and the same length."""
    digit = b"1" if found[2] == b"true" else b"0"
    return found[1] + b'="' + digit.center(len(found[2])) + b'"'


def result(content: bytes) -> object:
    try:
        process, warnings = read(content)
        return compile_process(process).compiled.definition, warnings
    except BadBpmn as error:
        return error.problems


def with_flags() -> list[str]:
    return [what for what, content in FILES.items() if WRITTEN.search(content)]


@pytest.mark.parametrize("what", with_flags())
def test_one_and_zero_are_true_and_false(what: str) -> None:
    content = FILES[what]
    assert result(WRITTEN.sub(in_digits, content)) == result(content)


def test_each_attribute_that_is_true_or_false_is_tried_and_read_in_one_place() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.py")}
    read_as_flags = {name for text in texts.values() for name in re.findall(r'\.flag\(\s*"(\w+)"', text)}
    drawn = {"isHorizontal", "isExpanded"}
    tried = {found[1].decode() for content in FILES.values() for found in WRITTEN.finditer(content)}
    assert read_as_flags - drawn == tried
    compared = re.compile(r'get\("\w+"[^)]*\)\s*[!=]=\s*"(?:true|false)"|"(?:true|false)" in \(')
    assert [path.name for path, text in texts.items() if compared.search(text)] == []
