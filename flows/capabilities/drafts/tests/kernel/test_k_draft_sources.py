"""What the content of a draft was translated from, until it is published and afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.errors import UnknownDraft, UnknownFlow
from flows.tests.kit import Kit
from flows.types import Draft, PublicationChoices

pytestmark = pytest.mark.kernel
SOURCE = {"language": "pdl", "format": "pdl", "text": "WORKFLOW w { }", "map": {"workflow": "w"}}
FIRST: dict[str, Any] = {
    "attributes": [{"name": "a"}],
    "triggers": [{"name": "one", "transition": "tr_one", "condition": "c1", "predicate": "a = '1'"}],
}
SECOND = FIRST | {"attributes": [{"name": "a"}, {"name": "b"}]}


@pytest.fixture
def draft(kit: Kit) -> Draft:
    """A draft with the second definition, which was translated."""
    kit.publish(FIRST)
    found = api.drafts.open(kit.name, definition=SECOND, actor="ann", conn=kit.conn)
    api.drafts.keep_source(kit.name, SOURCE, conn=kit.conn)
    return found


def published(kit: Kit) -> Any:
    """Publish the draft, and return the source of the version that it becomes."""
    kit.start(a="1")
    at = api.drafts.read(kit.name, conn=kit.conn).at
    done = api.publications.request(at, PublicationChoices(), actor="ann", conn=kit.conn)
    assert done.status == "published"
    found = api.flows.read_source(kit.name, conn=kit.conn)
    assert found is None or found["version"] == done.version
    return found


def test_what_a_draft_was_translated_from_becomes_the_source_of_its_version(kit: Kit, draft: Draft) -> None:
    assert api.drafts.read_source(kit.name, conn=kit.conn) == SOURCE
    assert api.flows.read_source(kit.name, conn=kit.conn) is None
    assert published(kit).items() >= SOURCE.items()
    assert api.flows.read_source(kit.name, 0, conn=kit.conn) is None, "it is pending no longer"


def test_a_draft_that_was_changed_has_no_source_until_the_change_is_undone(kit: Kit, draft: Draft) -> None:
    changed = api.drafts.save(draft.at, draft.definition | {"label": "x"}, actor="ann", conn=kit.conn)
    assert api.drafts.read_source(kit.name, conn=kit.conn) is None
    api.drafts.undo(changed.at, actor="ann", conn=kit.conn)
    assert api.drafts.read_source(kit.name, conn=kit.conn) == SOURCE


def test_what_is_published_of_another_content_has_no_source(kit: Kit, draft: Draft) -> None:
    api.drafts.save(draft.at, draft.definition | {"label": "x"}, actor="ann", conn=kit.conn)
    assert published(kit) is None


def test_each_draft_has_a_source_of_its_own(kit: Kit, draft: Draft) -> None:
    third = SECOND | {"attributes": [{"name": "a"}, {"name": "c"}]}
    api.drafts.open(kit.name, "other", definition=third, actor="bob", conn=kit.conn)
    api.drafts.keep_source(kit.name, SOURCE | {"text": "WORKFLOW other { }"}, branch="other", conn=kit.conn)
    assert published(kit).items() >= SOURCE.items()
    found = api.drafts.read_source(kit.name, "other", conn=kit.conn)
    assert found is not None and found["text"] == "WORKFLOW other { }"


def test_sources_of_many_drafts_are_not_kept_for_ever(kit: Kit, draft: Draft) -> None:
    for number in range(60):
        api.drafts.open(kit.name, f"d{number}", definition=SECOND, actor="ann", conn=kit.conn)
        api.drafts.keep_source(kit.name, SOURCE, branch=f"d{number}", conn=kit.conn)
        one = api.drafts.read(kit.name, f"d{number}", conn=kit.conn)
        api.drafts.discard(one.at, conn=kit.conn)
    assert kit.one("select count(*) from wedsql.flow_source where flow_id = %s", [kit.id]) == 40


def test_a_source_of_no_draft_is_refused(kit: Kit) -> None:
    with pytest.raises(UnknownDraft):
        api.drafts.keep_source(kit.name, SOURCE, conn=kit.conn)
    with pytest.raises(UnknownDraft):
        api.drafts.read_source(kit.name, conn=kit.conn)
    api.drafts.open("never_published", definition=FIRST, actor="ann", conn=kit.conn)
    with pytest.raises(UnknownFlow):
        api.drafts.keep_source("never_published", SOURCE, conn=kit.conn)
    assert api.drafts.read_source("never_published", conn=kit.conn) is None
