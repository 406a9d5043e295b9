"""Flows that need an approval: a second person decides, and no session changes them directly."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flows import api
from flows.tests.kit import Connection, Kit, refused
from flows.tests.publication.publications import (
    BASE,
    LATER,
    MORE,
    NEW,
    OLD,
    changed,
    due,
    outcome,
    requested,
    transitions,
)

pytestmark = pytest.mark.kernel


def test_an_approval_is_of_another_person(guarded: Kit) -> None:
    waiting = requested(guarded, changed(guarded))
    assert (waiting.status, transitions(guarded)) == ("requested", OLD)
    for same in ("ann", "Ann", " ann "):
        with refused("WD303"):
            api.publications.approve(waiting.id, actor=same, conn=guarded.conn)
    done = api.publications.approve(waiting.id, actor="bob", note="good", conn=guarded.conn)
    assert (done.status, done.decided_by, done.note, transitions(guarded)) == (
        "published",
        "bob",
        "good",
        MORE,
    )
    last = api.publications.list_versions(guarded.name, conn=guarded.conn)[0]
    assert (last.actor, last.approver, last.publication_id) == ("ann", "bob", waiting.id)


def test_what_is_approved_is_what_is_published(guarded: Kit) -> None:
    at = changed(guarded)
    waiting = requested(guarded, at)
    seen = api.publications.read(waiting.id, conn=guarded.conn).definition
    assert seen is not None
    later = seen | {"triggers": [*seen["triggers"], NEW | {"transition": "tr_hidden"}]}
    api.drafts.save(at, later, conn=guarded.conn)
    api.publications.approve(waiting.id, actor="bob", conn=guarded.conn)
    assert transitions(guarded) == MORE
    # The draft was changed after the request: it is merged with what runs, and asked for again.
    draft = api.drafts.read(guarded.name, conn=guarded.conn)
    assert draft.stale and draft.definition == later
    merged, now = api.drafts.merge_running(draft, conn=guarded.conn)
    assert merged.conflicts == ()
    at = api.drafts.save(draft.at, merged.definition, base_version=now, conn=guarded.conn).at
    api.publications.approve(requested(guarded, at).id, actor="bob", conn=guarded.conn)
    assert sorted(transitions(guarded)) == sorted([*MORE, "tr_hidden"])


def test_a_definition_of_another_base_is_refused_and_can_be_merged(guarded: Kit) -> None:
    waiting = requested(guarded, changed(guarded))
    guarded.attr("c")  # the owner's change
    with refused("WD406") as why:
        api.publications.approve(waiting.id, actor="bob", conn=guarded.conn)
    assert "running_version" in why.detail
    with refused("WD406"):
        requested(guarded, api.drafts.read(guarded.name, conn=guarded.conn).at)
    assert api.publications.read(waiting.id, conn=guarded.conn).status == "requested"
    assert transitions(guarded) == OLD


def test_a_request_is_decided_once(guarded: Kit) -> None:
    at = changed(guarded)
    first = requested(guarded, at)
    done = api.publications.reject(first.id, note="not so", actor="bob", conn=guarded.conn)
    assert (done.status, done.note, done.decided_by) == ("rejected", "not so", "bob")
    second = requested(guarded, at)
    assert api.publications.withdraw(second.id, actor="ann", conn=guarded.conn).status == "withdrawn"
    for number in (first.id, second.id):
        for decide in (api.publications.approve, api.publications.reject, api.publications.withdraw):
            with refused("WD408"):
                decide(number, actor="cleo", conn=guarded.conn)
    assert transitions(guarded) == OLD
    assert api.publications.list(guarded.name, only_open=True, conn=guarded.conn) == []
    assert [one.id for one in api.publications.list(guarded.name, conn=guarded.conn)] == [second.id, first.id]
    with refused("WD407"):
        api.publications.read(first.id + 10**9, conn=guarded.conn)


DIRECT = [
    "insert into {f}.wed_attr (aname) values ('c')",
    "update {f}.wed_attr set label = 'new'",
    "insert into {f}.wed_trig (trname, cpred) values ('tr_x', 'true')",
    "update {f}.wed_trig set enabled = false",
    "delete from {f}.wed_trig",
    "delete from {f}.wed_attr where aname = 'b'",
    "insert into wedsql.trig (flow_id, trname, cpred)"
    " select id, 'tr_x', 'true' from wedsql.flow where name = '{n}'",
    "update wedsql.attr set label = 'new' where flow_id = (select id from wedsql.flow where name = '{n}')",
    "delete from wedsql.trig where flow_id = (select id from wedsql.flow where name = '{n}')",
    "update wedsql.flow set needs_approval = false where name = '{n}'",
    "update wedsql.flow set label = 'new' where name = '{n}'",
    "select wedsql.publish('{n}', wedsql.definition('{n}') || '{{\"needs_approval\": false}}')",
    "select wedsql.drop_flow('{n}', true)",
]


@pytest.mark.parametrize("statement", DIRECT)
def test_only_the_owner_changes_a_flow_that_needs_approval_directly(
    guarded: Kit, web: Connection, statement: str
) -> None:
    guarded.rows("grant usage on schema {f} to wed_web")
    guarded.rows("grant insert, update, delete on {f}.wed_attr, {f}.wed_trig to wed_web")
    before = api.flows.definition(guarded.name, conn=guarded.conn)
    text = statement.replace("{f}", guarded.name).format(n=guarded.name)
    with refused("WD302"):
        guarded.rows(text, conn=web)
    assert api.flows.definition(guarded.name, conn=guarded.conn) == before
    guarded.attr("by_the_owner")


def test_the_role_of_a_flow_changes_it_only_while_it_needs_no_approval(
    base: Kit, connect: Callable[..., Connection]
) -> None:
    base.rows("select wedsql.open_flow_role(%s)", [base.name])
    try:
        with connect(base.name, options="") as own:
            own.execute("insert into wed_attr (aname) values ('c')")
            base.policy(needs_approval=True)
            with refused("WD302"):
                own.execute("insert into wed_attr (aname) values ('d')")
    finally:
        base.rows("select wedsql.close_flow_role(%s)", [base.name])


def test_the_pages_may_demand_approval_and_then_not_change_it_alone(base: Kit, web: Connection) -> None:
    with web.transaction():
        base.rows("update wedsql.flow set needs_approval = true where name = %s", [base.name], web)
    with refused("WD302"):
        base.rows("update wedsql.flow set needs_approval = false where name = %s", [base.name], web)
    assert api.flows.publish(base.name, BASE, dry_run=True, conn=web).dry_run
    with refused("WD302"):
        api.flows.publish(base.name, BASE | {"label": "new"}, conn=web)


def test_a_change_after_a_publication_in_its_transaction_is_checked_too(
    guarded: Kit, web: Connection
) -> None:
    at = changed(guarded)
    waiting = requested(guarded, at, conn=web)
    with refused("WD302"), web.transaction():
        api.publications.approve(waiting.id, actor="bob", conn=web)
        web.execute("update wedsql.trig set enabled = false where trname = 'tr_two'")
    assert transitions(guarded) == OLD
    assert api.publications.approve(waiting.id, actor="bob", conn=web).status == "published"


def test_an_approval_needed_since_the_request_stops_it(base: Kit) -> None:
    waiting = requested(base, changed(base), LATER)
    base.rows("update wedsql.publication set needs_approval = false where id = %s", [waiting.id])
    # The version stays the same only if the setting is written past the kernel.
    base.rows("alter table wedsql.flow disable trigger user")
    base.policy(needs_approval=True)
    base.rows("alter table wedsql.flow enable trigger user")
    due(base)
    assert outcome(base, waiting).sqlstate == "WD302" and transitions(base) == OLD
