"""Helpers of the tests of publications: a definition, a change of it, requests, and what became of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from flows import api
from flows.tests.kit import Connection, Kit
from flows.types import DraftAt, Publication, PublicationChoices

BASE: dict[str, Any] = {
    "attributes": [{"name": "a"}, {"name": "b"}],
    "triggers": [
        {"name": "one", "transition": "tr_one", "condition": "c1", "predicate": "a = '1'"},
        {"predicate": "a = 'end'", "final": True},
    ],
}
NEW = {"name": "two", "transition": "tr_two", "predicate": "b = '1'"}
LATER = PublicationChoices(publish_at=datetime.now(UTC) + timedelta(hours=1))
OLD, MORE = ["tr_one", "_FINAL"], ["tr_one", "_FINAL", "tr_two"]


def forget(flow: str, conn: Connection) -> None:
    conn.execute("delete from wedsql.draft where flow = %s", [flow])
    conn.execute("delete from wedsql.publication where flow = %s", [flow])


def changed(kit: Kit, **options: Any) -> DraftAt:
    """Open a draft with one more trigger and return its revision."""
    draft = api.drafts.open(kit.name, conn=kit.conn)
    definition = draft.definition | {"triggers": [*draft.definition["triggers"], NEW]} | options
    return api.drafts.save(draft.at, definition, conn=kit.conn).at


def requested(
    kit: Kit, at: DraftAt, choices: PublicationChoices | None = None, **options: Any
) -> Publication:
    chosen = choices or PublicationChoices(reason="more work")
    return api.publications.request(at, chosen, **{"actor": "ann", "conn": kit.conn} | options)


def transitions(kit: Kit) -> list[str]:
    return [row.trname for row in kit.rows("select trname from {f}.wed_trig order by tgid")]


def version(kit: Kit) -> int:
    return api.drafts.running_definition(kit.name, conn=kit.conn)[0]


def due(kit: Kit, conn: Connection | None = None) -> None:
    """Publish everything whose time has come in two hours, as the reaper does."""
    session = conn or kit.conn
    kit.clock("2 hours", session)
    for _ in range(5):
        if api.publications.publish_due(conn=session) is None:
            break
    kit.clock("0", session)


def outcome(kit: Kit, publication: Publication) -> Publication:
    return api.publications.read(publication.id, conn=kit.conn)
