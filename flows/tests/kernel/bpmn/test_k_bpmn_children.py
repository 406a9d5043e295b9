"""Call activities and multi-instance activities in BPMN: their jobs start child instances."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from flows import api
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, event, file, flows, node, timer
from flows.tests.bpmn.files.bpmn_running import perform, publish, visited
from flows.tests.children import children, go, statuses
from flows.tests.kit import Kit, broken
from flows.tests.people import done

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


def several(content: str, options: str = "", *, sequential: bool = False) -> str:
    """Return the multi-instance part of an activity."""
    tag = "multiInstanceLoopCharacteristics"
    order = ' isSequential="true"' if sequential else ""
    return f"<bpmn:{tag}{order} {options}>{content}</bpmn:{tag}>"


def cardinality(text: str) -> str:
    return f"<bpmn:loopCardinality>{text}</bpmn:loopCardinality>"


def passing(*parts: str) -> str:
    return f"<bpmn:extensionElements>{''.join(parts)}</bpmn:extensionElements>"


CALL = passing(
    '<wedsql:in target="asked" source="amount * 2"/>', '<wedsql:out target="granted" source="answer"/>'
)
DATA = attributes(
    attribute("amount", type="integer", default="0"), attribute("granted", type="integer"),
    attribute("number", business_key="true"), attribute("items", type="jsonb"),
    attribute("done", type="jsonb"), attribute("mark"),
)  # fmt: skip


@pytest.fixture
def bank(kit: Kit) -> Iterator[Kit]:
    """Another flow, which is called."""
    api.flows.create(f"{kit.name}_b", conn=kit.conn)
    other = Kit(f"{kit.name}_b", kit.connect)
    other.attr("asked", kind="integer")
    other.attr("answer", kind="integer")
    other.trig("grant", "answer is null")
    other.final("answer is not null")
    yield other
    api.flows.drop(other.name, force=True, conn=kit.conn)


def calling(kit: Kit, bank: Kit, inner: str = "", *parts: str) -> int:
    publish(kit, file(
        DATA, node("startEvent", "s"), node("callActivity", "ask", CALL + inner, calledElement=bank.name),
        node("task", "after"), node("endEvent", "e"), flows("s ask", "ask after", "after e"), *parts,
    ))  # fmt: skip
    wid = kit.start(amount=21, number="C-1", items=["a", "b"])
    go(kit)
    return wid


def test_a_call_passes_values_and_takes_those_of_the_child(kit: Kit, bank: Kit) -> None:
    wid = calling(kit, bank)
    (child,) = children(kit, wid)
    assert bank.state(child)["asked"] == 42 and kit.jobs(wid) == ["ask"]
    bank.run("grant", child, answer=7)
    go(kit)
    assert kit.state(wid)["granted"] == 7 and kit.jobs(wid) == ["after"]
    kit.run("after", wid)
    assert kit.status(wid) == "F" and broken(kit) == []


def test_a_time_at_a_call_cancels_the_child(kit: Kit, bank: Kit) -> None:
    wid = calling(
        kit, bank, "", node("boundaryEvent", "late", timer("P1D"), attachedToRef="ask"), flows("late after")
    )
    kit.reap("2 days")
    go(kit)
    assert (kit.jobs(wid), statuses(kit, wid)) == (["after"], "C")


def test_a_child_that_fails_is_an_error_of_its_call(kit: Kit, bank: Kit) -> None:
    wid = calling(
        kit, bank, "", node("boundaryEvent", "failed", event("error"), attachedToRef="ask"),
        node("task", "decide"), flows("failed decide"),
    )  # fmt: skip
    api.instances.cancel(children(kit, wid)[0], "x", conn=kit.conn)
    go(kit)
    assert kit.jobs(wid) == ["decide"] and kit.state(wid)["error"] is None


@pytest.mark.parametrize(
    ("inner", "answers"),
    [(several(cardinality("=amount - 18")), [1, 2, 3]),
     (several("", 'wedsql:collection="items" wedsql:item="asked"'), [1, 2])],
)  # fmt: skip
def test_a_call_for_each_returns_an_array(kit: Kit, bank: Kit, inner: str, answers: list[int]) -> None:
    back = passing('<wedsql:out target="done" source="answer"/>')
    content = file(
        DATA, node("startEvent", "s"),
        node("callActivity", "ask", back + inner, wedsql_flow=bank.name), node("endEvent", "e"),
        flows("s ask", "ask e"),
    )  # fmt: skip
    publish(kit, content)
    wid = kit.start(amount=21, items=[4, 5])
    go(kit)
    found = children(kit, wid)
    asked = [bank.state(child)["asked"] for child in found]
    assert len(found) == len(answers) and ("item" not in inner or asked == [4, 5])
    for child, answer in reversed([*zip(found, answers, strict=True)]):
        bank.run("grant", child, answer=answer)
    go(kit)
    assert (kit.state(wid)["done"], kit.status(wid)) == (answers, "F")


MANY = file(
    DATA, node("startEvent", "s"), node("task", "before"),
    node("userTask", "review", passing('<wedsql:out target="done" source="mark"/>')
         + several("<bpmn:completionCondition>=nrOfCompletedInstances >= 2</bpmn:completionCondition>",
                   'wedsql:collection="items" wedsql:item="item"'), name="Review the paper"),
    node("task", "after"), node("endEvent", "e"), node("endEvent", "e2"), node("task", "other"),
    node("boundaryEvent", "late", timer("P1D"), attachedToRef="review"),
    flows("s before", "before review", "review after", "after e", "late other", "other e2"),
)  # fmt: skip


def test_a_task_is_performed_for_each_item_by_children_of_the_flow(kit: Kit) -> None:
    publish(kit, MANY)
    wid = kit.start(amount=5, number="C-2", items=["a", "b", "c"])
    kit.run("before", wid)
    go(kit)
    first, second, third = children(kit, wid)
    assert [kit.state(each)["item"] for each in (first, second, third)] == ["a", "b", "c"]
    state = kit.state(second)
    assert (state["amount"], state["number"], state["i_review"], state["tokens"]) == (5, None, 2, 1)
    assert kit.jobs(first) == ["review"] and kit.jobs(wid) == ["review__all"]
    done(kit, "review", third, mark="z")
    assert kit.status(third) == "F", "it ends without what follows the activity"
    done(kit, "review", first, mark="x")
    go(kit)
    assert kit.jobs(wid) == ["after"] and statuses(kit, wid) == "FCF"
    assert kit.state(wid)["done"] == ["x", "z"], "what is cancelled has no value"
    kit.run("after", wid)
    assert kit.status(wid) == "F" and broken(kit) == []


def test_a_time_takes_all_performances_of_a_task(kit: Kit) -> None:
    publish(kit, MANY)
    wid = kit.start(items=["a", "b"])
    kit.run("before", wid)
    go(kit)
    kit.reap("2 days")
    go(kit)
    assert (kit.jobs(wid), statuses(kit, wid)) == (["other"], "CC")


def test_a_sub_process_is_performed_many_times_also_none(kit: Kit) -> None:
    inner = "".join((
        node("startEvent", "b"), node("task", "one"), node("task", "two"), node("endEvent", "z"),
        flows("b one", "one two", "two z"),
    ))  # fmt: skip
    publish(kit, file(
        DATA, node("startEvent", "s"), node("subProcess", "u", inner + several(cardinality("=amount"))),
        node("task", "after"), node("endEvent", "e"), flows("s u", "u after", "after e"),
    ))  # fmt: skip
    none, wid = kit.start(amount=0), kit.start(amount=2)
    go(kit)
    assert kit.jobs(none) == ["after"]
    for child in children(kit, wid):
        assert perform(kit, child, Random(1)) == ["one", "two"]  # noqa: S311
    go(kit)
    assert kit.jobs(wid) == ["after"] and statuses(kit, wid) == "FF" and broken(kit) == []


def test_items_of_a_collection_one_after_another(kit: Kit) -> None:
    inner = several(
        '<bpmn:completionCondition>mark = "enough"</bpmn:completionCondition>',
        'camunda:collection="items" camunda:elementVariable="item"', sequential=True,
    )  # fmt: skip
    publish(kit, file(DATA, node("startEvent", "s"), node("task", "t", inner), node("endEvent", "e"),
                      flows("s t", "t e")))  # fmt: skip
    wid, enough, none = kit.start(items=["a", 2, None]), kit.start(items=[1, 2]), kit.start()
    seen = []
    while kit.jobs(wid):
        seen.append(kit.state(wid)["item"])
        kit.run("t", wid)
    assert (seen, kit.status(wid), kit.status(none)) == (["a", 2, None], "F", "F")
    kit.run("t", enough, mark="enough")
    assert kit.status(enough) == "F" and visited(kit, enough)["t"] == 1


@pytest.mark.parametrize("stops", ["failure", "cancelled", "error"])
@pytest.mark.parametrize("host", ["call", "task", "sub-process"])
def test_an_error_of_one_child_is_caught_while_the_others_are_open(
    kit: Kit, bank: Kit, host: str, stops: str
) -> None:
    many = several(cardinality("3") + "<bpmn:completionCondition>=nrOfCompletedInstances >= 3"
                   "</bpmn:completionCondition>" * (host == "task"))  # fmt: skip
    failing = node("endEvent", "z", event("error", errorRef="x"))
    inner = node("startEvent", "b") + node("task", "grant") + failing + flows("b grant", "grant z")
    part = {
        "call": node("callActivity", "h", many, calledElement=bank.name),
        "task": node("task", "h", many, wedsql_max_attempts="1"),
        "sub-process": node("subProcess", "h", inner + many),
    }[host]
    publish(kit, file(
        DATA, node("startEvent", "s"), part, node("task", "after"), node("task", "decide"),
        node("boundaryEvent", "failed", event("error"), attachedToRef="h"),
        flows("s h", "h after", "failed decide"), named='<bpmn:error id="x" errorCode="X"/>',
    ))  # fmt: skip
    wid = kit.start()
    go(kit)
    first, second, third = children(kit, wid)
    its = bank if host == "call" else kit
    job = "h" if host == "task" else "grant"
    if stops == "cancelled":
        api.instances.cancel(second, "x", conn=kit.conn)
    elif stops == "error" and host == "sub-process":
        its.run(job, second)
    else:
        its.rows(f"update {{f}}.wed_trig set max_attempts = 1 where trname = '{job}'")
        its.fail(job, second)
    go(kit)
    assert kit.jobs(wid) == ["decide"] and kit.state(wid)["error"] is None
    assert [its.status(each) for each in (first, second, third)] == ["C", "C", "C"], "none stays open"
    assert broken(kit) == []


@pytest.mark.parametrize("catches", [True, False])
def test_a_child_that_fails_stops_the_start_of_the_others(kit: Kit, bank: Kit, catches: bool) -> None:
    """An error is caught, and a completion condition holds, before all children are started."""
    until = "=nrOfTerminatedInstances > 0"
    until = "" if catches else f"<bpmn:completionCondition>{until}</bpmn:completionCondition>"
    many = several(cardinality("50") + until)
    publish(kit, file(
        DATA, node("startEvent", "s"), node("callActivity", "h", many, calledElement=bank.name),
        node("boundaryEvent", "late", event("error") if catches else timer("P1D"), attachedToRef="h"),
        node("task", "after"), flows("s h", "h after", "late after"),
    ))  # fmt: skip
    wid = kit.start()
    kit.one("select wedsql.continue_children(1)")
    api.instances.cancel(children(kit, wid)[0], "x", conn=kit.conn)
    kit.one("select wedsql.continue_children(1)")
    assert kit.jobs(wid) == ["after"] and len(children(kit, wid)) == 1
    go(kit)
    assert statuses(kit, wid) == "C" and broken(kit) == []


@pytest.mark.parametrize("loop", ["", several(cardinality("2")), several(cardinality("2"), sequential=True)])
def test_what_a_call_may_write_does_not_limit_what_it_returns(kit: Kit, bank: Kit, loop: str) -> None:
    back = "done" if loop and "isSequential" not in loop else "granted"
    publish(kit, file(
        DATA, node("startEvent", "s"),
        node("callActivity", "ask", passing(f'<wedsql:out target="{back}" source="answer"/>') + loop,
             calledElement=bank.name, wedsql_writes="mark"),
        node("boundaryEvent", "failed", event("error"), attachedToRef="ask"), node("task", "after"),
        flows("s ask", "ask after", "failed after"),
    ))  # fmt: skip
    for result in ("granted", "failed"):
        wid = kit.start()
        while kit.jobs(wid) == ["ask"]:
            go(kit)
            for child in [each for each in children(kit, wid) if bank.status(each) == "R"]:
                if result == "granted":
                    bank.run("grant", child, answer=7)
                else:
                    api.instances.cancel(child, "x", conn=kit.conn)
            go(kit)
        assert kit.jobs(wid) == ["after"]
        assert result == "failed" or kit.state(wid)[back] in (7, [7, 7])
