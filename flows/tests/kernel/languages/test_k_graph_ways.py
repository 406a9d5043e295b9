"""Exclusive gateways with many ways: several rules do what one rule does, and their size grows linearly."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from flows.errors import NoMatch
from flows.languages.bpmn import compile_process, read
from flows.languages.graph import ways
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, file, flows, node
from flows.tests.bpmn.files.bpmn_running import publish, visited
from flows.tests.kit import Kit, broken
from flows.tests.spread import seeds

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

PARTS = (
    "k = 1",
    "k &gt; 0",
    "k = null",
    "k &lt; 3",
    "n = 0",
    "n &gt; k",
    "k in (2, 3) or n = 2",
    "n = null",
    "k + n = 2",
)
VALUES = (None, -1, 0, 1, 2, 3)


def choosing(conditions: list[str], *, default: bool, joined: bool = False) -> bytes:
    """Return a process that chooses between tasks, each with the number of its flow."""
    names = [f"way_{n}" for n in range(len(conditions))]
    last = ["other"] if default else []
    before = [node("task", "first"), flows("s first", "first x")] if joined else [flows("s x")]
    return file(
        attributes(attribute("k", type="integer"), attribute("n", type="integer")),
        node("startEvent", "s"), *before, node("exclusiveGateway", "x", default="x_other" if default else ""),
        *(node("task", name) for name in (*names, *last)), node("endEvent", "e"),
        flows(*(f"x {name} {condition}" for name, condition in zip(names, conditions, strict=True))),
        flows(*(f"x {name}" for name in last), *(f"{name} e" for name in (*names, *last))),
    )  # fmt: skip


def ran(kit: Kit, content: bytes, states: list[dict[str, Any]]) -> list[Any]:
    """Return what instances with these data do, and after a repair where no condition held."""
    publish(kit, content)
    found: list[Any] = []
    for state in states:
        try:
            wid = kit.start(**state)
        except NoMatch:
            found.append(("no instance", [], 0))
            continue
        if "first" in kit.jobs(wid):
            kit.run("first", wid, k=state["n"], n=state["k"])
        found.append((kit.status(wid), kit.jobs(wid), kit.state(wid)["tokens"]))
        if kit.status(wid) == "R":
            fired = [name for name in visited(kit, wid) if name.startswith("x")]
            assert len(fired) == 1, "the gateway decides in one step"
    return found


@pytest.mark.parametrize("seed", seeds(6, short=3))
def test_several_rules_do_what_one_rule_does(kit: Kit, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)  # noqa: S311
    conditions = random.sample(PARTS, random.randint(2, 7))
    content = choosing(conditions, default=seed % 2 == 0, joined=seed % 3 == 0)
    states = [{"k": random.choice(VALUES), "n": random.choice(VALUES)} for _n in range(14)]
    one = ran(kit, content, states)
    monkeypatch.setattr(ways, "_ENOUGH", 10_000)
    for size in (1, 2, 3):
        monkeypatch.setattr(ways, "_LARGEST_GROUP", size)
        rules = compile_process(read(content)[0], kit.name).compiled.definition["triggers"]
        assert sum(rule.get("transition", "").startswith("x") for rule in rules) > 1
        assert ran(kit, content, states) == one, (size, conditions, states)
    assert broken(kit) == []


def size_of(ways_: int) -> int:
    content = choosing([f"k = {n}" for n in range(ways_)], default=True)
    rules = compile_process(read(content)[0]).compiled.definition["triggers"]
    return sum(len(rule["predicate"]) + len(rule["sets"]) for rule in rules if "sets" in rule)


def test_the_size_of_the_rules_grows_linearly() -> None:
    assert size_of(400) < 2.1 * size_of(200) < 4.5 * size_of(100)


@pytest.mark.parametrize("default", [True, False])
def test_a_gateway_with_two_hundred_ways_takes_the_first_that_holds(kit: Kit, default: bool) -> None:
    conditions = [f"k = {n} or n = {n}" for n in range(200)]
    states = [{"k": 0}, {"k": 199}, {"k": 103, "n": 7}, {"k": 200}]
    found = ran(kit, choosing(conditions, default=default), states)
    taken = [["way_0"], ["way_199"], ["way_7"], ["other"] if default else []]
    assert [jobs for _status, jobs, _tokens in found] == taken and broken(kit) == []
