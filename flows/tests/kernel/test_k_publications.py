"""Publications: requested, approved by a second person, scheduled, refused if something else runs by now."""

from __future__ import annotations

import copy
import threading
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from flows import api
from flows.errors import WedError
from flows.tests.kit import Connection, Kit, refused
from flows.types import Draft, DraftAt, Publication, PublicationChoices
from testkit.waiting import until

pytestmark = pytest.mark.kernel
BASE: dict[str, Any] = {
    "attributes": [{"name": "a"}, {"name": "b"}],
    "triggers": [
        {"name": "one", "transition": "tr_one", "condition": "c1", "predicate": "a = '1'"},
        {"predicate": "a = 'end'", "final": True},
    ],
}
NEW = {"name": "two", "transition": "tr_two", "predicate": "b = '1'"}
LATER = PublicationChoices(publish_at=datetime.now(UTC) + timedelta(hours=1))


@pytest.fixture
def base(kit: Kit) -> Iterator[Kit]:
    """A published flow; its drafts and requests are deleted after the test."""
    api.publish(kit.name, BASE, conn=kit.conn)
    yield kit
    forget(kit.name, kit.conn)


@pytest.fixture
def guarded(base: Kit) -> Kit:
    """A flow whose definitions need an approval."""
    api.publish(base.name, BASE | {"needs_approval": True}, conn=base.conn)
    return base


@pytest.fixture
def web(connect: Callable[..., Connection]) -> Connection:
    """A session of the pages."""
    return connect("wed_web")


def forget(flow: str, conn: Connection) -> None:
    conn.execute("delete from wedsql.draft where flow = %s", [flow])
    conn.execute("delete from wedsql.publication where flow = %s", [flow])


def changed(kit: Kit, **options: Any) -> DraftAt:
    """Open a draft with one more trigger and return its revision."""
    draft = api.open_draft(kit.name, conn=kit.conn)
    definition = draft.definition | {"triggers": [*draft.definition["triggers"], NEW]} | options
    return api.save_draft(draft.at, definition, conn=kit.conn).at


def requested(
    kit: Kit, at: DraftAt, choices: PublicationChoices | None = None, **options: Any
) -> Publication:
    chosen = choices or PublicationChoices(reason="more work")
    return api.request_publication(at, chosen, **{"actor": "ann", "conn": kit.conn} | options)


def transitions(kit: Kit) -> list[str]:
    return [row.trname for row in kit.rows("select trname from {f}.wed_trig order by tgid")]


def version(kit: Kit) -> int:
    return api.running_definition(kit.name, conn=kit.conn)[0]


OLD, MORE = ["tr_one", "_FINAL"], ["tr_one", "_FINAL", "tr_two"]


def test_without_need_of_approval_it_is_published_at_once(base: Kit) -> None:
    wid = base.start(a="1", b="1")
    before = version(base)
    done = requested(base, changed(base))
    assert (done.status, done.version, done.requested_by) == ("published", before + 1, "ann")
    assert done.report is not None and done.report["fired"] == {"tr_two": 1}
    assert sorted(base.jobs(wid)) == ["tr_one", "tr_two"]
    first, second = api.list_versions(base.name, conn=base.conn)[:2]
    assert (first.version, first.actor, first.reason) == (before + 1, "ann", "more work")
    assert (first.publication_id, first.approver, second.publication_id) == (done.id, "", None)


def test_the_draft_goes_on_from_what_was_published(base: Kit) -> None:
    requested(base, changed(base))
    draft = api.read_draft(base.name, conn=base.conn)
    assert draft.definition == draft.base == api.running_definition(base.name, conn=base.conn)[1]
    assert not draft.stale and all("id" in each for each in draft.definition["triggers"])


def test_a_new_flow_is_created_by_its_publication(kit: Kit) -> None:
    name = f"new_{uuid.uuid4().hex[:12]}"
    try:
        draft = api.open_draft(name, definition=BASE, conn=kit.conn)
        with refused("WD402"):
            requested(kit, DraftAt(name, "main", 7))
        assert requested(kit, draft.at).version == 1
        assert api.start(name, {"a": "1"}, conn=kit.conn)
    finally:
        api.drop_flow(name, force=True, conn=kit.conn)
        forget(name, kit.conn)


def test_renaming_in_a_draft_renames_the_column(base: Kit) -> None:
    wid = base.start(a="1", b="kept")
    draft = api.open_draft(base.name, conn=base.conn)
    attributes = [draft.definition["attributes"][0], draft.definition["attributes"][1] | {"name": "stock"}]
    at = api.save_draft(draft.at, draft.definition | {"attributes": attributes}, conn=base.conn).at
    requested(base, at)
    assert base.state(wid) == {"a": "1", "stock": "kept"}


