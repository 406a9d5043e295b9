"""Timers of BPMN whose time is an expression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flows.languages.bpmn import BadBpmn, compile_process, read
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, file, flows, node, timer
from flows.tests.bpmn.files.bpmn_running import publish
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


SPELLED = [
    "2027-06-01T12:00Z", "2027-06-01T12:00:00Z", "2027-06-01t12:00z", "2027-06-01 12:00Z",
    "2027-06-01T14:00+02", "2027-06-01T14:00+02:00", "2027-06-01T14:00:00.000+0200", "20270601T120000Z",
    "2027-W22-2T12:00Z", "2027-06-02T06:00:00+18:00", "2027-05-31T20:00-16:00", "2027-06-02T11:59+23:59",
    "2027-06-01T14:00@Europe/Berlin", "2027-06-01T14:00+02:00[Europe/Berlin]", "2027-06-01T12:00@UTC",
    "2027-06-01T14:00[Europe/Berlin]", "2027-06-01T09:00:00@America/Sao_Paulo",
]  # fmt: skip
NOT_SPELLED = [
    "2027-06-01x12:00Z", "2027-06-01O12:00Z", "2027-06-01_12:00Z",
    "2027-13-01T12:00Z", "2027-06-01T12:00:00+01:00[Europe/Berlin]",
    "2027-06-01T12:00[Europe/Nowhere]", "2027-10-31T02:30[Europe/Berlin]", "2027-03-28T02:30@Europe/Berlin",
    "2027-06-01[Europe/Berlin]",
    "0000-01-01T00:00Z", "2027-06-01T12:00:00+99:00", "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-12:00", "٢٠٢٧-06-01T12:00Z",
]  # fmt: skip
NO_CYCLES = [
    "R0/PT5S", "R00/PT5S", "R/PT0S", "R/P0D", "R/PT0H0M", "R3/PT0S", "R/PT0.5S", "R-1/PT1H", "R/", "R/P",
    "R1000000000/PT1H", "R/-PT1H", "R3/PT1H/2027-01-01T00:00Z", '=cycle(0, duration("PT5S"))',
    '=cycle(duration("PT0S"))', "R3/P1001Y", "R/P999999999M",
]  # fmt: skip


def at_start(text: str, form: str) -> bytes:
    """Return a process that a timer starts."""
    return file(node("startEvent", "wait", timer(text, form)), node("endEvent", "e"), flows("wait e"))


def beside(text: str, form: str) -> bytes:
    """Return a process with a timer that does not interrupt."""
    event = node("boundaryEvent", "wait", timer(text, form), attachedToRef="t", cancelActivity="false")
    return file(node("startEvent", "s"), node("task", "t"), node("endEvent", "e"), event, flows("s t", "t e"))


@pytest.mark.parametrize("text", SPELLED)
def test_a_moment_is_the_same_for_the_import_and_the_database(kit: Kit, text: str) -> None:
    expected = kit.one("select timestamptz '2027-06-01 12:00+00'")
    publish(kit, waiting(text, "timeDate"))
    assert kit.one("select d_wait from {f}.wed_flow where wid = %s", [kit.start()]) == expected
    publish(kit, at_start(text, "timeDate"))
    due = "select s.due_at from wedsql.start_time s join wedsql.flow f on f.id = s.flow_id where f.name = %s"
    assert kit.one(due, [kit.name]) == expected


@pytest.mark.parametrize("text", ["2027-06-01T12:00", "2027-06-01T12:00:00"])
def test_a_moment_without_an_offset_is_one_of_utc(kit: Kit, text: str) -> None:
    expected = kit.one("select timestamptz '2027-06-01 12:00+00'")
    publish(kit, waiting(text, "timeDate"))
    assert kit.one("select d_wait from {f}.wed_flow where wid = %s", [kit.start()]) == expected


@pytest.mark.parametrize("place", [beside, at_start])
def test_a_cycle_that_is_only_a_duration_has_no_end(kit: Kit, place: Any) -> None:
    publish(kit, place("PT1H", "timeCycle"))
    same = compile_process(read(place("R/PT1H", "timeCycle"))[0]).compiled.definition
    assert compile_process(read(place("PT1H", "timeCycle"))[0]).compiled.definition == same


@pytest.mark.parametrize("place", [waiting, at_start])
@pytest.mark.parametrize("text", NOT_SPELLED)
def test_another_spelling_is_refused_wherever_it_stands(kit: Kit, text: str, place: Any) -> None:
    with pytest.raises(BadBpmn) as caught:
        publish(kit, place(text, "timeDate"))
    (problem,) = caught.value.problems
    assert (problem.code, problem.element) == ("bad_time", "wait") and text in problem.message
    assert ("the time zone is not known" in problem.message) == ("[" in text or "@" in text)


@pytest.mark.parametrize("place", [waiting, at_start])
@pytest.mark.parametrize(
    "text", ["P1001Y", "P999999999M", "P999999999W", "P2000000D", "P999Y13M", "P178956971Y"]
)  # fmt: skip
def test_a_duration_of_more_than_a_thousand_years_is_refused(kit: Kit, text: str, place: Any) -> None:
    with pytest.raises(BadBpmn) as caught:
        publish(kit, place(text, "timeDuration"))
    assert [(each.code, each.element) for each in caught.value.problems] == [("bad_time", "wait")]


def test_the_longest_duration_has_an_end(kit: Kit) -> None:
    publish(kit, waiting("P1000Y", "timeDuration"))
    due = kit.one("select extract(year from due_at) from wedsql.timer where wid = %s", [kit.start()])
    assert 3000 < due < 3100


@pytest.mark.parametrize("place", [beside, at_start])
@pytest.mark.parametrize("text", NO_CYCLES)
def test_a_cycle_that_never_happens_or_at_once_is_refused(kit: Kit, text: str, place: Any) -> None:
    with pytest.raises(BadBpmn) as caught:
        publish(kit, place(text, "timeCycle"))
    assert [(each.code, each.element) for each in caught.value.problems] == [("bad_time", "wait")]


@pytest.mark.parametrize(
    ("text", "times"), [("R/PT1H", None), ("R1/PT1H", 1), ("R010/PT1H", 10), ("R2/P1D", 2)]
)
def test_a_cycle_is_the_same_at_a_start_and_beside_an_activity(
    kit: Kit, text: str, times: int | None
) -> None:
    publish(kit, at_start(text, "timeCycle"))
    found = "select (wedsql._repetition(s.entry)).times from wedsql.start_time s join wedsql.flow f"
    assert kit.one(f"{found} on f.id = s.flow_id where f.name = %s", [kit.name]) == times
    made = compile_process(read(beside(text, "timeCycle"))[0]).compiled.definition["triggers"]
    limit = next(each["predicate"] for each in made if each.get("transition") == "wait")
    assert (f"b_wait < {times}" in limit) if times else "b_wait" not in limit


def test_a_first_moment_is_for_starts_only(kit: Kit) -> None:
    publish(kit, at_start("R2/2026-01-01T00:00:00.000Z/PT15M", "timeCycle"))
    text = "R2/2026-01-01T00:00:00Z/PT5S"
    made = compile_process(read(beside(text, "timeCycle"))[0])
    assert made.warnings[0].message == f"The time of “wait”, “{text}”, is not read here."


ZONES = ("[Europe/Berlin]", "@Europe/Berlin", "[America/Argentina/ComodRivadavia]", "@UTC")


@pytest.mark.parametrize("place", [at_start, beside])
@pytest.mark.parametrize("zone", ZONES)
def test_a_cycle_with_the_name_of_a_zone_is_refused_for_the_zone(
    place: Callable[[str, str], bytes], zone: str
) -> None:
    for text in (f"R/2026-03-01T10:00:00+01:00{zone}/P1D", f"R3/2026-03-01T10:00{zone}/P1D",
                 f"R5/PT1H/2026-03-01T10:00:00.000000000000000000000000+01:00{zone}"):  # fmt: skip
        with pytest.raises(BadBpmn) as caught:
            compile_process(read(place(text, "timeCycle"))[0])
        said = str(caught.value)
        assert "a cycle follows no clocks of a time zone" in said and zone in said
