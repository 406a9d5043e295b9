"""The reaper publishes definitions at their time, with the privileges of its role."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from flows import api
from flows.types import PublicationChoices
from testkit.waiting import until
from workers.reaper import rounds
from workers.reaper.schedule import publish_scheduled

Connect = Callable[..., psycopg.Connection[Any]]
Db = psycopg.Connection[Any]
DEFINITION = {
    "attributes": [{"name": "a"}],
    "triggers": [{"transition": "tr_new", "predicate": "a = '1'"}],
}


@pytest.fixture
def scheduled(flow: str, connect: Connect) -> Iterator[int]:
    """A publication that is due in a moment."""
    owner = connect()
    draft = api.drafts.open(flow, definition=DEFINITION, conn=owner)
    soon = PublicationChoices(publish_at=datetime.now(UTC) + timedelta(seconds=0.5))
    yield api.publications.request(draft.at, soon, actor="ann", conn=owner).id
    owner.execute("delete from wedsql.draft where flow = %s", [flow])
    owner.execute("delete from wedsql.publication where flow = %s", [flow])


@pytest.mark.django_db  # the right of whoever asked for it is looked up
def test_a_round_of_the_reaper_publishes_what_is_due(scheduled: int, connect: Connect) -> None:
    owner = connect()

    def published() -> bool:
        rounds.reap()
        return api.publications.read(scheduled, conn=owner).status == "published"

    try:
        until(published)
    finally:
        rounds._reaper_wire().close()


def test_the_role_of_the_reaper_may_publish_what_is_due(scheduled: int, connect: Connect) -> None:
    owner, reaper = connect(), connect("wed_reaper")

    def published() -> bool:
        publish_scheduled(reaper)
        return api.publications.read(scheduled, conn=owner).status == "published"

    until(published)


def test_a_round_of_the_reaper_continues_re_matches(flow: str, connect: Connect) -> None:
    owner = connect()
    api.flows.publish(flow, DEFINITION, conn=owner)
    wids = [api.instances.start(flow, {"a": "1"}, conn=owner) for _ in range(5)]
    rule = {"transition": "tr_more", "predicate": "a = '1'"}
    more = {**DEFINITION, "triggers": [*DEFINITION["triggers"], rule]}
    owner.execute("set wedsql.rematch_at_once = 0")
    owner.execute("select wedsql.publish(%s, %s)", [flow, Jsonb(more)])
    try:
        until(lambda: rounds.reap() is not None and not left(owner, flow))
    finally:
        rounds._reaper_wire().close()
    found = owner.execute("select wid from wedsql.job_pool where trname = 'tr_more' order by wid").fetchall()
    assert [wid for (wid,) in found] == wids


def left(owner: Db, flow: str) -> list[Any]:
    return owner.execute("select remaining from wedsql.rematches() where flow = %s", [flow]).fetchall()
