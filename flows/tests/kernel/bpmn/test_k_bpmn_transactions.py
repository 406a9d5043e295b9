"""Compensation that a process throws, and transactions that are cancelled: what is undone, in which order."""

from __future__ import annotations

import pytest

from flows.languages.bpmn import times
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, event, file, flows, node, timer
from flows.tests.bpmn.files.bpmn_running import publish
from flows.tests.kit import Kit, broken

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


def undoable(name: str) -> str:
    """Return a task with an event at its border that leads to the task that undoes it."""
    return (
        node("task", name)
        + node("boundaryEvent", f"{name}_border", event("compensate"), attachedToRef=name)
        + node("task", f"un{name}", isForCompensation="true")
        + f'<bpmn:association id="{name}_l" sourceRef="{name}_border" targetRef="un{name}"/>'
    )


def ran(kit: Kit, wid: int, *more: str) -> list[str]:
    """Perform the only job until none is left, and return the transitions in their order."""
    done: list[str] = [*more]
    for name in more:
        kit.run(name, wid)
    while kit.status(wid) == "R" and len(done) < 30:
        (job,) = kit.jobs(wid)
        kit.run(job, wid)
        done.append(job)
    return done


def test_an_event_undoes_what_was_performed_the_last_one_first_and_goes_on(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), undoable("hotel"), undoable("flight"), undoable("car"), node("task", "fail"),
        node("intermediateThrowEvent", "undo", event("compensate")), node("task", "sent"),
        node("endEvent", "e"), node("exclusiveGateway", "x", default="x_fail"),
        attributes(attribute("drives", type="boolean", default="false")),
        flows("s hotel", "hotel flight", "flight x", "x car =drives", "x fail", "car fail", "fail undo",
              "undo sent", "sent e"),
    ))  # fmt: skip
    wid = kit.start()
    undone = ["unflight", "unhotel", "sent"]
    assert ran(kit, wid) == ["hotel", "flight", "fail", *undone] and kit.status(wid) == "F"
    other = kit.start(drives=True)
    assert ran(kit, other) == ["hotel", "flight", "car", "fail", "uncar", *undone]
    assert broken(kit) == []


def test_an_event_that_names_an_activity_undoes_each_performance_of_it_alone(kit: Kit) -> None:
    publish(kit, file(
        attributes(attribute("again", type="boolean", default="false")),
        node("startEvent", "s"), undoable("a"), undoable("b"), node("endEvent", "e", event(
            "compensate", activityRef="a")),
        node("exclusiveGateway", "x", default="x_e"), flows("s a", "a b", "b x", "x a =again", "x e"),
    ))  # fmt: skip
    wid = kit.start(again=True)
    kit.run("a", wid)
    kit.run("b", wid)
    kit.run("a", wid, again=False)
    assert ran(kit, wid) == ["b", "una", "una"] and kit.status(wid) == "F" and broken(kit) == []


@pytest.mark.parametrize("order", ["abc", "bca", "cab"])
def test_activities_beside_each_other_are_undone_in_the_reverse_order_of_their_ends(
    kit: Kit, order: str
) -> None:
    inner = node("startEvent", "i") + undoable("c") + node("endEvent", "z") + flows("i c", "c z")
    publish(kit, file(
        node("startEvent", "s"), undoable("a"), undoable("b"), node("subProcess", "u", inner),
        node("parallelGateway", "f"), node("parallelGateway", "j"), node("endEvent", "e"),
        node("intermediateThrowEvent", "undo", event("compensate")),
        flows("s f", "f a", "f b", "f u", "a j", "b j", "u j", "j undo", "undo e"),
    ))  # fmt: skip
    wid = kit.start()
    for name in order:
        kit.run(name, wid)
    assert ran(kit, wid) == [f"un{name}" for name in reversed(order)]
    assert kit.status(wid) == "F" and broken(kit) == []


def test_performances_of_a_loop_are_undone_the_last_one_first(kit: Kit) -> None:
    publish(kit, file(
        attributes(attribute("again", type="integer", default="2")),
        node("startEvent", "s"), undoable("a"), undoable("b"),
        node("scriptTask", "n", "<bpmn:script>again = again - 1</bpmn:script>", scriptFormat="sql"),
        node("exclusiveGateway", "x", default="x_undo"),
        node("intermediateThrowEvent", "undo", event("compensate")), node("task", "c"),
        node("intermediateThrowEvent", "more", event("compensate")), node("endEvent", "e"),
        flows("s a", "a b", "b n", "n x", "x a =again>0", "x undo", "undo c", "c more", "more e"),
    ))  # fmt: skip
    wid = kit.start()
    undone = ["unb", "una", "unb", "una"]
    assert ran(kit, wid) == ["a", "b", "a", "b", *undone, "c"], "what was undone is not undone again"
    assert kit.status(wid) == "F" and broken(kit) == []


def test_what_is_still_performed_is_not_undone(kit: Kit) -> None:
    inner = (
        node("startEvent", "i") + undoable("c") + node("task", "d") + node("endEvent", "z")
        + flows("i c", "c d", "d z")
    )  # fmt: skip
    publish(kit, file(
        node("startEvent", "s"), undoable("a"), undoable("b"), node("subProcess", "u", inner),
        node("parallelGateway", "f"), node("endEvent", "e"), node("endEvent", "y"), node("endEvent", "v"),
        node("intermediateThrowEvent", "undo", event("compensate")), node("task", "go"),
        flows("s f", "f a", "f b", "f u", "f go", "a y", "b y", "u v", "go undo", "undo e"),
    ))  # fmt: skip
    wid = kit.start()
    for name in ("c", "a", "go"):
        kit.run(name, wid)
    assert sorted(kit.jobs(wid)) == ["b", "d", "una"], "only what is complete is undone"
    for name in ("una", "b", "d"):
        kit.run(name, wid)
    assert kit.status(wid) == "F" and broken(kit) == []


