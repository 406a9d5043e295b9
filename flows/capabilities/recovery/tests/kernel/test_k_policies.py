"""Recovery policies: what is done about cases by itself, before people are asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from flows import api
from flows.capabilities.cases.tests.kernel.test_k_case_people import together
from flows.capabilities.recovery.policies import RecoveryPolicy
from flows.errors import BadPolicy
from flows.tests.kit import Connection, Kit, broken, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attrs("a", "b")
    kit.trig("tr_x", "a = '1'", backoff="1 second", max_attempts=1)
    kit.trig("tr_y", "a = '2'", compensation="inverse")
    kit.final("a = 'end'")
    return kit


def save(kit: Kit, *policies: RecoveryPolicy) -> None:
    api.repairs.save_policies(kit.name, policies, "dora", conn=kit.conn)


def events(kit: Kit, wid: int) -> list[tuple[str, str]]:
    """Return the history of the cases of an instance: what, and by whom."""
    return [
        (row.kind, row.actor)
        for row in kit.rows(
            "select e.kind, e.actor from wedsql.case_event e join wedsql.repair_case c using (number)"
            " where c.wid = %s order by e.id", [wid])
    ]  # fmt: skip


def case_of(kit: Kit, wid: int) -> int:
    return int(kit.one("select max(number) from wedsql.repair_case where wid = %s", [wid]))


@pytest.fixture
def reaper(kit: Kit) -> Connection:
    return kit.connect("wed_reaper")


def test_a_policy_acts_so_often_and_then_leaves_the_case_to_people(shop: Kit, reaper: Connection) -> None:
    save(shop, RecoveryPolicy("again", "retry", cause="ATTEMPTS", transition="tr_x", times=2))
    wid, other = shop.start(a="1"), shop.start(a="2")
    for _time in range(2):
        shop.fail("tr_x", wid)
        assert (shop.status(wid), api.repairs.run_policies(conn=reaper)) == ("E", 1)
        assert (shop.status(wid), broken(shop)) == ("R", [])
    row = shop.trace(wid)[-1]
    assert (row.trw, row.actor, row.reason) == ("_RECOVER:retry", "policy:again", 'Policy "again".')
    shop.fail("tr_x", wid)
    assert api.repairs.run_policies(conn=reaper) == 0
    assert (shop.status(wid), shop.status(other)) == ("E", "R")
    assert ("policy", "policy:again") in events(shop, wid)
    assert events(shop, wid)[-1][0] in ("opened", "reopened")
    shop.fail("tr_x", (fresh := shop.start(a="1")))
    assert api.repairs.run_policies(conn=reaper) == 1, "the count is that of the instance"
    assert shop.status(fresh) == "R"


def test_the_first_policy_that_suits_acts(shop: Kit, reaper: Connection) -> None:
    save(
        shop,
        RecoveryPolicy("lost", "cancel", cause="WITHDRAWN"),
        RecoveryPolicy("rich", "patch", {"changes": {"a": "end"}}, condition="b = 'rich'"),
        RecoveryPolicy("other", "patch", {"changes": {"a": "2"}}, cause="STUCK"),
    )
    rich, poor = shop.start(a="1", b="rich"), shop.start(a="1")
    for wid in (rich, poor):
        shop.run("tr_x", wid, a="7")
    assert api.repairs.run_policies(conn=reaper) == 2
    assert (shop.status(rich), shop.status(poor), shop.jobs(poor)) == ("F", "R", ["tr_y"])
    assert broken(shop) == []


def test_a_policy_that_is_rejected_leaves_the_case_to_people(shop: Kit, reaper: Connection) -> None:
    save(
        shop,
        RecoveryPolicy("undo", "rollback", {"before": "tr_y"}, times=5),
        RecoveryPolicy("give_up", "cancel"),
    )
    wid = shop.start(a="1")
    shop.run("tr_x", wid, a="7")
    length = len(shop.trace(wid))
    for acted in (1, 0):
        assert api.repairs.run_policies(conn=reaper) == acted
    assert (shop.status(wid), len(shop.trace(wid))) == ("E", length)
    assert events(shop, wid)[1:] == [("policy", "policy:undo"), ("policy_rejected", "policy:undo")]
    shown = api.cases.read(case_of(shop, wid), conn=shop.conn)
    assert "no step of transition" in shown.history[-1].text
    assert broken(shop) == []


def test_a_policy_goes_back_before_a_transition(shop: Kit, reaper: Connection) -> None:
    save(shop, RecoveryPolicy("undo", "rollback", {"before": "tr_y"}))
    wid = shop.start(a="1")
    shop.run("tr_x", wid, a="2")
    shop.run("tr_y", wid, a="9")
    assert api.repairs.run_policies(conn=reaper) == 1
    assert (shop.status(wid), shop.state(wid)["a"], shop.jobs(wid)) == ("R", "2", ["tr_y"])
    assert broken(shop) == []


def test_a_policy_waits_and_does_nothing_while_a_person_has_the_case(shop: Kit, reaper: Connection) -> None:
    save(shop, RecoveryPolicy("skip", "skip", delay=3600))
    wid = shop.start(a="1")
    shop.fail("tr_x", wid)
    assert api.repairs.run_policies(conn=reaper) == 0
    api.cases.claim(case_of(shop, wid), "ana", 120, conn=shop.conn)
    shop.clock("1 hour", reaper)
    assert api.repairs.run_policies(conn=reaper) == 0
    api.cases.release(case_of(shop, wid), "ana", conn=shop.conn)
    assert api.repairs.run_policies(conn=reaper) == 1
    assert [row.trw for row in shop.trace(wid)][-1] == "_RECOVER:skip"
    assert broken(shop) == []


def test_a_person_who_claims_the_case_meanwhile_keeps_it(shop: Kit, reaper: Connection) -> None:
    save(shop, RecoveryPolicy("skip", "skip"))
    wid = shop.start(a="1")
    shop.fail("tr_x", wid)

    def claim(conn: Connection) -> None:
        conn.execute(f"select from {shop.name}.wed_flow where wid = %s for update", [wid])
        api.cases.claim(case_of(shop, wid), "ana", 120, conn=conn)

    _, second = together(shop, claim, lambda conn: api.repairs.run_policies(conn=conn))
    assert second.result(10) == 0, "the policy waited for the instance"
    assert shop.status(wid) == "E" and events(shop, wid)[-1] == ("claimed", "ana")


def test_timeout_is_an_attempt_that_ran_out_of_time(shop: Kit, reaper: Connection) -> None:
    save(shop, RecoveryPolicy("again", "retry", cause="TIMEOUT"))
    failed, late = shop.start(a="1"), shop.start(a="1")
    for wid in (failed, late):
        shop.fail("tr_x", wid)
    assert api.repairs.run_policies(conn=reaper) == 0
    shop.rows("update wedsql.job_pool set last_state = 'WD204' where wid = %s", [late])
    shop.rows("update wedsql.policy_wait set due_at = '-infinity'")
    assert api.repairs.run_policies(conn=reaper) == 1
    assert (shop.status(failed), shop.status(late)) == ("E", "R")


def test_saving_policies_has_them_act_on_cases_that_are_open(shop: Kit, reaper: Connection) -> None:
    save(shop, RecoveryPolicy("never", "cancel", cause="LOOP"))
    wid = shop.start(a="1")
    shop.fail("tr_x", wid)
    assert api.repairs.run_policies(conn=reaper) == 0
    save(shop, RecoveryPolicy("again", "retry"))
    assert api.repairs.run_policies(conn=reaper) == 1
    assert shop.status(wid) == "R"


GOOD: dict[str, Any] = {"name": "p", "operation": "retry"}


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"name": "P p"}, "WD534"),
        ({"cause": "BAD"}, "WD534"),
        ({"operation": "suspend"}, "WD534"),
        ({"transition": "tr_none"}, "WD534"),
        ({"times": 0}, "WD534"),
        ({"times": 101}, "WD534"),
        ({"delay": -1}, "WD534"),
        ({"condition": "a = '" + "x" * 4000 + "'"}, "WD534"),
        ({"condition": "nothing = 1"}, "WD005"),
        ({"operation": "rollback"}, "WD109"),
        ({"operation": "rollback", "arguments": {"before": "tr_none"}}, "WD534"),
        ({"operation": "retry", "arguments": {"before": "tr_x"}}, "WD109"),
        ({"operation": "patch", "arguments": {"changes": {"nothing": 1}}}, "WD002"),
    ],
)
def test_a_policy_that_cannot_be_saved(shop: Kit, values: dict[str, Any], code: str) -> None:
    save(shop, RecoveryPolicy("first", "cancel"))
    with refused(code):
        save(shop, RecoveryPolicy(**GOOD | values))
    with refused("WD534"):
        save(shop, RecoveryPolicy(**GOOD), RecoveryPolicy(**GOOD))
    assert [one.name for one in api.repairs.list_policies(shop.name, conn=shop.conn)] == ["first"]


def test_policies_are_listed_as_they_were_saved(shop: Kit, web: Connection) -> None:
    given = RecoveryPolicy("p", "patch", {"changes": {"a": "2"}}, "STUCK", "tr_x", "b = '1'", 3, 60)
    (found,) = api.repairs.save_policies(shop.name, [given], "dora", conn=web)
    assert (
        RecoveryPolicy(**{name: getattr(found, name) for name in RecoveryPolicy.__dataclass_fields__})
        == given
    )
    assert (found.changed_by, found.missing) == ("dora", [])
    with refused("42501"):
        api.repairs.run_policies(conn=web)


CAUSES = ("STUCK", "CONDITION_ERROR", "ATTEMPTS")
ARGUMENTS: dict[str, dict[str, Any]] = {
    "patch": {"changes": {"a": "2"}},
    "rollback": {"before": "tr_x"},
    "replay": {"before": "tr_x"},
}


def case_with(shop: Kit, cause: str) -> int:
    """Return an instance with an exception of a cause."""
    wid = shop.start(a="1")
    if cause == "ATTEMPTS":
        shop.fail("tr_x", wid)
    else:
        shop.run("tr_x", wid, a={"STUCK": "lost", "CONDITION_ERROR": "odd"}[cause])
    assert shop.instance(wid).reason == cause
    return wid


@pytest.mark.parametrize("cause", CAUSES)
def test_a_policy_that_is_rejected_when_it_is_saved_could_never_act(
    cause: str, shop: Kit, reaper: Connection
) -> None:
    """What is refused is refused for each case, and what is not is performed."""
    shop.trig("tr_z", "a = 'odd' and 1 / (length(a) - 3) > 0")
    never = []
    for operation in shop.one("select wedsql._policy_operations()"):
        policy = RecoveryPolicy("p", operation, ARGUMENTS.get(operation, {}), cause)
        wid = case_with(shop, cause)
        try:
            save(shop, policy)
        except BadPolicy as error:
            assert "never possible" in str(error)
            never.append(operation)
            save(shop, replace(policy, cause=""))
        assert api.repairs.run_policies(conn=reaper) == 1
        rejected = ("policy_rejected", "policy:p") in events(shop, wid)
        no_step = cause == "ATTEMPTS" and "before" in policy.arguments
        assert rejected == (operation in never or no_step), operation
        save(shop)
        if shop.status(wid) not in ("F", "C", "A"):
            api.instances.cancel(wid, "Done.", conn=shop.conn)
    assert "skip_compensation" in never and ("retry" in never) == (cause != "ATTEMPTS")
