"""Processes in BPMN as flows: what their diagrams say happens, in any order of the workers."""

from __future__ import annotations

from random import Random

import pytest

from flows import api
from flows.languages.bpmn import BadBpmn
from flows.languages.bpmn.compiler.graph_parts import OPTIONS
from flows.tests.bpmn.files.bpmn_files import ORDER, attribute, attributes, event, file, flows, node, timer
from flows.tests.bpmn.files.bpmn_running import perform, publish, signal, visited
from flows.tests.kit import Kit, broken, refused
from flows.tests.people import PERSON, done, pending, take
from testkit.cases import pairs

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


def test_an_order_is_performed_in_any_order_of_its_workers(kit: Kit) -> None:
    publish(kit, ORDER)
    orders = set()
    for seed in range(5):
        started = api.signals.send(
            kit.name, "order_received", {"number": f"A{seed}", "amount": 2000}, conn=kit.conn
        )
        wid = started.wid
        assert started.outcome == "started" and wid is not None
        orders.add(tuple(perform(kit, wid, Random(seed), pack={"packed": True})))  # noqa: S311
        assert kit.status(wid) == "F"
        seen = visited(kit, wid)
        assert {*seen} >= {"approve", "charge", "pack", "join", "delivered", "done"} and seen["pack"] == 1
        assert not {*seen} & {"declined", "late", "forgotten"}
    assert len(orders) > 1 and all(order[0] == "approve" for order in orders)
    assert broken(kit) == []


def test_an_order_is_packed_again_until_it_is_whole(kit: Kit) -> None:
    publish(kit, ORDER)
    wid = kit.start(amount=10)
    done(kit, "pack", wid)
    assert kit.jobs(wid) == ["charge", "pack"]
    done(kit, "pack", wid, packed=True)
    perform(kit, wid, Random(1))  # noqa: S311
    assert kit.status(wid) == "F" and visited(kit, wid)["pack"] == 2


def test_a_timer_at_an_activity_takes_its_token(kit: Kit) -> None:
    publish(kit, ORDER)
    wid = kit.start(amount=10)
    kit.run("charge", wid)
    kit.reap("1 hour")
    assert kit.jobs(wid) == ["pack"]
    kit.reap("3 hours")
    assert kit.jobs(wid) == ["remind"]
    kit.run("remind", wid)
    assert kit.jobs(wid) == ["delivered"]
    kit.reap("5 days")
    assert kit.jobs(wid) == ["ask"], "the timer of the gateway withdraws the waiting for the message"
    kit.run("ask", wid)
    assert kit.status(wid) == "F" and broken(kit) == []


def test_an_error_that_ends_the_process_withdraws_all_work(kit: Kit) -> None:
    publish(kit, ORDER)
    wid = kit.start(amount=10)
    task = pending(kit, "pack", wid)
    take(kit, task)
    kit.run("charge", wid, error="DECLINED")
    assert kit.status(wid) == "F" and kit.jobs(wid) == []
    assert kit.state(wid)["error"] is None and kit.state(wid)["tokens"] == 0
    assert visited(kit, wid)["refused"] == 1
    with refused("WD593"):
        api.tasks.complete(task, PERSON, conn=kit.conn)
    assert broken(kit) == []


def test_an_error_that_nothing_catches_is_refused_with_the_result(kit: Kit) -> None:
    publish(kit, ORDER)
    wid = kit.start(amount=10)
    for transition, code in (("charge", "LOST"), ("pack", "DECLINED")):
        with refused("WD530"), kit.step():
            done(kit, transition, wid, error=code)
    assert kit.jobs(wid) == ["charge", "pack"] and kit.state(wid)["error"] is None


INNER = (
    node("startEvent", "b"), node("task", "left"), node("task", "right"), node("parallelGateway", "split"),
    node("endEvent", "e1"), node("endEvent", "e2", event("error", errorRef="x")),
    node("exclusiveGateway", "choose", default="choose_e1"),
    flows("b split", "split left", "split right", "left e1", "right choose", "choose e2 bad", "choose e1"),
)  # fmt: skip
CLAIM = file(
    attributes(attribute("bad", type="boolean", default="false")),
    node("startEvent", "s"), node("subProcess", "work", "".join(INNER)), node("task", "after"),
    node("boundaryEvent", "failed", event("error", errorRef="x"), attachedToRef="work"),
    node("boundaryEvent", "slow", timer("P1D"), attachedToRef="work"),
    node("boundaryEvent", "stopped", event("message", messageRef="m"), attachedToRef="work"),
    node("task", "mend"), node("task", "chase"), node("endEvent", "end"),
    flows("s work", "work after", "failed mend", "slow chase", "stopped end", "after end", "mend end",
          "chase end"),
    named='<bpmn:message id="m" name="stop"/><bpmn:error id="x" errorCode="X"/>',
)  # fmt: skip


