"""Publications: what is requested is published with all it contains, or nothing is."""

from __future__ import annotations

import copy
import threading
import uuid
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from flows import api
from flows.errors import WedError
from flows.tests.kit import Connection, Kit, refused
from flows.tests.publication.publications import (
    BASE,
    LATER,
    OLD,
    changed,
    forget,
    requested,
    transitions,
    version,
)
from flows.types import DraftAt, PublicationChoices
from testkit.waiting import until

pytestmark = pytest.mark.kernel


def test_without_need_of_approval_it_is_published_at_once(base: Kit) -> None:
    wid = base.start(a="1", b="1")
    before = version(base)
    done = requested(base, changed(base))
    assert (done.status, done.version, done.requested_by) == ("published", before + 1, "ann")
    assert done.report is not None and done.report["fired"] == {"tr_two": 1}
    assert sorted(base.jobs(wid)) == ["tr_one", "tr_two"]
    first, second = api.publications.list_versions(base.name, conn=base.conn)[:2]
    assert (first.version, first.actor, first.reason) == (before + 1, "ann", "more work")
    assert (first.publication_id, first.approver, second.publication_id) == (done.id, "", None)


def test_the_draft_goes_on_from_what_was_published(base: Kit) -> None:
    requested(base, changed(base))
    draft = api.drafts.read(base.name, conn=base.conn)
    assert draft.definition == draft.base == api.drafts.running_definition(base.name, conn=base.conn)[1]
    assert not draft.stale and all("id" in each for each in draft.definition["triggers"])


def test_undo_ends_at_the_publication(base: Kit) -> None:
    requested(base, changed(base))
    draft = api.drafts.read(base.name, conn=base.conn)
    assert not draft.can_undo
    with refused("WD405"):
        api.drafts.undo(draft.at, conn=base.conn)
    later = draft.definition | {"triggers": draft.definition["triggers"][:1]}
    saved = api.drafts.save(draft.at, later, conn=base.conn)
    undone = api.drafts.undo(saved.at, conn=base.conn)
    assert (undone.definition, undone.can_undo) == (draft.definition, False)


def test_a_new_flow_is_created_by_its_publication(kit: Kit) -> None:
    name = f"new_{uuid.uuid4().hex[:12]}"
    try:
        draft = api.drafts.open(name, definition=BASE, conn=kit.conn)
        with refused("WD402"):
            requested(kit, DraftAt(name, "main", 7))
        assert requested(kit, draft.at).version == 1
        assert api.instances.start(name, {"a": "1"}, conn=kit.conn)
    finally:
        api.flows.drop(name, force=True, conn=kit.conn)
        forget(name, kit.conn)


def test_renaming_in_a_draft_renames_the_column(base: Kit) -> None:
    wid = base.start(a="1", b="kept")
    draft = api.drafts.open(base.name, conn=base.conn)
    attributes = [draft.definition["attributes"][0], draft.definition["attributes"][1] | {"name": "stock"}]
    at = api.drafts.save(draft.at, draft.definition | {"attributes": attributes}, conn=base.conn).at
    requested(base, at)
    assert base.state(wid) == {"a": "1", "stock": "kept"}


def test_names_that_are_exchanged_in_a_draft_exchange_the_columns(base: Kit) -> None:
    wid = base.start(a="1", b="2")
    draft = api.drafts.open(base.name, conn=base.conn)
    first, second = draft.definition["attributes"]
    definition = copy.deepcopy(draft.definition)
    definition["attributes"] = [first | {"name": "b"}, second | {"name": "a"}]
    definition["triggers"][0]["predicate"] = "b = '1'"
    definition["triggers"][1]["predicate"] = "b = 'end'"
    requested(base, api.drafts.save(draft.at, definition, conn=base.conn).at)
    assert base.state(wid) == {"a": "2", "b": "1"} and base.jobs(wid) == ["tr_one"]


def test_what_cannot_be_published_is_refused_when_it_is_requested(base: Kit, guarded: Kit) -> None:
    bad = changed(guarded, attributes=[{"name": "b"}])
    for choices in (PublicationChoices(), LATER):
        with refused("WD007"):
            requested(guarded, bad, choices)
    assert api.publications.list(guarded.name, conn=base.conn) == []
    assert transitions(base) == OLD and guarded.one("select count(*) from {f}.wed_trig") == 2


def test_an_earlier_version_is_published_again(guarded: Kit) -> None:
    before = version(guarded)
    api.publications.approve(requested(guarded, changed(guarded)).id, actor="bob", conn=guarded.conn)
    kept = guarded.one("select tgid from {f}.wed_trig where trname = 'tr_one'")
    back = api.publications.request_rollback(guarded.name, before, actor="bob", conn=guarded.conn)
    assert (back.status, back.reason, back.revision) == ("requested", f"back to version {before}", None)
    api.publications.approve(back.id, actor="ann", conn=guarded.conn)
    assert transitions(guarded) == OLD and version(guarded) == before + 2
    assert guarded.one("select tgid from {f}.wed_trig where trname = 'tr_one'") == kept


def test_a_connection_lost_in_the_middle_leaves_nothing_half_done(base: Kit) -> None:
    """The backend is ended after it has changed the definition, while it waits for an instance."""
    wid, at = base.start(a="1", b="1"), changed(base)
    before = api.flows.definition(base.name, conn=base.conn)
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
    assert api.flows.definition(base.name, conn=base.conn) == before
    assert api.publications.list(base.name, conn=base.conn) == []
    assert api.drafts.read(base.name, conn=base.conn).at == at
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
                    job = api.jobs.take(base.name, ["tr_one"], conn=conn)
                    if job is None:
                        return
                    api.jobs.complete(job, {"a": "1", "b": "1"}, conn=conn)
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
        lambda: api.drafts.open(base.name, "other", conn=session),
        lambda: api.drafts.read(base.name, conn=session),
        lambda: api.drafts.save(at, BASE, conn=session),
        lambda: api.drafts.undo(at, conn=session),
        lambda: api.drafts.discard(at, conn=session),
        lambda: api.publications.request(at, conn=session),
        lambda: api.publications.request_rollback(base.name, 1, conn=session),
        lambda: api.publications.approve(1, conn=session),
        lambda: api.publications.list(conn=session),
    ]
    for call in calls:
        with refused("42501"):
            call()
    for table in ("draft", "draft_base", "draft_revision", "publication"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute(f"select * from wedsql.{table}")