def booking(*, fails: bool = True) -> bytes:
    end = node("endEvent", "failed", event("cancel"))
    inner = (
        node("startEvent", "i") + undoable("hotel") + undoable("flight") + node("task", "check") + end
        + node("exclusiveGateway", "x", default="x_booked") + node("endEvent", "booked")
        + node("parallelGateway", "f") + node("task", "slow")
        + flows("i f", "f hotel", "f slow", "hotel flight", "flight check", "check x", "x failed =sold_out",
                "x booked")
    )  # fmt: skip
    return file(
        attributes(attribute("sold_out", type="boolean", default="false")),
        node("startEvent", "s"), node("transaction", "t", inner), node("task", "paid"),
        node("boundaryEvent", "c", event("cancel"), attachedToRef="t"), node("task", "sorry"),
        node("endEvent", "e"), flows("s t", "t paid", "paid e", "c sorry", "sorry e"),
    )  # fmt: skip


def test_a_transaction_that_is_cancelled_loses_its_tokens_is_undone_and_goes_on_at_its_border(
    kit: Kit,
) -> None:
    publish(kit, booking())
    wid = kit.start(sold_out=True)
    kit.run("hotel", wid)
    kit.run("flight", wid)
    assert sorted(kit.jobs(wid)) == ["check", "slow"]
    kit.run("check", wid)
    assert ran(kit, wid) == ["unflight", "unhotel", "sorry"], "the task beside was withdrawn"
    assert kit.status(wid) == "F" and broken(kit) == []


def test_a_transaction_that_is_not_cancelled_ends_as_a_subprocess(kit: Kit) -> None:
    publish(kit, booking())
    wid = kit.start()
    for name in ("hotel", "flight", "check", "slow"):
        kit.run(name, wid)
    assert ran(kit, wid) == ["paid"] and kit.status(wid) == "F" and broken(kit) == []


def test_a_subprocess_is_undone_by_its_event_subprocess_only_where_it_was_complete(kit: Kit) -> None:
    handler = node("startEvent", "on", event("compensate")) + node("task", "refund") + flows("on refund")
    inner = (
        node("startEvent", "i") + node("task", "pay") + flows("i pay")
        + node("subProcess", "h", handler, triggeredByEvent="true")
    )  # fmt: skip
    publish(kit, file(
        node("startEvent", "s"), node("subProcess", "u", inner), node("task", "next"),
        node("boundaryEvent", "late", timer("PT1H"), attachedToRef="u"), node("endEvent", "e"),
        node("intermediateThrowEvent", "undo", event("compensate")),
        flows("s u", "u next", "next undo", "late undo", "undo e"),
    ))  # fmt: skip
    wid = kit.start()
    assert ran(kit, wid) == ["pay", "next", "refund"] and kit.status(wid) == "F" and broken(kit) == []


@pytest.mark.parametrize(("text", "before", "after"), [("1000", "0", "2 s"), ("R2/PT1H", "59 min", "61 min")])
def test_a_time_of_another_engine_and_a_cycle_that_is_waited_for_once(
    kit: Kit, text: str, before: str, after: str
) -> None:
    form = "timeCycle" if text.startswith("R") else "timeDuration"
    publish(kit, file(
        node("startEvent", "s"), node("intermediateCatchEvent", "w", timer(text, form)), node("task", "t"),
        node("endEvent", "e"), flows("s w", "w t", "t e"),
    ))  # fmt: skip
    wid = kit.start()
    if before != "0":
        kit.clock(before)
        kit.rows("select wedsql.reap()")
        assert kit.jobs(wid) != ["t"]
    kit.clock(after)
    kit.rows("select wedsql.reap()")
    assert kit.jobs(wid) == ["t"]


def test_one_of_several_start_events_without_an_event_is_chosen_by_its_name(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s", name="By mail"), node("startEvent", "t", name="By phone"), node("task", "a"),
        node("task", "b"), node("endEvent", "e"), flows("s a", "t b", "a e", "b e"),
    ))  # fmt: skip
    assert kit.jobs(kit.start()) == ["a"]
    assert kit.jobs(kit.start(started_by="by_phone")) == ["b"] and broken(kit) == []


@pytest.mark.parametrize(
    ("form", "text", "read_as"),
    [
        ("duration", "1000", ("duration", "PT1S")),
        ("duration", "1d 2h", ("duration", "PT93600S")),
        ("duration", "250ms", ("duration", "PT0.25S")),
        ("cycle", "1s###2m", ("cycle", "R/PT120S")),
        ("duration", "timedelta(minutes=1, seconds=5)", ("duration", "PT65S")),
        ("duration", "tomorrow", ("duration", "tomorrow")),
        ("cycle", "0 9 * * *", ("cycle", "0 9 * * *")),
        ("duration", "timedelta(fortnights=1)", ("duration", "timedelta(fortnights=1)")),
    ],
)
def test_durations_of_other_engines_are_read(form: str, text: str, read_as: tuple[str, str]) -> None:
    assert times.simplified(form, text) == read_as