def test_a_subprocess_goes_on_when_nothing_interrupts_it(kit: Kit) -> None:
    publish(kit, CLAIM)
    for seed in range(3):
        wid = kit.start()
        random = Random(seed)  # noqa: S311
        for name in random.sample(["left", "right"], 2):
            kit.run(name, wid)
        assert kit.jobs(wid) == ["after"]
        kit.run("after", wid)
        assert kit.status(wid) == "F"
    assert broken(kit) == []


def test_an_error_in_a_subprocess_takes_all_its_tokens(kit: Kit) -> None:
    publish(kit, CLAIM)
    wid = kit.start()
    kit.run("right", wid, bad=True)
    assert kit.jobs(wid) == ["mend"]
    kit.run("mend", wid)
    assert kit.status(wid) == "F" and not visited(kit, wid)["left"]
    assert broken(kit) == []


def test_a_time_or_a_message_interrupts_a_subprocess(kit: Kit) -> None:
    publish(kit, CLAIM)
    slow, stopped = kit.start(), kit.start()
    kit.run("left", slow)
    assert signal(kit, "stop", stopped) == "delivered" and kit.status(stopped) == "F"
    kit.reap("2 days")
    assert kit.jobs(slow) == ["chase"]
    kit.run("chase", slow)
    assert kit.status(slow) == "F" and broken(kit) == []


def test_an_error_at_the_end_of_the_process_is_an_exception(kit: Kit) -> None:
    publish(kit, file(node("startEvent", "s"), node("task", "t"),
                      node("endEvent", "e", event("error", errorRef="x")),
                      flows("s t", "t e"), named='<bpmn:error id="x" errorCode="X"/>'))  # fmt: skip
    wid = kit.start()
    kit.run("t", wid)
    assert (kit.status(wid), kit.instance(wid).reason) == ("E", "STUCK")
    assert kit.state(wid)["ended_by"] == "X"


def test_loops_scripts_and_repetitions(kit: Kit) -> None:
    while_open = (
        '<bpmn:standardLoopCharacteristics loopMaximum="4"><bpmn:loopCondition>open</bpmn:loopCondition>'
    )
    thrice = '<bpmn:multiInstanceLoopCharacteristics isSequential="true"><bpmn:loopCardinality>=3'
    publish(kit, file(
        attributes(attribute("open", type="boolean", default="true"),
                   attribute("n", type="integer", default="0")),
        node("startEvent", "s"),
        node("task", "t", f"{while_open}</bpmn:standardLoopCharacteristics>"),
        node("task", "m", f"{thrice}</bpmn:loopCardinality></bpmn:multiInstanceLoopCharacteristics>"),
        node("scriptTask", "count", "<bpmn:script>n = n + 7</bpmn:script>", scriptFormat="sql"),
        node("endEvent", "e"), flows("s t", "t m", "m count", "count e"),
    ))  # fmt: skip
    wid, most = kit.start(), kit.start()
    kit.run("t", wid)
    kit.run("t", wid, open=False)
    perform(kit, wid, Random(1))  # noqa: S311
    assert kit.status(wid) == "F" and kit.state(wid)["n"] == 7
    assert [visited(kit, wid)[name] for name in ("t", "m", "count")] == [2, 3, 1]
    perform(kit, most, Random(1))  # noqa: S311
    assert kit.status(most) == "F" and visited(kit, most)["t"] == 4
    assert broken(kit) == []


def test_conditions_of_an_activity_its_events_and_its_links(kit: Kit) -> None:
    publish(kit, file(
        attributes(attribute("n", type="integer", default="0"), attribute("at", type="timestamptz")),
        node("startEvent", "s"), node("task", "t"), node("task", "a"), node("task", "b"),
        node("intermediateThrowEvent", "out", event("link", name="L")),
        node("intermediateCatchEvent", "in", event("link", name="L")),
        node("intermediateCatchEvent", "due", timer("=at", "timeDate")),
        node("intermediateCatchEvent", "enough",
             event("conditional", "<bpmn:condition>n &gt; 9</bpmn:condition>")),
        node("endEvent", "e"),
        flows("s t", "t a n &gt; 0", "t b n &gt; 1", "t out n &lt;= 0", "in due", "due enough", "enough e",
              "a e", "b e"),
    ))  # fmt: skip
    wid, waits = kit.start(), kit.start(at="2020-01-01T00:00Z")
    kit.run("t", wid, n=2)
    assert kit.jobs(wid) == ["a", "b"]
    perform(kit, wid, Random(1))  # noqa: S311
    assert kit.status(wid) == "F"
    kit.run("t", waits)
    kit.reap()
    assert visited(kit, waits)["due"] == 1 and kit.status(waits) != "F"
    api.repairs.repair(waits, "patch", {"changes": {"n": 10}}, "x", conn=kit.conn)
    assert kit.status(waits) == "F"


