"""What a drawing leaves out is a job of a person, who decides or says what the file does not."""

from __future__ import annotations

import pytest

from flows import api
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, event, file, flows, node
from flows.tests.bpmn.files.bpmn_running import publish
from flows.tests.children import children, go
from flows.tests.kernel.bpmn.test_k_bpmn_choices import choose
from flows.tests.kit import Kit, broken
from flows.tests.people import done

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

OPEN = {"a timer without a time": event("timer"), "a condition that is missing": event("conditional")}
MANY = '<bpmn:multiInstanceLoopCharacteristics isSequential="{}"/>'
BESIDE = {"cancelActivity": "false"}


@pytest.mark.parametrize("what", OPEN)
def test_a_person_says_when_an_event_happens(kit: Kit, what: str) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("intermediateCatchEvent", "w", OPEN[what], name="Until spring"),
        node("endEvent", "e"), flows("s w", "w e"),
    ))  # fmt: skip
    wid = kit.start()
    assert kit.jobs(wid) == ["w"] and done(kit, "w", wid) == "F" and broken(kit) == []


@pytest.mark.parametrize("what", OPEN)
def test_a_person_says_when_an_event_takes_an_activity(kit: Kit, what: str) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("task", "t"), node("endEvent", "e"), node("task", "late"),
        node("boundaryEvent", "b", OPEN[what], attachedToRef="t"), flows("s t", "t e", "b late"),
    ))  # fmt: skip
    wid = kit.start()
    assert sorted(kit.jobs(wid)) == ["b", "t"]
    done(kit, "b", wid)
    assert kit.jobs(wid) == ["late"], "the job is withdrawn"
    other = kit.start()
    assert str(kit.run("t", other).status) == "F", "and so is that of the event"
    assert broken(kit) == []


def test_an_event_beside_an_activity_happens_once_and_leaves_it(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("task", "t"), node("endEvent", "e"), node("task", "warn"),
        node("boundaryEvent", "b", event("timer"), attachedToRef="t", **BESIDE),
        flows("s t", "t e", "b warn"),
    ))  # fmt: skip
    wid = kit.start()
    done(kit, "b", wid)
    assert sorted(kit.jobs(wid)) == ["t", "warn"]
    kit.run("t", wid)
    assert str(kit.run("warn", wid).status) == "F" and broken(kit) == []


def test_the_events_after_a_gateway_and_at_a_subprocess_may_have_no_time(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("eventBasedGateway", "g"), node("endEvent", "e"), node("task", "o"),
        node("intermediateCatchEvent", "a", event("timer")), node("subProcess", "u", node("task", "i")),
        node("intermediateCatchEvent", "c", event("conditional")),
        node("boundaryEvent", "b", event("timer"), attachedToRef="u"),
        flows("s g", "g a", "g c", "a u", "c e", "u e", "b o"),
    ))  # fmt: skip
    wid = kit.start()
    assert sorted(kit.jobs(wid)) == ["a", "c"]
    done(kit, "a", wid)
    assert sorted(kit.jobs(wid)) == ["b__stop", "i"]
    done(kit, "b__stop", wid)
    assert kit.jobs(wid) == ["o"] and str(kit.run("o", wid).status) == "F" and broken(kit) == []


def test_people_or_a_signal_start_what_a_timer_without_a_time_would(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s", event("timer"), name="Each spring"), node("endEvent", "e"),
        node("startEvent", "n"), node("task", "t"), flows("s t", "t e", "n e"),
    ))  # fmt: skip
    assert kit.status(kit.start()) == "F"
    started = api.signals.send(kit.name, "each_spring", {}, conn=kit.conn)
    assert started.outcome == "started" and kit.jobs(started.wid or 0) == ["t"] and broken(kit) == []
    publish(kit, file(node("startEvent", "s", event("conditional")), node("task", "t"), flows("s t")))
    assert kit.jobs(kit.start()) == ["t"]


def test_a_person_ends_a_loop_without_a_condition(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("task", "t", "<bpmn:standardLoopCharacteristics/>", name="Knock"),
        node("endEvent", "e"), node("task", "a"), flows("s t", "t e", "t a"),
    ))  # fmt: skip
    wid = kit.start()
    for again in ("Again", "Again", "Enough"):
        kit.run("t", wid)
        assert kit.jobs(wid) == ["t_again"]
        choose(kit, "t_again", wid, again)
    assert kit.jobs(wid) == ["a"], "both flows are taken, as by any activity"
    assert str(kit.run("a", wid).status) == "F" and broken(kit) == []


@pytest.mark.parametrize("sequential", ["true", "false"])
def test_a_person_gives_the_number_of_a_multi_instance_activity(kit: Kit, sequential: str) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("task", "t", MANY.format(sequential), name="Knock"),
        node("endEvent", "e"), flows("s t", "t e"),
    ))  # fmt: skip
    wid = kit.start()
    assert kit.jobs(wid) == ["t_number"]
    done(kit, "t_number", wid, number_knock=2)
    if sequential == "true":
        kit.run("t", wid)
        assert kit.jobs(wid) == ["t"] and str(kit.run("t", wid).status) == "F"
    else:
        go(kit)
        for child in children(kit, wid):
            kit.run("t", child)
        go(kit)
        assert kit.status(wid) == "F"
    assert broken(kit) == []


def test_a_call_without_a_process_and_an_empty_subprocess_are_one_job(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("callActivity", "c"), node("subProcess", "u"), node("endEvent", "e"),
        node("task", "late"), node("boundaryEvent", "b", event("timer"), attachedToRef="u"),
        flows("s c", "c u", "u e", "b late"),
    ))  # fmt: skip
    wid = kit.start()
    done(kit, "c", wid)
    assert sorted(kit.jobs(wid)) == ["b", "u"]
    assert str(kit.run("u", wid).status) == "F" and broken(kit) == []


def test_a_process_and_a_subprocess_without_start_events_begin_with_what_nothing_leads_to(kit: Kit) -> None:
    inner = node("task", "i") + node("task", "j") + node("task", "k") + flows("i k", "j k")
    publish(kit, file(
        node("task", "a"), node("subProcess", "u", inner), node("task", "b"), node("parallelGateway", "g"),
        flows("a g", "b g", "g u"),
    ))  # fmt: skip
    wid = kit.start()
    assert sorted(kit.jobs(wid)) == ["a", "b"]
    kit.run("a", wid)
    kit.run("b", wid)
    assert sorted(kit.jobs(wid)) == ["i", "j"]
    for name in ("i", "j", "k", "k"):
        kit.run(name, wid)
    assert kit.status(wid) == "F" and broken(kit) == []


def test_a_worker_performs_a_script_and_the_database_one_in_feel(kit: Kit) -> None:
    given = attributes('<zeebe:script expression="= n * 2" resultVariable="n"/>')
    publish(kit, file(
        attributes(attribute("n", type="numeric", default="4")),
        node("startEvent", "s"), node("scriptTask", "twice", given), node("endEvent", "e"),
        node("scriptTask", "t", "<bpmn:script>print(n)</bpmn:script>", scriptFormat="python"),
        flows("s twice", "twice t", "t e"),
    ))  # fmt: skip
    wid = kit.start()
    assert kit.jobs(wid) == ["t"] and kit.state(wid)["n"] == 8
    assert str(kit.run("t", wid).status) == "F" and broken(kit) == []
