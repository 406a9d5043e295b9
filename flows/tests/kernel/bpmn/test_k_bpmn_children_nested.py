"""Errors of children of children reach the error event around them, however both are performed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from flows import api
from flows.tests.bpmn.files.bpmn_files import event, file, flows, node
from flows.tests.bpmn.files.bpmn_running import publish
from flows.tests.children import children, go
from flows.tests.kit import Kit, broken
from testkit.cases import pairs, turn

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

SEVERAL = (
    "<bpmn:multiInstanceLoopCharacteristics><bpmn:loopCardinality>2</bpmn:loopCardinality>"
    "</bpmn:multiInstanceLoopCharacteristics>"
)
HOSTS = ("call", "calls", "sub-process", "sub-processes")
"""What contains something: a call or a sub-process, performed once or many times at once."""
LEAVES = ("call", "calls", "tasks")


def around(kit: Kit, host: str, ident: str, content: str, made: list[str]) -> str:
    """Return an activity that contains elements; a call has them in a flow of its own."""
    loop = SEVERAL if host.endswith("s") and host != "sub-process" else ""
    if host.startswith("sub"):
        return node("subProcess", ident, content + loop)
    called = f"{kit.name}_{ident}"
    api.flows.create(called, conn=kit.conn)
    made.append(called)
    publish(Kit(called, kit.connect), file(content))
    return node("callActivity", ident, loop, calledElement=called)


def alone(ident: str, element: str) -> str:
    return (
        node("startEvent", f"{ident}_b") + element + node("endEvent", f"{ident}_e")
        + flows(f"{ident}_b {ident}", f"{ident} {ident}_e")
    )  # fmt: skip


@pytest.fixture
def made(kit: Kit) -> Iterator[list[str]]:
    """The names of the flows that a test makes for its calls."""
    names: list[str] = []
    yield names
    for name in [kit.name, *names]:
        api.flows.drop(name, force=True, conn=kit.conn)
    api.flows.create(kit.name, conn=kit.conn)


def build(kit: Kit, hosts: tuple[str, ...], made: list[str], *, caught: bool = True) -> int:
    """Publish a task in these hosts, the first the outermost, with an error event at that; return a start."""
    leaf = hosts[-1]
    inner = node("task", "grant", SEVERAL if leaf == "tasks" else "", wedsql_max_attempts="1")
    content = alone("grant", inner)
    rest = hosts[:-1] if leaf == "tasks" else hosts
    for depth, host in reversed([*enumerate(rest)]):
        ident = f"h{depth}"
        content = around(kit, host, ident, content, made)
        content = alone(ident, content) if depth else content
    border = node("boundaryEvent", "failed", event("error"), attachedToRef="h0") if caught else ""
    publish(kit, file(
        node("startEvent", "s"), content, node("task", "after"), node("task", "decide"), border,
        flows("s h0", "h0 after", *["failed decide"] * caught),
    ))  # fmt: skip
    wid = kit.start()
    go(kit)
    return wid


def lowest(kit: Kit, wid: int) -> int:
    below = children(kit, wid)
    return lowest(kit, below[-1]) if below else wid


def fail(kit: Kit, wid: int) -> None:
    job = kit.rows("select j.trname from wedsql.job_pool j where j.wid = %s and j.tgid > 0", [wid])[0]
    flow = kit.one("select f.name from wedsql.instance i join wedsql.flow f on f.id = i.flow_id "
                   "where i.wid = %s", [wid])  # fmt: skip
    its = kit if flow == kit.name else Kit(flow, kit.connect)
    its.fail(job.trname, wid)
    assert its.status(wid) == "E"


def cancel(kit: Kit, wid: int) -> None:
    api.instances.cancel(wid, "x", conn=kit.conn)


# In a short run two hosts have one of the leaves, so that each host, outer or inner, has all of them, and a
# host alone has one or two of them.
CASES = [
    *pairs(HOSTS, LEAVES, 3),
    *(
        (outer, inner, leaf)
        for (i, outer), (j, inner) in product(enumerate(HOSTS), repeat=2)
        for leaf in turn(LEAVES, i + j)
        if (outer, inner) != ("sub-process", "sub-process")
    ),
]


@pytest.mark.parametrize("hosts", CASES, ids="-".join)
def test_the_exception_of_a_grandchild_reaches_the_event_around(
    kit: Kit, made: list[str], hosts: tuple[str, ...]
) -> None:
    wid = build(kit, hosts, made)
    fail(kit, lowest(kit, wid))
    go(kit)
    assert kit.jobs(wid) == ["decide"]
    open_ = kit.rows("select c.wid from wedsql.child c join wedsql.instance i using (wid) "
                     "where c.root_wid = %s and i.status not in ('F', 'C', 'A')", [wid])  # fmt: skip
    assert (open_, broken(kit)) == ([], [])


ONE_PROCESS = [each for each in CASES if not any(host.startswith("call") for host in each[:-1])]


@pytest.mark.parametrize("hosts", ONE_PROCESS, ids="-".join)
def test_a_grandchild_that_is_cancelled_reaches_the_event_of_its_process(
    kit: Kit, made: list[str], hosts: tuple[str, ...]
) -> None:
    wid = build(kit, hosts, made)
    cancel(kit, lowest(kit, wid))
    go(kit)
    assert (kit.jobs(wid), broken(kit)) == (["decide"], [])


def test_without_an_event_around_an_exception_below_is_waited_for(kit: Kit, made: list[str]) -> None:
    wid = build(kit, ("sub-processes", "tasks"), made, caught=False)
    fail(kit, lowest(kit, wid))
    go(kit)
    assert kit.status(wid) == "R" and kit.jobs(wid) == ["h0__all"]
    assert kit.one("select count(*) from wedsql.child c where c.root_wid = %s and c.state = 'X'", [wid]) == 0


def test_an_exception_below_counts_when_the_rule_changes(kit: Kit, made: list[str]) -> None:
    """A publication that counts exceptions as failed finds those that are there, at any depth."""
    wid = build(kit, ("calls", "calls", "call"), made, caught=False)
    fail(kit, lowest(kit, wid))
    go(kit)
    assert kit.one("select failed from wedsql.child_job where parent_wid = %s", [wid]) == 0
    kit.rows("update {f}.wed_trig set child_exception = 'fail' where trname = 'h0'")
    go(kit)
    assert kit.one("select failed from wedsql.child_job where parent_wid = %s", [wid]) == 1


def test_an_exception_below_is_counted_after_another_session_let_go(kit: Kit, made: list[str]) -> None:
    """A child that another session has locked is neither waited for nor forgotten."""
    wid = build(kit, ("calls", "call"), made)
    fail(kit, lowest(kit, wid))
    other = kit.connect()
    with other.transaction():
        kit.rows("select * from wedsql.child where parent_wid = %s for update", [wid], conn=other)
        assert go(kit) == 0 and "decide" not in kit.jobs(wid)
    go(kit)
    assert kit.jobs(wid) == ["decide"]