def test_names_that_are_exchanged_in_a_draft_exchange_the_columns(base: Kit) -> None:
    wid = base.start(a="1", b="2")
    draft = api.open_draft(base.name, conn=base.conn)
    first, second = draft.definition["attributes"]
    definition = copy.deepcopy(draft.definition)
    definition["attributes"] = [first | {"name": "b"}, second | {"name": "a"}]
    definition["triggers"][0]["predicate"] = "b = '1'"
    definition["triggers"][1]["predicate"] = "b = 'end'"
    requested(base, api.save_draft(draft.at, definition, conn=base.conn).at)
    assert base.state(wid) == {"a": "2", "b": "1"} and base.jobs(wid) == ["tr_one"]


def test_what_cannot_be_published_is_refused_when_it_is_requested(base: Kit, guarded: Kit) -> None:
    bad = changed(guarded, attributes=[{"name": "b"}])
    for choices in (PublicationChoices(), LATER):
        with refused("WD007"):
            requested(guarded, bad, choices)
    assert api.list_publications(guarded.name, conn=base.conn) == []
    assert transitions(base) == OLD and guarded.one("select count(*) from {f}.wed_trig") == 2


def test_an_approval_is_of_another_person(guarded: Kit) -> None:
    waiting = requested(guarded, changed(guarded))
    assert (waiting.status, transitions(guarded)) == ("requested", OLD)
    for same in ("ann", "Ann", " ann "):
        with refused("WD303"):
            api.approve_publication(waiting.id, actor=same, conn=guarded.conn)
    done = api.approve_publication(waiting.id, actor="bob", note="good", conn=guarded.conn)
    assert (done.status, done.decided_by, done.note, transitions(guarded)) == (
        "published",
        "bob",
        "good",
        MORE,
    )
    last = api.list_versions(guarded.name, conn=guarded.conn)[0]
    assert (last.actor, last.approver, last.publication_id) == ("ann", "bob", waiting.id)


def test_what_is_approved_is_what_is_published(guarded: Kit) -> None:
    at = changed(guarded)
    waiting = requested(guarded, at)
    seen = api.read_publication(waiting.id, conn=guarded.conn).definition
    assert seen is not None
    later = seen | {"triggers": [*seen["triggers"], NEW | {"transition": "tr_hidden"}]}
    api.save_draft(at, later, conn=guarded.conn)
    api.approve_publication(waiting.id, actor="bob", conn=guarded.conn)
    assert transitions(guarded) == MORE
    # The draft was changed after the request: it is merged with what runs, and asked for again.
    draft = api.read_draft(guarded.name, conn=guarded.conn)
    assert draft.stale and draft.definition == later
    merged, now = api.merge_running(draft, conn=guarded.conn)
    assert merged.conflicts == ()
    at = api.save_draft(draft.at, merged.definition, base_version=now, conn=guarded.conn).at
    api.approve_publication(requested(guarded, at).id, actor="bob", conn=guarded.conn)
    assert sorted(transitions(guarded)) == sorted([*MORE, "tr_hidden"])


def test_a_definition_of_another_base_is_refused_and_can_be_merged(guarded: Kit) -> None:
    waiting = requested(guarded, changed(guarded))
    guarded.attr("c")  # the owner's change
    with refused("WD406") as why:
        api.approve_publication(waiting.id, actor="bob", conn=guarded.conn)
    assert "running_version" in why.detail
    with refused("WD406"):
        requested(guarded, api.read_draft(guarded.name, conn=guarded.conn).at)
    assert api.read_publication(waiting.id, conn=guarded.conn).status == "requested"
    assert transitions(guarded) == OLD


def test_a_request_is_decided_once(guarded: Kit) -> None:
    at = changed(guarded)
    first = requested(guarded, at)
    done = api.reject_publication(first.id, note="not so", actor="bob", conn=guarded.conn)
    assert (done.status, done.note, done.decided_by) == ("rejected", "not so", "bob")
    second = requested(guarded, at)
    assert api.withdraw_publication(second.id, actor="ann", conn=guarded.conn).status == "withdrawn"
    for number in (first.id, second.id):
        for decide in (api.approve_publication, api.reject_publication, api.withdraw_publication):
            with refused("WD408"):
                decide(number, actor="cleo", conn=guarded.conn)
    assert transitions(guarded) == OLD
    assert api.list_publications(guarded.name, only_open=True, conn=guarded.conn) == []
    assert [one.id for one in api.list_publications(guarded.name, conn=guarded.conn)] == [second.id, first.id]
    with refused("WD407"):
        api.read_publication(first.id + 10**9, conn=guarded.conn)


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
    before = api.definition(guarded.name, conn=guarded.conn)
    text = statement.replace("{f}", guarded.name).format(n=guarded.name)
    with refused("WD302"):
        guarded.rows(text, conn=web)
    assert api.definition(guarded.name, conn=guarded.conn) == before
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
    assert api.publish(base.name, BASE, dry_run=True, conn=web).dry_run
    with refused("WD302"):
        api.publish(base.name, BASE | {"label": "new"}, conn=web)


