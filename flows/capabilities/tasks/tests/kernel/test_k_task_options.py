"""The options of the rules of tasks (T-025, T-034)."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.capabilities.tasks.tests.kernel.office import BOSS, CLERK, listed, only, violations
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel


def test_tasks_follow_the_options_of_their_rule(office: Kit) -> None:
    office.start()
    task = only(office, "ana", CLERK)
    office.rows("update {f}.wed_trig set role = 'Boss' where trname = 'tr_check'")
    assert listed(office, "ana", CLERK) == [] and only(office, "eva", BOSS) == task
    office.rows("update {f}.wed_trig set deadline = '1 hour' where trname = 'tr_check'")
    (found,) = listed(office, "eva", BOSS)
    assert found.due_at is not None and (found.due_at - found.arrived_at).total_seconds() == 3600
    office.rows(
        "update {f}.wed_trig set performer = 'worker', deadline = null, offline = false"
        " where trname = 'tr_check'"
    )
    assert listed(office, "eva", BOSS) == []
    assert list(api.jobs.take(office.name, ["tr_check"], conn=office.conn))
    office.rows("update {f}.wed_trig set performer = 'person' where trname = 'tr_check'")
    assert only(office, "eva", BOSS) == task and violations(office) == []


def test_a_sheet_has_what_the_task_needs_and_its_claim_only_for_the_owner(office: Kit) -> None:
    office.start(person="ana & co")
    task = only(office, "ana", CLERK)
    office.rows(
        "update {f}.wed_trig set application = 'https://x.example/{{person}}?a=1', description = 'Look.'"
        " where trname = 'tr_check'".replace("{{", "{").replace("}}", "}")
    )
    held = api.tasks.take(task, "ana", CLERK, conn=office.conn)
    sheet = api.tasks.read(task, "ana", conn=office.conn)
    assert (list(sheet.reads), list(sheet.writes), list(sheet.outcomes)) == (["checked"], ["checked"], [])
    assert sheet.application == "https://x.example/ana%20%26%20co?a=1"
    assert sheet.claim == str(held.claim) and api.tasks.read(task, "bob", conn=office.conn).claim is None
    with refused("WD590"):
        api.tasks.read(10**15, "ana", conn=office.conn)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"child": "other"}, "WD009"),
        ({"candidate": "none"}, "WD002"),
        ({"candidate": "n"}, "WD009"),
        ({"outcomes": ["Yes: a = 1/0"]}, "WD211"),
        ({"outcomes": ["Yes: none = 'x'"]}, "WD211"),
        ({"outcomes": ["Yes: a = 'x'", "yes: a = 'y'"]}, "WD009"),
        ({"outcomes": [": a = 'x'"]}, "WD009"),
        ({"outcomes": ["Yes: a = 'x'"], "writes": ["n"]}, "WD009"),
        ({"application": "javascript:alert(1)"}, "WD009"),
        ({"application": "//x.example"}, "WD009"),
        ({"application": "https://x/{none}"}, "WD002"),
        ({"deadline": "0"}, "WD009"),
    ],
)
def test_options_that_can_never_work_are_refused(kit: Kit, options: dict[str, Any], code: str) -> None:
    kit.attrs("a")
    kit.attr("n", kind="integer")
    with refused(code):
        kit.trig("t", "a is null", **{"performer": "person", **options})


def test_renaming_an_attribute_follows_in_the_options(kit: Kit) -> None:
    kit.attrs("a", "who")
    kit.trig(
        "t",
        "a is null",
        performer="person",
        candidate="who",
        outcomes=["Yes: a = 'x', who = null", "No"],
        application="/x/{who}/",
    )
    kit.rows("update {f}.wed_attr set aname = 'person' where aname = 'who'")
    (found,) = kit.rows("select candidate, outcomes, application from {f}.wed_trig where trname = 't'")
    assert tuple(found) == ("person", ["Yes: a = 'x', person = null", "No"], "/x/{person}/")
