"""What publishing or dropping a flow takes from persons is confirmed by every door, and recorded for them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from flows import api
from flows.capabilities.tasks.sentences import sentence
from flows.capabilities.tasks.tests.kernel.office import CLERK, only, violations
from flows.database_errors import translated
from flows.errors import HeldByOthers
from flows.tests.kit import Kit
from flows.types import DraftAt, GroupChoices, PublicationChoices
from flows.users.holdings import confirmed, held

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

Definition = dict[str, Any]


def running(kit: Kit) -> Definition:
    found: Definition = api.drafts.running_definition(kit.name, conn=kit.conn)[1]
    return found


def taken(kit: Kit, person: str = "ana") -> int:
    kit.start()
    task = only(kit, person, CLERK)
    api.tasks.take(task, person, CLERK, conn=kit.conn)
    return task


def lost(kit: Kit, person: str = "ana") -> list[str]:
    found = api.persons.messages(person, kind="o", conn=kit.conn)
    return [each.facts["transition"] for each in found if each.flow == kit.name]


def holders(kit: Kit) -> list[str]:
    return kit.one(
        "select array_agg(t.owner) from wedsql.task t where t.flow_id = %s and t.owner is not null"
        " and t.ended_at is null",
        [kit.id],
    ) or []  # fmt: skip


def changed(kit: Kit, **values: Any) -> Definition:
    """Return the definition with other options of the rule of the clerk; None takes an option away."""
    found = running(kit)
    of_clerk = next(one for one in found["triggers"] if one.get("transition") == "tr_check")
    other = {name: value for name, value in (of_clerk | values).items() if value is not None}
    return found | {"triggers": [other if one is of_clerk else one for one in found["triggers"]]}


def removed(kit: Kit) -> Definition:
    found = running(kit)
    return found | {"triggers": [one for one in found["triggers"] if one.get("transition") != "tr_check"]}


TAKES: dict[str, Callable[[Kit], Definition]] = {
    "the rule is removed": removed,
    "a worker performs it": lambda kit: changed(
        kit, performer="worker", role=None, offline=None, writes=None
    ),
    "its condition is changed": lambda kit: changed(kit, predicate="checked = 'again'"),
}
WITHDRAWN = GroupChoices(withdraw=(0,))
"""The jobs of the first rule, of which the condition no longer holds."""


def draft(kit: Kit, definition: Definition) -> DraftAt:
    opened = api.drafts.open(kit.name, conn=kit.conn)
    return api.drafts.save(opened.at, definition, conn=kit.conn).at


def refusal(kit: Kit, act: Callable[[], object], held: int) -> HeldByOthers | None:
    """Return why it is refused with this number, then nothing of it stays; None where it is done."""
    try:
        with confirmed(held), translated(), kit.conn.transaction():
            act()
    except HeldByOthers as error:
        return error
    return None


@pytest.mark.parametrize("what", TAKES)
def test_a_publication_asks_about_every_task_that_it_takes(office: Kit, what: str) -> None:
    taken(office)
    at = draft(office, TAKES[what](office))
    version = api.drafts.running_definition(office.name, conn=office.conn)[0]

    def publish() -> None:
        api.publications.request(
            at, PublicationChoices("so", groups=WITHDRAWN), actor="boss", conn=office.conn
        )

    for wrong in (0, 2):
        error = refusal(office, publish, wrong)
        assert error is not None and error.count == 1 and "ana (1)" in error.message
        assert (
            api.drafts.running_definition(office.name, conn=office.conn)[0] == version and lost(office) == []
        )
        (one,) = error.where["holders"]
        assert one["owner"] == "ana" and one["since"] is not None
    assert refusal(office, publish, 1) is None
    assert lost(office) == ["tr_check"] and holders(office) == [] and violations(office) == []


def test_what_takes_nothing_asks_nothing(office: Kit) -> None:
    taken(office)
    at = draft(office, changed(office, priority=7))
    assert refusal(office, lambda: api.publications.request(at, actor="boss", conn=office.conn), 0) is None
    api.drafts.discard(api.drafts.read(office.name, conn=office.conn).at, conn=office.conn)
    at = draft(office, removed(office))
    assert refusal(office, lambda: api.publications.request(at, actor="ana", conn=office.conn), 0) is None


def request(kit: Kit) -> None:
    api.publications.request(draft(kit, removed(kit)), actor="boss", conn=kit.conn)


def at_a_time(kit: Kit) -> None:
    at = kit.one("select wedsql.now()") + timedelta(hours=1)
    choices = PublicationChoices(publish_at=at)
    api.publications.request(draft(kit, removed(kit)), choices, actor="boss", conn=kit.conn)


def submit(kit: Kit) -> None:
    api.publications.submit(kit.name, removed(kit), actor="boss", numbered=True, conn=kit.conn)


def request_in_sql(kit: Kit) -> None:
    at = draft(kit, removed(kit))
    kit.rows("select wedsql.request_publication(%s, %s, %s, p_held => %s)", [*at, held()])


def publish_in_sql(kit: Kit) -> None:
    given = Jsonb(removed(kit))
    kit.rows("select wedsql.publish(%s, %s, p_held => %s)", [kit.name, given, held()])


def update_rows(kit: Kit) -> None:
    after = api.flows.last_loss(conn=kit.conn)
    kit.rows(
        "update wedsql.trig set performer = 'worker', role = '', offline = false"
        " where flow_id = %s and trname = 'tr_check'",
        [kit.id],
    )
    api.flows.confirm_losses(kit.name, after, held(), actor="boss", conn=kit.conn)


def drop(kit: Kit) -> None:
    api.flows.drop(kit.name, force=True, held=held(), conn=kit.conn)


DOORS = (request, at_a_time, submit, request_in_sql, publish_in_sql, update_rows, drop)


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_every_door_asks(office: Kit, door: Callable[[Kit], None]) -> None:
    taken(office)
    for wrong in (0, 2):
        error = refusal(office, lambda: door(office), wrong)
        assert error is not None and error.count == 1 and "ana (1)" in error.message
        assert holders(office) == ["ana"] and lost(office) == []
    assert refusal(office, lambda: door(office), 1) is None


def test_who_approves_is_asked_about_what_is_held_then(office: Kit) -> None:
    office.rows("update wedsql.flow set needs_approval = true where name = %s", [office.name])
    at = draft(office, removed(office))
    number = api.publications.request(at, actor="eva", conn=office.conn).id
    taken(office)
    assert refusal(office, lambda: api.publications.approve(number, actor="boss", conn=office.conn), 0)
    assert api.publications.read(number, conn=office.conn).status == "requested"
    assert not refusal(office, lambda: api.publications.approve(number, actor="boss", conn=office.conn), 1)
    assert lost(office) == ["tr_check"]


def test_an_earlier_version_is_published_again_after_the_same_question(office: Kit) -> None:
    office.rows("delete from {f}.wed_trig where trname = 'tr_check'")
    versions = api.publications.list_versions(office.name, conn=office.conn)
    before = min(each.version for each in versions)
    office.trig("tr_more", "signed is null", performer="person", role="Clerk")
    taken(office)

    def back() -> None:
        api.publications.request_rollback(office.name, before, actor="boss", conn=office.conn)

    error = refusal(office, back, 0)
    assert error is not None and error.count == 1
    assert refusal(office, back, 1) is None and lost(office) == ["tr_more"]


def test_the_reaper_asks_nobody(office: Kit) -> None:
    at = office.one("select wedsql.now()") + timedelta(minutes=1)
    made = draft(office, removed(office))
    api.publications.request(made, PublicationChoices(publish_at=at), actor="boss", conn=office.conn)
    taken(office)
    office.clock("2 minutes")
    assert api.publications.publish_due(conn=office.conn) == office.name
    assert lost(office) == ["tr_check"] and holders(office) == []


def test_who_held_tasks_of_a_dropped_flow_reads_who_dropped_it(office: Kit) -> None:
    name = office.name
    taken(office)
    office.rows("select set_config('wedsql.actor', 'boss', false)")
    api.flows.drop(name, force=True, conn=office.conn)
    (one,) = (each for each in api.persons.messages("ana", kind="o", conn=office.conn) if each.flow == name)
    assert (one.wid, one.job_id) == (0, None)
    assert (
        sentence(one) == f"boss deleted the flow “{name}” with its instances; 1 task or case of it was yours."
    )
    assert api.persons.mark_messages_read("ana", [one.id], conn=office.conn) == 1
    api.flows.create(name, conn=office.conn)


def test_a_dropped_flow_with_claimed_cases_names_their_owners(office: Kit) -> None:
    task = taken(office)
    api.tasks.fail(task, "ana", "torn", conn=office.conn)
    (case,) = api.cases.list([office.name], conn=office.conn)
    api.cases.claim(case.number, "eva", conn=office.conn)
    error = refusal(office, lambda: drop(office), 0)
    assert error is not None and "eva (1)" in error.message
