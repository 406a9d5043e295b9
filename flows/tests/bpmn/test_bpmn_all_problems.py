"""All that is wrong with a process is found in one run, also by different parts of the import."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

import pytest

from flows.languages.bpmn import BadBpmn, BpmnProblem
from flows.languages.bpmn.document.vocabulary import MODEL
from flows.loading.bpmn import prepare_bpmn
from flows.tests.bpmn.files.bpmn_conformance import REFUSED
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, file, flows, node
from testkit.cases import some

pytestmark = pytest.mark.django_db
_AS = "other_"
# What only the database finds, beside what reading and the compiler find.
OF_DATA = {
    "an attribute of an unknown type": file(
        attributes(attribute("n", type="colour")), node("startEvent", "s"), node("task", "t"), flows("s t")
    ),
    "a name that is not declared": file(
        attributes(attribute("m", type="integer")), node("startEvent", "s"), node("inclusiveGateway", "g"),
        node("task", "t"), node("endEvent", "e"), flows("s g", "g t m &gt; 1", "g e strange &gt; 1", "t e"),
    ),
    "a condition without a truth value": file(
        attributes(attribute("k", type="integer")), node("startEvent", "s"), node("inclusiveGateway", "g"),
        node("task", "t"), node("endEvent", "e"), flows("s g", "g t k + 1", "g e k = 2", "t e"),
    ),
    "an expression that is not in the subset": file(
        node("startEvent", "s"), node("inclusiveGateway", "g"),
        node("task", "t"), node("endEvent", "e"), flows("s g", "g t =sort(m)", "g e =m = 2", "t e"),
    ),
}  # fmt: skip
CASES = {**REFUSED, **OF_DATA}


def both(one: bytes, other: bytes) -> bytes:
    """Return a file whose process has the parts of two; ids of the second one get a prefix."""
    first, second = (ElementTree.fromstring(content) for content in (one, other))  # noqa: S314 - written here
    ids = {each.get("id") for each in second.iter()} - {None}
    for each in second.iter():
        for key, value in each.attrib.items():
            if value in ids and "collection" not in key.lower():
                each.set(key, _AS + value)
        if (each.text or "").strip() in ids:
            each.text = _AS + (each.text or "").strip()
    processes = [root.find(f"{{{MODEL}}}process") for root in (first, second)]
    assert processes[0] is not None and processes[1] is not None
    for number, part in enumerate(each for each in second if each is not processes[1]):
        first.insert(number, part)
    processes[0].extend([*processes[1]])
    return ElementTree.tostring(first)


def errors(content: bytes) -> list[BpmnProblem]:
    with pytest.raises(BadBpmn) as caught:
        prepare_bpmn("flow_of_tests", content)
    return [each for each in caught.value.problems if each.severity == "error"]


def kinds(content: bytes, prefix: str = "") -> set[tuple[str, str]]:
    """Return code and element of each error; names that are not declared are in one list of the process."""
    found = ((each.code, "" if each.code == "unknown_names" else each.element) for each in errors(content))
    return {(code, element and prefix + element) for code, element in found}


@pytest.mark.parametrize(("one", "other"), some(combinations(CASES, 2), 9))
def test_two_faults_of_any_kinds_are_found_in_one_run(one: str, other: str) -> None:
    expected = kinds(CASES[one]) | kinds(CASES[other], _AS)
    found = kinds(both(CASES[one], CASES[other]))
    assert expected <= found


def test_a_problem_of_a_named_element_is_listed_once() -> None:
    content = OF_DATA["an expression that is not in the subset"].replace(
        b'id="g_t"', b'id="g_t" name="Large"'
    )
    found = [each for each in errors(content) if each.code == "bad_expression"]
    assert [(each.element, each.name) for each in found] == [("g_t", "Large")]