def test_a_compensation_is_that_of_the_kernel(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("task", "book"), node("task", "pay"), node("endEvent", "e"),
        node("boundaryEvent", "undo", event("compensate"), attachedToRef="book"),
        node("task", "cancel", isForCompensation="true"),
        '<bpmn:association id="x" sourceRef="undo" targetRef="cancel"/>',
        flows("s book", "book pay", "pay e"),
    ))  # fmt: skip
    wid = kit.start()
    kit.run("book", wid)
    api.compensations.abort(wid, "x", conn=kit.conn)
    assert kit.jobs(wid) == ["cancel"]
    kit.run("cancel", wid)
    assert kit.status(wid) == "A"


CAUGHT = file(
    attributes(attribute("note"), attribute("score"), attribute("other")),
    node("startEvent", "s"), node("parallelGateway", "g"), node("task", "pack", name="Pack"),
    node("task", "pay", name="Pay", wedsql_writes="note, score"), node("task", "after"), node("task", "mend"),
    node("boundaryEvent", "one", event("error", errorRef="x"), attachedToRef="pay"),
    node("boundaryEvent", "two", event("error", errorRef="y"), attachedToRef="pay"),
    flows("s g", "g pay", "g pack", "pay after", "one mend", "two mend"),
    named='<bpmn:error id="x" errorCode="DECLINED"/><bpmn:error id="y" errorCode="LOST"/>',
)  # fmt: skip


def test_an_error_that_is_caught_is_written_whatever_a_task_declares(kit: Kit) -> None:
    publish(kit, CAUGHT)
    wid = kit.start()
    with refused("WD210"), kit.step():
        kit.complete(kit.take("pay", wid), {"other": "x"})
    kit.run("pay", wid, error="DECLINED", note="n")
    state = kit.state(wid)
    assert {*kit.jobs(wid)} == {"mend", "pack"} and (state["error"], state["note"]) == (None, "n")


@pytest.mark.parametrize(
    ("transition", "code", "said"),
    [("pay", "GONE", "Pay: error is DECLINED or LOST"), ("pay", "", "Pay: error is DECLINED or LOST"),
     ("pack", "LOST", "only these end with an error: Pay")],
)  # fmt: skip
def test_an_error_that_nothing_catches_is_refused_with_those_that_are(
    kit: Kit, transition: str, code: str, said: str
) -> None:
    publish(kit, CAUGHT)
    wid = kit.start()
    with refused("WD530") as caught, kit.step():
        kit.complete(kit.take(transition, wid), {"error": code})
    assert said in caught.message


def test_a_condition_that_goes_on_holding_interrupts_once(kit: Kit) -> None:
    held = event("conditional", "<bpmn:condition>bad</bpmn:condition>")
    publish(kit, file(
        attributes(attribute("bad", type="boolean", default="false")), node("startEvent", "s"),
        node("boundaryEvent", "stopped", held, attachedToRef="work"), node("task", "mend"),
        node("exclusiveGateway", "g"), node("subProcess", "work", node("startEvent", "b")
             + node("task", "left") + node("task", "more") + flows("b left", "left more")),
        node("endEvent", "end"), flows("s g", "g work", "work end", "stopped mend", "mend g"),
    ))  # fmt: skip
    wid = kit.start()
    kit.run("left", wid, bad=True)
    assert kit.jobs(wid) == ["mend"]
    kit.run("mend", wid, bad=False)
    assert kit.jobs(wid) == ["left"] and broken(kit) == []


def test_an_empty_timeout_is_no_limit(kit: Kit) -> None:
    task = node("task", "t", wedsql_timeout="", wedsql_pickup_deadline="")
    publish(kit, file(node("startEvent", "s"), task, node("endEvent", "e"), flows("s t", "t e")))
    wid = kit.start()
    assert kit.rows("select timeout, pickup_deadline from {f}.wed_trig where trname = 't'") == [(None, None)]
    kit.run("t", wid)
    assert kit.status(wid) == "F"


NO_VALUE = [option.name for option in OPTIONS.values() if option.nullable and option.type != "text[]"]


@pytest.mark.parametrize(("name", "empty"), pairs(NO_VALUE, ["", " "], 2))
def test_an_option_that_is_left_empty_has_no_value(kit: Kit, name: str, empty: str) -> None:
    for tag in ("task", "userTask"):
        task = node(tag, "t", **{f"wedsql_{name}": empty})
        content = file(node("startEvent", "s"), task, node("endEvent", "e"), flows("s t", "t e"))
        try:
            publish(kit, content)
        except BadBpmn as error:
            assert "has no effect here" in str(error) or "is no option here" in str(error), error
        else:
            wid = kit.start()
            assert kit.jobs(wid) == ["t"]
            first = api.flows.definition(kit.name, conn=kit.conn)["triggers"][0]
            assert first.get(name) is None or name == "name", first
