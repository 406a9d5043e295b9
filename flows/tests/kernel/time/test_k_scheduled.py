"""Publications at a time: the reaper publishes what is due, and a failure stops no other."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from flows import api
from flows.tests.kit import Connection, Kit, refused
from flows.tests.publication.publications import (
    BASE,
    LATER,
    MORE,
    OLD,
    changed,
    due,
    forget,
    outcome,
    requested,
    transitions,
)
from flows.types import Draft, PublicationChoices

pytestmark = pytest.mark.kernel


def test_it_is_published_at_its_time(guarded: Kit) -> None:
    waiting = requested(guarded, changed(guarded), LATER)
    due(guarded)
    assert outcome(guarded, waiting).status == "requested", "its time came before its approval"
    approved = api.publications.approve(waiting.id, actor="bob", conn=guarded.conn)
    assert approved.status == "approved" and transitions(guarded) == OLD
    assert api.publications.publish_due(conn=guarded.conn) is None
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
    api.flows.create(other, conn=base.conn)
    try:
        draft = api.drafts.open(other, definition=BASE, conn=base.conn)
        fine = requested(base, draft.at, LATER)
        base.attr("c")
        due(base)
        failed = outcome(base, failing)
        assert (failed.status, failed.sqlstate) == ("failed", "WD406")
        assert failed.message and failed.tried_at
        assert outcome(base, fine).status == "published"
    finally:
        forget(other, base.conn)
        api.flows.drop(other, force=True, conn=base.conn)


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
    assert api.publications.publish_due(conn=base.conn) == base.name
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


def test_only_the_reaper_publishes_what_is_due(base: Kit, web: Connection) -> None:
    with refused("42501"):
        api.publications.publish_due(conn=web)
    assert isinstance(api.drafts.read(base.name, conn=web) if changed(base) else None, Draft)
