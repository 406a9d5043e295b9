"""A changed drawing is imported over living instances: each job that waits then is where a token is."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from flows import api
from flows.languages.bpmn import compile_process, read
from flows.loading.bpmn import ImportedProcess
from flows.tests.bpmn.files.bpmn_files import file, flows, node, timer
from flows.tests.bpmn.files.bpmn_running import visited
from flows.tests.children import children, go
from flows.tests.kit import Kit, broken, refused
from flows.tests.people import done
from testkit.cases import pairs, some

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

SEVERAL = (
    "<bpmn:multiInstanceLoopCharacteristics><bpmn:loopCardinality>2</bpmn:loopCardinality>"
    "</bpmn:multiInstanceLoopCharacteristics>"
)
IN_TURN = SEVERAL.replace("Characteristics>", 'Characteristics isSequential="true">', 1)
INNER = node("startEvent", "x") + node("task", "y") + node("endEvent", "z") + flows("x y", "y z")
OTHER = node("startEvent", "x") + node("task", "y2") + node("endEvent", "z") + flows("x y2", "y2 z")


def line(*nodes: str, more: str = "") -> bytes:
    """Return a process of these activities one after another; a name alone is a task."""
    made = [each if each.startswith("<") else node("task", each) for each in nodes]
    names = ["s", *(each.split('id="')[1].split('"')[0] for each in made), "e"]
    ways = flows(*(f"{one} {other}" for one, other in pairwise(names)))
    return file(node("startEvent", "s"), *made, node("endEvent", "e"), more, ways)


ACTIVITY = {
    "task": "a", "person": node("userTask", "a"), "several": node("task", "a", SEVERAL),
    "timer": node("intermediateCatchEvent", "a", timer("PT1H")), "gateway": node("exclusiveGateway", "a"),
    "sub-process": node("subProcess", "a", INNER), "sub-processes": node("subProcess", "a", SEVERAL + INNER),
    "in turn": node("task", "a", IN_TURN), "another sub-process": node("subProcess", "a", OTHER),
    "call": node("callActivity", "a", calledElement="gone"), "with a timer": "a",
}  # fmt: skip
LATE = (
    node("boundaryEvent", "late", timer("PT2H"), attachedToRef="a")
    + node("endEvent", "e2")
    + flows("late e2")
)
CHANGED = {
    "inserted before": line("n", "a", "b"), "inserted after": line("a", "n", "b"), "removed": line("b"),
    "renamed": line("a2", "b"), "in the other order": line("b", "a"),
}  # fmt: skip
TO = {name: line(each, "b", more=LATE if name == "with a timer" else "") for name, each in ACTIVITY.items()}
FROM = {name: each for name, each in TO.items() if name not in ("timer", "gateway", "call")}


def submit(kit: Kit, content: bytes) -> None:
    made = compile_process(read(content)[0], kit.name)
    source = ImportedProcess(content.decode(), made, ()).source
    api.publications.submit(kit.name, made.compiled.definition, source=source, conn=kit.conn)


def idle(kit: Kit, wid: int) -> list[str]:
    """Return the pending jobs of an instance whose condition does not hold."""
    found = kit.rows(
        "select j.trname, j.tgid, t.cpred from wedsql.job_pool j join {f}.wed_trig t on t.tgid = j.tgid"
        " where j.wid = %s and j.tgid > 0",
        [wid],
    )
    held = "select coalesce((select ({}) from {{f}}.wed_flow where wid = %s), false)"
    return [one.trname for one in found if not kit.one(held.format(one.cpred), [wid])]


def to_the_end(kit: Kit, wid: int, random: Random) -> None:
    for _ in range(12):
        go(kit)
        for child in children(kit, wid):
            for job in kit.jobs(child) if kit.status(child) == "R" else ():
                done(kit, job, child)
        go(kit)
        jobs = [each for each in kit.jobs(wid) if not each.endswith("__all")]
        if kit.status(wid) != "R":
            return
        if jobs:
            done(kit, random.choice(jobs), wid)
        else:
            kit.reap("3 hours")


@pytest.mark.parametrize(("before", "after"), pairs(FROM, [*CHANGED, *TO], 3))
def test_no_job_waits_without_its_token_after_a_changed_drawing(kit: Kit, before: str, after: str) -> None:
    submit(kit, FROM[before])
    wid = kit.start()
    go(kit)
    if after == "call" and "sub-process" not in before:  # a job that a worker performs gets no children
        with refused("WD007"):
            submit(kit, TO[after])
        assert kit.jobs(wid) and broken(kit) == []
        return
    submit(kit, CHANGED.get(after) or TO[after])
    assert idle(kit, wid) == [] and broken(kit) == []
    inner = {before, after} == {"sub-process", "another sub-process"}  # without the task that was performed
    assert after not in TO or after == "call" or inner or kit.status(wid) == "R", kit.story(wid)
    if after == "call" or kit.status(wid) == "E":
        return
    to_the_end(kit, wid, Random(before + after))  # noqa: S311 - the same order in each run
    assert kit.status(wid) == "F" and broken(kit) == []
    again = {name for name, times in visited(kit, wid).items() if name in ("a", "b", "n") and times > 1}
    assert again <= ({"a"} if "in turn" in (before, after) else set()), kit.story(wid)


@pytest.mark.parametrize("after", some([*CHANGED, *TO], 2))
def test_what_a_changed_drawing_starts_with_is_no_token_of_a_living_instance(kit: Kit, after: str) -> None:
    submit(kit, line("a", "b", "c"))
    wid = kit.start()
    done(kit, "a", wid)
    state, content = kit.state(wid), CHANGED.get(after) or TO[after]
    submit(kit, content)
    if kit.status(wid) == "E":  # its sequence flow leads elsewhere, or is gone
        return
    tokens = [name for name, number in kit.state(wid).items() if name.startswith("t_") and number > 0]
    assert len(tokens) == state["tokens"] == 1 and kit.jobs(wid) == ["b"], (tokens, kit.jobs(wid))
    done(kit, "b", wid)
    assert broken(kit) == []


@pytest.mark.parametrize("way", ["rolled back", "restored"])
def test_an_earlier_version_comes_back_with_its_drawing_and_gives_no_token(kit: Kit, way: str) -> None:
    kit.conn.execute("set client_encoding = 'UTF8'")  # labels of a drawing have arrows, which Latin-1 has not
    submit(kit, line("a", "b"))
    first = kit.one("select version from wedsql.flow where name = {n}")
    source = api.flows.read_source(kit.name, first, conn=kit.conn)
    submit(kit, line("n", "a", "b"))
    wid = kit.start()
    done(kit, "n", wid)
    if way == "restored":
        draft = api.drafts.open(kit.name, conn=kit.conn)
        saved = api.publications.restore_version(draft.at, first, conn=kit.conn)
        api.publications.request(saved.at, conn=kit.conn)
    else:
        api.publications.request_rollback(kit.name, first, conn=kit.conn)
    last = api.flows.read_source(kit.name, conn=kit.conn)
    assert source and last and (last["text"], last["map"]) == (source["text"], source["map"])
    assert kit.jobs(wid) == ["a"] and kit.state(wid)["t_s_a"] == 1
    done(kit, "a", wid)
    done(kit, "b", wid)
    assert kit.status(wid) == "F" and broken(kit) == []
