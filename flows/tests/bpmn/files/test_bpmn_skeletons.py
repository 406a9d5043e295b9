"""The skeletons that tests.lockstep walks through: each process has one, which this engine reads."""

from __future__ import annotations

from xml.etree.ElementTree import fromstring

import pytest

from flows.languages.bpmn import compile_process, read
from flows.tests.bpmn.files.bpmn_conformance import SUPPORTED
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, file, flows, node, timer
from flows.tests.bpmn.files.skeletons import skeleton

IDS = ".//{*}process//*[@id]"


@pytest.mark.parametrize("what", SUPPORTED)
def test_the_skeleton_of_each_element_is_a_process_without_problems(what: str) -> None:
    made = skeleton(read(SUPPORTED[what][0])[0])
    process, warnings = read(made.ours.encode())
    assert not warnings and compile_process(process).compiled.definition["triggers"]
    for text in (made.ours, made.theirs):
        ids = [each.get("id") for each in fromstring(text).iterfind(IDS)]  # noqa: S314 - written here
        assert len(ids) == len(set(ids))


def test_a_skeleton_has_what_a_token_reaches_and_decides_by_values() -> None:
    parts = (
        node("startEvent", "s"), node("exclusiveGateway", "g", default="g_a"), node("userTask", "a"),
        node("scriptTask", "b"), node("intermediateCatchEvent", "w", timer("P1D")), node("task", "alone"),
        node("endEvent", "e"), flows("s g", "g a", "g b amount > 5", "a w", "a e", "w e", "b e", "alone e"),
    )  # fmt: skip
    made = skeleton(read(file(attributes(attribute("amount", type="numeric")), *parts))[0])
    assert sorted(set(made.names.values())) == ["a", "b", "e", "g", "s", "w"]
    assert made.conditions == ("c1",) and "=c1 = true" in made.ours and "amount" not in made.ours
    waits = [name for name, id_ in made.names.items() if id_ == "w" and name.startswith("m")]
    assert waits and all(f'messageRef="{waits[0]}"' in text for text in (made.ours, made.theirs))
    assert "parallelGateway" in made.theirs and "parallelGateway" not in made.ours