def test_a_change_after_a_publication_in_its_transaction_is_checked_too(
    guarded: Kit, web: Connection
) -> None:
    at = changed(guarded)
    waiting = requested(guarded, at, conn=web)
    with refused("WD302"), web.transaction():
        api.approve_publication(waiting.id, actor="bob", conn=web)
        web.execute("update wedsql.trig set enabled = false where trname = 'tr_two'")
    assert transitions(guarded) == OLD
    assert api.approve_publication(waiting.id, actor="bob", conn=web).status == "published"


def test_an_approval_needed_since_the_request_stops_it(base: Kit) -> None:
    waiting = requested(base, changed(base), LATER)
    base.rows("update wedsql.publication set needs_approval = false where id = %s", [waiting.id])
    # The version stays the same only if the setting is written past the kernel.
    base.rows("alter table wedsql.flow disable trigger user")
    base.policy(needs_approval=True)
    base.rows("alter table wedsql.flow enable trigger user")
    due(base)
    assert outcome(base, waiting).sqlstate == "WD302" and transitions(base) == OLD


def due(kit: Kit, conn: Connection | None = None) -> None:
    """Publish everything whose time has come in two hours, as the reaper does."""
    session = conn or kit.conn
    kit.clock("2 hours", session)
    for _ in range(5):
        if api.publish_due(conn=session) is None:
            break
    kit.clock("0", session)


def outcome(kit: Kit, publication: Publication) -> Publication:
    return api.read_publication(publication.id, conn=kit.conn)


def test_it_is_published_at_its_time(guarded: Kit) -> None:
    waiting = requested(guarded, changed(guarded), LATER)
    due(guarded)
    assert outcome(guarded, waiting).status == "requested", "its time came before its approval"
    approved = api.approve_publication(waiting.id, actor="bob", conn=guarded.conn)
    assert approved.status == "approved" and transitions(guarded) == OLD
    assert api.publish_due(conn=guarded.conn) is None
    assert guarded.one("select wedsql.next_due()") <= LATER.publish_at
    due(guarded)
    assert (outcome(guarded, waiting).status, transitions(guarded)) == ("published", MORE)


@pytest.mark.parametrize("offset", [timedelta(seconds=-1), timedelta(days=4000)])
def test_a_time_that_is_none_is_refused(base: Kit, offset: timedelta) -> None:
    with refused("WD410"):
        requested(base, changed(base), PublicationChoices(publish_at=datetime.now(UTC) + offset))


def test_a_failure_is_kept_and_stops_no_other(base: Kit, connect: Callable[..., Connection]) -> None:
    """The first fails for good, the second is published; both were due in one round."""
    failing = requested(base, changed(base), LATER)
    other = f"g_{uuid.uuid4().hex[:12]}"
    api.create_flow(other, conn=base.conn)
    try:
        draft = api.open_draft(other, definition=BASE, conn=base.conn)
        fine = requested(base, draft.at, LATER)
        base.attr("c")
        due(base)
        failed = outcome(base, failing)
        assert (failed.status, failed.sqlstate) == ("failed", "WD406")
        assert failed.message and failed.tried_at
        assert outcome(base, fine).status == "published"
    finally:
        forget(other, base.conn)
        api.drop_flow(other, force=True, conn=base.conn)


def test_a_lock_delays_it_and_is_no_failure(base: Kit) -> None:
    waiting = requested(base, changed(base), LATER)
    other = base.connect()
    with other.transaction():
        other.execute(f"lock table {base.name}.wed_flow in row exclusive mode")
        due(base)
        tried = outcome(base, waiting)
        assert (tried.status, tried.sqlstate) == ("approved", "WD010")
        trouble = base.rows("select kind, item from wedsql.trouble where flow_id = %s", [base.id])
        assert [(row.kind, row.item) for row in trouble] == [("publication", waiting.id)]
    base.clock("3 hours")
    assert api.publish_due(conn=base.conn) == base.name
    assert outcome(base, waiting).status == "published"
    assert base.rows("select 1 from wedsql.trouble where flow_id = %s", [base.id]) == []


