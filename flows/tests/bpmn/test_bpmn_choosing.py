"""The elements at which no way on may be open, which pages and refused starts name."""

from __future__ import annotations

import pytest

from flows.languages.bpmn import compile_process, read
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, file, flows, node

WAYS = ("g a amount &gt; 100", "g b amount &lt;= 100")
FORKS = {
    "exclusive gateway": node("exclusiveGateway", "g", name="Large?"),
    "inclusive gateway": node("inclusiveGateway", "g", name="Large?"),
    "complex gateway": node("complexGateway", "g", name="Large?"),
    "gateway with one way": node("exclusiveGateway", "g", name="Large?"),
    "task": node("task", "g", name="Large?"),
    "call": node("callActivity", "g", name="Large?", calledElement="other"),
    "sub-process": node(
        "subProcess", "g", node("startEvent", "x") + node("endEvent", "z") + flows("x z"), name="Large?"
    ),
}
JOINS = {
    "default": (node("exclusiveGateway", "g", default="g_b"), flows("t g", WAYS[0], "g b")),
    "waiting for another token": (
        node("complexGateway", "g") + node("task", "u"), flows("s u", "u g", "t g", *WAYS)
    ),
}  # fmt: skip


def choosing(part: str, *leading: str) -> dict[str, str]:
    content = file(
        attributes(attribute("amount", type="integer")), node("startEvent", "s"), node("task", "t"), part,
        node("task", "a"), node("task", "b"), flows("s t"), *leading,
    )  # fmt: skip
    return compile_process(read(content)[0]).choosing


@pytest.mark.parametrize("what", FORKS)
def test_whatever_has_conditions_on_its_ways_is_named_where_none_holds(what: str) -> None:
    ways = WAYS[: 1 if "one way" in what else 2]
    assert set(choosing(FORKS[what], flows("t g", *ways)).values()) == {"Large?"}


@pytest.mark.parametrize("what", JOINS)
def test_what_always_has_a_way_or_waits_for_others_is_not_named(what: str) -> None:
    assert choosing(*JOINS[what]) == {}
