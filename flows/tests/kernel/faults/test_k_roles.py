"""Roles of triggers: which names they have, and that no job is kept from a worker by one."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel


@pytest.fixture
def desk(kit: Kit) -> Kit:
    """Clerks check and file, a boss signs."""
    kit.attrs("checked", "signed", "filed")
    kit.trig("tr_check", "checked is null", role="Clerk")
    kit.trig("tr_file", "signed is not null and filed is null", role="Clerk")
    kit.trig("tr_sign", "checked is not null and signed is null", role="Boss")
    kit.trig("tr_note", "checked = 'never'")
    kit.final("filed is not null")
    return kit


@pytest.mark.parametrize("role", ["", "x", "x" * 60, "Clérigo, nível 2 (à tarde)", "'; drop", "Ärztin"])
def test_a_role_is_any_short_text_in_one_line(kit: Kit, role: str) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a is null", role=role)
    assert kit.one("select role from {f}.wed_trig") == role


@pytest.mark.parametrize("role", ["x" * 61, " x", "x ", " ", "a\nb", "a\tb", "\x1b[0m", None])
def test_another_text_is_rejected_with_its_limits(kit: Kit, role: str | None) -> None:
    kit.attrs("a")
    with refused("WD009") as why:
        kit.trig("tr_x", "a is null", role=role)
    assert "not a name of at most 60 characters in one line" in why.message
    assert why.facts["column"] == "role" and "empty text for none" in why.hint
    definition: Any = {
        "attributes": [{"name": "a"}],
        "triggers": [{"transition": "t", "predicate": "a is null", "role": role or "x\r"}],
    }
    with refused("WD009"):
        kit.publish(definition)
    (problem,) = api.conditions.check_definition(kit.name, definition, conn=kit.conn)
    assert (problem.code, problem.path) == ("WD009", ("triggers", 0, "role"))


def test_the_table_itself_accepts_no_other_text(kit: Kit) -> None:
    """Whoever writes the table without the kernel's functions, such as a restored dump, is held by it."""
    kit.attrs("a")
    kit.trig("tr_x", "a is null")
    kit.rows("set session_replication_role = replica")
    with refused("23514"):
        kit.rows("update wedsql.trig set role = 'x ' where trname = 'tr_x'")
    kit.rows("set session_replication_role = origin")


def test_a_role_keeps_no_worker_from_a_job_and_a_flow_on_the_fast_path(desk: Kit) -> None:
    assert desk.one("select plain from wedsql.flow where name = %s", [desk.name]) is True
    wid = desk.start()
    for transition, changes in (("tr_check", "checked"), ("tr_sign", "signed"), ("tr_file", "filed")):
        desk.run(transition, wid, **{changes: "yes"})
    assert desk.status(wid) == "F"


def test_a_role_is_changed_by_a_version_that_keeps_the_jobs(desk: Kit) -> None:
    wid = desk.start()
    before = desk.pending(wid)
    definition = api.flows.definition(desk.name, conn=desk.conn)
    for trigger in definition["triggers"]:
        trigger.pop("role", None)
    api.flows.publish(desk.name, definition, conn=desk.conn)
    assert desk.pending(wid) == before
    assert desk.rows("select distinct role from {f}.wed_trig") == [("",)]


def test_the_transitions_of_a_role_are_those_that_fire(desk: Kit) -> None:
    call = "select wedsql.transitions_of_role(%s, %s)"
    assert desk.one(call, [desk.name, "Clerk"]) == ["tr_check", "tr_file"]
    desk.rows("update {f}.wed_trig set role = 'Judge' where cfinal")
    for none in ("clerk", "", None, "Judge"):
        with refused("WD575") as why:
            desk.one(call, [desk.name, none])
        assert why.message.startswith(f'Flow "{desk.name}" has no transition of the role')
    with refused("WD001"):
        desk.one(call, ["no_such_flow", "Clerk"])


def test_a_key_of_a_role_is_for_its_transitions_when_it_is_made(desk: Kit) -> None:
    desk.policy(worker_keys=True)
    scope = api.workers.scope_of_role({desk.name: []}, "Clerk", conn=desk.conn)
    key = api.workers.create_key(f"clerk-{desk.name}", scope, "ann", conn=desk.conn)
    worker = desk.connect(user="wed_worker")
    api.workers.log_in(key, conn=worker)
    wid = desk.start()
    assert desk.take("tr_check", wid, conn=worker).wid == wid
    with refused("WD572"):
        desk.rows("select * from {f}.take('{{tr_sign}}', 1, 'clerk')", conn=worker)
    desk.rows("update {f}.wed_trig set role = 'Clerk' where trname = 'tr_sign'")
    with refused("WD572"):
        desk.rows("select * from {f}.take('{{tr_sign}}', 1, 'clerk')", conn=worker)