def test_two_reapers_publish_it_once(base: Kit) -> None:
    waiting = requested(base, changed(base), LATER)
    threads = [threading.Thread(target=due, args=(base, base.connect())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert outcome(base, waiting).status == "published" and transitions(base) == MORE


def test_an_earlier_version_is_published_again(guarded: Kit) -> None:
    before = version(guarded)
    api.approve_publication(requested(guarded, changed(guarded)).id, actor="bob", conn=guarded.conn)
    kept = guarded.one("select tgid from {f}.wed_trig where trname = 'tr_one'")
    back = api.request_rollback(guarded.name, before, actor="bob", conn=guarded.conn)
    assert (back.status, back.reason, back.revision) == ("requested", f"back to version {before}", None)
    api.approve_publication(back.id, actor="ann", conn=guarded.conn)
    assert transitions(guarded) == OLD and version(guarded) == before + 2
    assert guarded.one("select tgid from {f}.wed_trig where trname = 'tr_one'") == kept


def test_a_connection_lost_in_the_middle_leaves_nothing_half_done(base: Kit) -> None:
    """The backend is ended after it has changed the definition, while it waits for an instance."""
    wid, at = base.start(a="1", b="1"), changed(base)
    before = api.definition(base.name, conn=base.conn)
    base.rows("""create function public.wait_here() returns trigger language plpgsql as
        $$begin perform pg_advisory_xact_lock(77); return null; end$$;
        create trigger z_wait after insert on wedsql.flow_version
        for each row execute function public.wait_here()""")
    gate, victim = base.connect(), base.connect()
    lost: list[type] = []

    def publish() -> None:
        try:
            requested(base, at, conn=victim)
        except WedError as error:
            lost.append(type(error))

    try:
        gate.execute("select pg_advisory_lock(77)")
        thread = threading.Thread(target=publish)
        thread.start()
        waits = "select count(*) = 1 from pg_locks where pid = %s and locktype = 'advisory' and not granted"
        until(lambda: base.one(waits, [victim.info.backend_pid], gate))
        gate.execute("select pg_terminate_backend(%s)", [victim.info.backend_pid])
        thread.join(10)
    finally:
        base.rows("drop trigger z_wait on wedsql.flow_version; drop function public.wait_here()", conn=gate)
        gate.close()
    assert len(lost) == 1
    assert api.definition(base.name, conn=base.conn) == before
    assert api.list_publications(base.name, conn=base.conn) == []
    assert api.read_draft(base.name, conn=base.conn).at == at
    assert base.jobs(wid) == ["tr_one"]
    assert requested(base, at).status == "published"
    assert sorted(base.jobs(wid)) == ["tr_one", "tr_two"]


def test_workers_commit_while_it_is_published(base: Kit) -> None:
    """Steps before and after the publication count; none is lost, and the invariants hold."""
    wids = [base.start(a="1") for _ in range(40)]
    at = changed(base)
    stop = threading.Event()
    failures: list[str] = []

    def work(conn: Connection) -> None:
        while not stop.is_set():
            try:
                with conn.transaction():
                    job = api.take(base.name, ["tr_one"], conn=conn)
                    if job is None:
                        return
                    api.complete(job, {"a": "1", "b": "1"}, conn=conn)
            except WedError as error:
                if not error.transient:
                    failures.append(str(error))

    threads = [threading.Thread(target=work, args=(base.connect(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):  # a worker may hold the table for longer than a publication waits
            try:
                done = requested(base, at)
                break
            except WedError as error:
                assert error.transient, error
    finally:
        stop.set()
        for thread in threads:
            thread.join(30)
    assert failures == [] and done.status == "published"
    assert all(base.status(wid) == "R" for wid in wids)
    written = base.one(
        "select count(*) from wedsql.wed_trace where flow_id = %s and trw = 'tr_one'", [base.id]
    )
    assert written > 0
    assert base.one("select bool_and(ok) from wedsql.invariants()")


@pytest.mark.parametrize("role", ["wed_worker", "wed_reaper", "wed_monitor"])
def test_only_the_pages_and_the_owner_design(
    base: Kit, connect: Callable[..., Connection], role: str
) -> None:
    at = changed(base)
    session = connect(role)
    session.execute("set default_transaction_read_only = off")
    calls: list[Callable[[], Any]] = [
        lambda: api.open_draft(base.name, "other", conn=session),
        lambda: api.read_draft(base.name, conn=session),
        lambda: api.save_draft(at, BASE, conn=session),
        lambda: api.undo_draft(at, conn=session),
        lambda: api.discard_draft(at, conn=session),
        lambda: api.request_publication(at, conn=session),
        lambda: api.request_rollback(base.name, 1, conn=session),
        lambda: api.approve_publication(1, conn=session),
        lambda: api.list_publications(conn=session),
    ]
    for call in calls:
        with refused("42501"):
            call()
    for table in ("draft", "draft_base", "draft_revision", "publication"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute(f"select * from wedsql.{table}")


def test_only_the_reaper_publishes_what_is_due(base: Kit, web: Connection) -> None:
    with refused("42501"):
        api.publish_due(conn=web)
    assert isinstance(api.read_draft(base.name, conn=web) if changed(base) else None, Draft)
