"""Many tasks at once: each gets what it gets alone, and one that is rejected affects no other."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from flows import api
from flows.capabilities.tasks.api import HeldTask
from flows.capabilities.tasks.tests.kernel.office import BOSS, CLERK
from flows.capabilities.tasks.tests.kernel.test_k_task_verbs import STATES, Case
from flows.errors import BadDefinition, WedError
from flows.tests.kit import Kit, broken

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
DATA: dict[str, dict[str, Any]] = {
    "values": {"checked": "yes"},
    "no values": {},
    "wrong values": {"nothing": 1},
    "values of another": {"checked": "yes"},
}
AFTER = """
select jsonb_build_array(t.state, t.owner, t.audience, t.hidden_until is null, t.owned_at is null,
                         t.ended_at is null, t.ended_by, t.outcome, t.seq, i.status, i.seq)
from wedsql.task t join wedsql.instance i on i.wid = t.wid where t.job_id = %s
"""


@pytest.fixture
def busy(kit: Kit) -> Kit:
    """A flow whose instances can be in each of STATES."""
    kit.attrs("begun", "checked", "other")
    kit.trig("tr_begin", "begun is null", compensation="transition", compensated_by="tr_undo")
    options = {"performer": "person", "role": "Clerk", "writes": ["checked"], "offline": True}
    kit.trig("tr_check", "begun is not null and checked is null", **options)
    kit.trig("tr_other", "begun is not null and other is null", max_attempts=1)
    kit.final("other = 'end'")
    kit.policy(final_when_pending="cancel")
    return kit


def case_in(kit: Kit, state: str) -> Case:
    wid = kit.start()
    kit.run("tr_begin", wid, begun="yes")
    case = Case(kit, wid, kit.one("select job_id from wedsql.task where wid = %s", [wid]))
    STATES[state](case)
    return case


def after(case: Case) -> Any:
    """Return what a task and its instance are."""
    return case.kit.one(AFTER, [case.task])


def completes(verb: str) -> str:
    return "bob" if verb == "values of another" else "ana"


def ask_alone(kit: Kit, verb: str, task: int) -> tuple[str, Any]:
    """Return the error, or what a verb says about one task."""
    try:
        if verb in DATA:
            return "", api.tasks.complete(task, completes(verb), DATA[verb], conn=kit.conn)
        return "", shown(api.tasks.take(task, verb, CLERK, conn=kit.conn))
    except WedError as error:
        return error.code, None


def ask_many(kit: Kit, verb: str, tasks: list[int]) -> dict[int, tuple[str, Any]]:
    """Return the same of each of many tasks."""
    if verb in DATA:
        done = api.tasks.complete_many(dict.fromkeys(tasks, DATA[verb]), completes(verb), conn=kit.conn)
        return {one.job_id: (one.error.code if one.error else "", one.result) for one in done}
    taken = api.tasks.take_many(tasks, verb, CLERK, conn=kit.conn)
    return {one.job_id: (one.error.code if one.error else "", shown(one.held)) for one in taken}


def shown(held: HeldTask | None) -> Any:
    return held and (held.flow, held.transition, held.state, held.owner, held.claim > 0, held.due_at)


@pytest.mark.parametrize("verb", ["ana", "bob", *DATA])
def test_each_of_many_gets_in_each_state_what_it_gets_alone(busy: Kit, verb: str) -> None:
    """Taken by ana or by bob, or completed with these data by ana or by bob."""
    alone, together = ([case_in(busy, state) for state in STATES] for _ in range(2))
    expected = [(*ask_alone(busy, verb, case.task), after(case)) for case in alone]
    said = ask_many(busy, verb, [case.task for case in together])
    found = [(*said[case.task], after(case)) for case in together]
    assert dict(zip(STATES, found, strict=True)) == dict(zip(STATES, expected, strict=True))
    assert broken(busy) == []


def tasks_of(office: Kit, count: int) -> list[int]:
    for _ in range(count):
        office.start()
    return [task.job_id for task in api.tasks.open("ana", CLERK, conn=office.conn)]


def test_many_tasks_are_taken_and_completed_and_the_next_ones_begin(office: Kit) -> None:
    tasks = tasks_of(office, 5)
    taken = api.tasks.take_many(tasks, "ana", CLERK, conn=office.conn)
    assert {one.job_id for one in taken if one.held and one.held.state == "S"} == set(tasks)
    assert len({one.held.claim for one in taken if one.held}) == 5
    done = api.tasks.complete_many({key: {"checked": "yes"} for key in tasks}, "ana", conn=office.conn)
    assert all(one.result and one.result.fired == ["tr_sign"] for one in done)
    assert [task.transition for task in api.tasks.open("bob", BOSS, conn=office.conn)] == ["tr_sign"] * 5
    assert api.tasks.open("ana", BOSS, conn=office.conn) == []  # whoever checked does not sign
    assert broken(office) == []


def test_many_are_taken_and_completed_in_one_call_each_as_by_two(busy: Kit) -> None:
    """In each state, and by a person who may take them or not: what two calls do, one does."""
    for person, keys in (("ana", CLERK), ("bob", CLERK), ("bob", BOSS)):
        alone, together = ([case_in(busy, state) for state in STATES] for _ in range(2))
        expected = []
        for case in alone:
            if busy.one("select state from wedsql.task where job_id = %s", [case.task]) == "R":
                api.tasks.take_many([case.task], person, keys, conn=busy.conn)
            (done,) = api.tasks.complete_many({case.task: DATA["values"]}, person, conn=busy.conn)
            expected.append((done.error.code if done.error else "", done.result, after(case)))
        values = dict.fromkeys([case.task for case in together], DATA["values"])
        said = {one.job_id: one for one in api.tasks.complete_many(values, person, keys=keys, conn=busy.conn)}
        found = []
        for case in together:
            one = said[case.task]
            found.append((one.error.code if one.error else "", one.result, after(case)))
        for state, one, other in zip(STATES, found, expected, strict=True):
            if other[0] in ("WD591", "WD593") and one[0] in ("WD591", "WD593"):
                # who may not take it gets that error, not that it is not held
                one, other = one[1:], other[1:]
            assert one == other, (person, keys, state)
    assert broken(busy) == []


@pytest.mark.parametrize("held", [None, 0, 1])
@pytest.mark.parametrize("wrong", [None, 0, 1])
def test_two_tasks_of_one_instance_are_taken_and_completed_in_one_call(
    kit: Kit, held: int | None, wrong: int | None
) -> None:
    """One of them may be held before, and one may have a wrong value: then that one stays as it was."""
    kit.attrs("one", "two", "ended")
    for name in ("one", "two"):
        kit.trig(f"tr_{name}", f"{name} is null", performer="person", role="Clerk", writes=[name])
    kit.final("ended is not null")
    kit.start(one=None)
    found = api.tasks.open("ana", CLERK, conn=kit.conn)
    tasks = {one.job_id: {one.transition[3:]: "x"} for one in sorted(found, key=lambda each: each.job_id)}
    numbers = list(tasks)
    if held is not None:
        api.tasks.take(numbers[held], "ana", CLERK, conn=kit.conn)
    if wrong is not None:
        tasks[numbers[wrong]] = {"ended": "x"}
    done = {one.job_id: one.error for one in api.tasks.complete_many(tasks, "ana", keys=CLERK, conn=kit.conn)}
    assert [done[task] is None for task in numbers] == [wrong != place for place in (0, 1)]
    assert broken(kit) == []


def test_a_claim_of_an_earlier_holding_is_refused_and_the_task_stays_open(office: Kit) -> None:
    (task,) = tasks_of(office, 1)
    claim = api.tasks.take(task, "ana", CLERK, conn=office.conn).claim
    api.tasks.release(task, "ana", conn=office.conn)
    data = {task: {"checked": "yes"}}
    (done,) = api.tasks.complete_many(data, "ana", claims={task: claim}, keys=CLERK, conn=office.conn)
    assert done.error is not None and done.error.code == "WD593" and broken(office) == []
    assert [one.job_id for one in api.tasks.open("ana", CLERK, conn=office.conn)] == [task]


def test_one_wrong_value_rejects_one_task(office: Kit) -> None:
    tasks = tasks_of(office, 3)
    api.tasks.take_many(tasks, "ana", CLERK, conn=office.conn)
    results: dict[int, dict[str, Any]] = {task: {"checked": "yes"} for task in tasks}
    results[tasks[1]] = {"signed": "yes"}  # which it may not write
    done = {one.job_id: one for one in api.tasks.complete_many(results, "ana", conn=office.conn)}
    assert [done[task].error is None for task in tasks] == [True, False, True]
    assert [task.job_id for task in api.tasks.own("ana", conn=office.conn)] == [tasks[1]]
    again = api.tasks.complete_many({key: {"checked": "yes"} for key in tasks}, "ana", conn=office.conn)
    repeated = {one.job_id: one.result.repeated for one in again if one.result}
    assert repeated == {tasks[0]: True, tasks[1]: False, tasks[2]: True}
    assert broken(office) == []


def test_outcomes_set_their_values_and_an_unknown_one_is_an_error_of_each(office: Kit) -> None:
    tasks = tasks_of(office, 3)
    api.tasks.take_many(tasks, "ana", CLERK, conn=office.conn)
    api.tasks.complete_many({key: {"checked": "yes"} for key in tasks}, "ana", conn=office.conn)
    signs = [task.job_id for task in api.tasks.open("bob", BOSS, conn=office.conn)]
    api.tasks.take_many(signs, "bob", BOSS, conn=office.conn)
    wrong = api.tasks.complete_many({key: {} for key in signs}, "bob", "Perhaps", conn=office.conn)
    assert {one.error.code for one in wrong if one.error} == {"WD594"}
    done = api.tasks.complete_many({key: {} for key in signs}, "bob", "Approve", conn=office.conn)
    assert all(one.result and one.result.fired == ["tr_file"] for one in done)
    assert {task.outcome for task in api.tasks.done("bob", conn=office.conn)} == {"Approve"}
    assert broken(office) == []


def test_a_claim_of_an_earlier_holding_rejects_its_task(office: Kit) -> None:
    tasks = tasks_of(office, 2)
    claims = {
        one.job_id: one.held.claim
        for one in api.tasks.take_many(tasks, "ana", CLERK, conn=office.conn)
        if one.held
    }
    api.tasks.release(tasks[0], "ana", conn=office.conn)
    api.tasks.take(tasks[0], "ana", CLERK, conn=office.conn)
    results = {key: {"checked": "yes"} for key in tasks}
    done = api.tasks.complete_many(results, "ana", claims=claims, conn=office.conn)
    assert {one.job_id: one.error.code for one in done if one.error} == {tasks[0]: "WD593"}


def test_two_tasks_of_one_instance_are_both_completed(kit: Kit) -> None:
    kit.attrs("a", "b")
    for name in "ab":
        kit.trig(f"tr_{name}", f"{name} is null", performer="person", role="Clerk", writes=[name])
    kit.final("a is not null and b is not null")
    kit.start()
    tasks = {
        task.job_id: {task.transition[-1]: "yes"} for task in api.tasks.open("ana", CLERK, conn=kit.conn)
    }
    assert len(tasks) == 2
    api.tasks.take_many(list(tasks), "ana", CLERK, conn=kit.conn)
    done = api.tasks.complete_many(tasks, "ana", conn=kit.conn)
    assert sorted(one.result.status for one in done if one.result) == ["F", "R"]
    assert broken(kit) == []


def test_what_is_set_or_checked_at_taking_is_set_and_checked_for_each_of_many(kit: Kit) -> None:
    kit.attrs("a", "by")
    options = {"performer": "person", "role": "Clerk", "writes": ["a"]}
    kit.trig("tr_a", "a is null", sets_when_taken="by = 'taken'", **options)
    kit.final("a is not null")
    wids = [kit.start() for _ in range(3)]
    tasks = [task.job_id for task in api.tasks.open("ana", CLERK, conn=kit.conn)]
    assert all(one.held for one in api.tasks.take_many(tasks, "ana", CLERK, conn=kit.conn))
    assert [kit.state(wid)["by"] for wid in wids] == ["taken"] * 3


@pytest.mark.parametrize("options", [{}, {"revalidate": "at_take"}, {"concurrent": False}, {"mutex": "'x'"}])
def test_tasks_are_completed_in_the_transaction_in_which_jobs_were_taken(
    kit: Kit, options: dict[str, Any]
) -> None:
    """What a worker took before in the transaction can be completed afterwards, whatever its rule asks."""
    kit.attrs("done", "checked")
    kit.trig("tr_work", "done is null", **options)
    kit.trig("tr_check", "checked is null", performer="person", role="Clerk", writes=["checked"])
    kit.final("done is not null and checked is not null")
    wids = [kit.start() for _ in range(3)]
    tasks = [one.job_id for one in api.tasks.open("ana", CLERK, conn=kit.conn)]
    with kit.conn.transaction():
        job = kit.take("tr_work", wids[0])
        done = api.tasks.complete_many(
            {key: {"checked": "yes"} for key in tasks}, "ana", keys=CLERK, conn=kit.conn
        )
        assert [one.error for one in done] == [None] * 3
        kit.complete(job, {"done": "yes"})
    assert [kit.status(wid) for wid in wids] == ["F", "R", "R"]
    assert broken(kit) == []


def test_more_than_500_tasks_and_nobody_are_refused(office: Kit) -> None:
    for ask in (
        lambda: api.tasks.take_many(range(1, 502), "ana", CLERK, conn=office.conn),
        lambda: api.tasks.take_many([1], " ", CLERK, conn=office.conn),
        lambda: api.tasks.complete_many({key: {} for key in range(501)}, "ana", conn=office.conn),
    ):
        with pytest.raises(BadDefinition):
            ask()
    (unknown,) = api.tasks.take_many([0], "ana", CLERK, conn=office.conn)
    assert unknown.error is not None and unknown.error.code == "WD590"
    assert api.tasks.take_many([], "ana", CLERK, conn=office.conn) == []
    assert api.tasks.complete_many({}, "ana", conn=office.conn) == []


def test_of_many_who_take_many_in_other_orders_each_task_has_one_owner(office: Kit) -> None:
    tasks = tasks_of(office, 40)
    people = ["p0", "p1", "p2", "p3"]
    taken: dict[str, list[int]] = {}
    lines = [office.connect() for _ in people]

    def take(person: str, conn: Any, mine: list[int]) -> None:
        got = api.tasks.take_many(mine, person, CLERK, conn=conn)
        taken[person] = [one.job_id for one in got if one.held]

    threads = [
        threading.Thread(target=take, args=(person, conn, tasks[::-1] if n % 2 else tasks))
        for n, (person, conn) in enumerate(zip(people, lines, strict=True))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(task for each in taken.values() for task in each) == sorted(tasks)
    assert broken(office) == []
