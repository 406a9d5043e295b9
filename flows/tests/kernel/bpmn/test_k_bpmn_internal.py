"""What only the database writes in a flow that was translated: tokens, counters and times."""

from __future__ import annotations

import pytest

from flows import api
from flows.errors.job import WriteSet
from flows.languages.bpmn import compile_process, read
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, file, flows, node
from flows.tests.bpmn.files.bpmn_running import publish, signal
from flows.tests.kit import Kit, refused, tgid
from flows.tests.people import PERSON, pending, take

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="the ways of a result are named here")]

PROCESS = file(
    attributes(attribute("note"), attribute("score", type="integer")),
    node("startEvent", "s"), node("parallelGateway", "g"),
    node("subProcess", "inner", node("startEvent", "b") + node("task", "work") + flows("b work")),
    node("userTask", "check"), node("receiveTask", "wait", messageRef="m"),
    flows("s g", "g inner", "g check", "g wait"),
    named='<bpmn:message id="m" name="Paid"/>',
)  # fmt: skip
ROW = file(node("startEvent", "s"), node("task", "one"), node("task", "two"), flows("s one", "one two"))
INTERNAL = compile_process(read(PROCESS)[0], "x").internal


@pytest.fixture
def wid(kit: Kit) -> int:
    publish(kit, PROCESS)
    return kit.start()


@pytest.mark.parametrize("name", INTERNAL)
def test_a_result_of_a_worker_that_writes_one_is_refused(kit: Kit, wid: int, name: str) -> None:
    before = kit.state(wid)
    with refused("WD210"):
        kit.run("work", wid, **{name: 7})
    with refused("WD210"), kit.conn.transaction():
        kit.lock(kit.conn, wid, tgid(kit, "work"))
        kit.rows(f"update {{f}}.wed_flow set {name} = {name} + 1 where wid = %s", [wid])
    assert kit.state(wid) == before
    kit.run("work", wid, note="n", score=1)


def test_a_result_of_a_person_a_message_or_an_operator_that_writes_one_is_refused(kit: Kit, wid: int) -> None:
    before = kit.state(wid)
    job = pending(kit, "check", wid)
    claim = take(kit, job).claim
    with refused("WD210"), kit.conn.transaction():
        api.tasks.complete(job, PERSON, {"tokens": 0}, claim=claim, conn=kit.conn)
    with refused("WD210"), kit.conn.transaction():
        signal(kit, "paid", wid, tokens=0)
    with refused("WD210"), kit.conn.transaction():
        arguments = {"job": pending(kit, "work", wid), "changes": {"tokens": 0}}
        api.repairs.repair(wid, "complete", arguments, "x", actor=PERSON, conn=kit.conn)
    assert kit.state(wid) == before


def test_a_result_that_the_fast_path_would_take_is_refused(kit: Kit) -> None:
    publish(kit, ROW)
    wid = kit.start()
    with refused("WD210"):
        kit.run("one", wid, t_one_two=5)
    kit.run("one", wid)
    assert kit.state(wid)["t_one_two"] == 1


def test_the_refusal_names_them(kit: Kit, wid: int) -> None:
    with pytest.raises(WriteSet, match="writes tokens, which only the database writes"):
        kit.run("work", wid, note="n", tokens=3)


def test_a_write_set_that_names_one_is_what_its_author_wants(kit: Kit) -> None:
    publish(
        kit, PROCESS.replace(b'<bpmn:task id="work" ', b'<bpmn:task id="work" wedsql:writes="note, tokens" ')
    )
    wid = kit.start()
    kit.run("work", wid, tokens=3)


def test_nothing_is_refused_where_the_flow_was_not_translated(kit: Kit) -> None:
    api.flows.publish(
        kit.name, compile_process(read(PROCESS)[0], kit.name).compiled.definition, conn=kit.conn
    )
    kit.run("work", kit.start(), tokens=5)
