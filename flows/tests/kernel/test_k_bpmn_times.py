"""Timers of BPMN whose time is an expression."""

from __future__ import annotations

import pytest

from flows.tests.bpmn_files import attribute, attributes, file, flows, node, timer
from flows.tests.bpmn_running import publish
from flows.tests.kit import Kit, broken

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


def waiting(text: str, form: str) -> bytes:
    """Return a process with a task after a timer."""
    return file(
        attributes(attribute("due", type="timestamptz")),
        node("startEvent", "s"), node("intermediateCatchEvent", "wait", timer(text, form)),
        node("task", "t"), node("endEvent", "e"), flows("s wait", "wait t", "t e"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('=duration("PT3H")', "timeDuration"),
        ("${'PT3H'}", "timeDuration"),
        ('=now() + duration("PT3H")', "timeDate"),
        ("=due", "timeDate"),
        ("${due}", "timeDate"),
        ('=due + duration("PT0H")', "timeDate"),
        ('= due-duration( "PT0H" )', "timeDate"),
    ],
)
def test_a_timer_with_an_expression_waits_until_then(kit: Kit, text: str, form: str) -> None:
    publish(kit, waiting(text, form))
    wid = kit.start(due=kit.one("select wedsql.now() + interval '3 hours'").isoformat())
    kit.reap("2 hours")
    assert kit.jobs(wid) == []
    kit.reap("4 hours")
    assert kit.jobs(wid) == ["t"] and broken(kit) == []


@pytest.mark.parametrize(("sign", "before", "after"), [("-", 1, 3), ("+", 5, 7)])
def test_a_duration_is_added_to_a_moment_of_the_data(kit: Kit, sign: str, before: int, after: int) -> None:
    publish(kit, waiting(f'=due {sign} duration("PT1H60M")', "timeDate"))
    wid = kit.start(due=kit.one("select wedsql.now() + interval '4 hours'").isoformat())
    kit.reap(f"{before} hours")
    assert kit.jobs(wid) == []
    kit.reap(f"{after} hours")
    assert kit.jobs(wid) == ["t"]


def test_a_cycle_of_feel_happens_as_often_as_it_says(kit: Kit) -> None:
    often = timer('=cycle(2, duration("PT1H"))', "timeCycle")
    publish(kit, file(
        node("startEvent", "s"), node("task", "t"), node("task", "remind"), node("endEvent", "e"),
        node("boundaryEvent", "often", often, attachedToRef="t", cancelActivity="false"),
        flows("s t", "t e", "often remind"),
    ))  # fmt: skip
    wid = kit.start()
    for hours in range(2, 10, 2):
        kit.reap(f"{hours} hours")
    assert kit.state(wid)["tokens"] == 3 and broken(kit) == []
