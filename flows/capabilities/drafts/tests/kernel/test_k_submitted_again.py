"""A definition that is submitted again is not published again."""

from __future__ import annotations

import pytest

from flows import api
from flows.tests.kit import Kit

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
RULE = {"transition": "tr_a", "condition": "c_a", "predicate": "a is null", "timeout": "1 hour"}
DEFINITION = {"attributes": [{"name": "a", "type": "text"}], "triggers": [RULE]}


def test_only_what_differs_becomes_a_version(kit: Kit) -> None:
    name = f"{kit.name}_z"
    changed = DEFINITION | {"triggers": [RULE | {"timeout": "2 hours"}]}
    try:
        first, again, other, back = [
            api.publications.submit(name, each, conn=kit.conn)
            for each in (DEFINITION, DEFINITION, changed, DEFINITION)
        ]
        assert [each.version for each in (first, again, other, back)] == [1, 1, 2, 3]
        assert again.id == first.id
        assert [each for each in api.drafts.list(conn=kit.conn) if each.flow == name] == []
    finally:
        api.flows.drop(name, conn=kit.conn)


def test_a_definition_with_another_source_becomes_a_version_with_it(kit: Kit) -> None:
    name = f"{kit.name}_z"
    first, moved = (
        {"language": "bpmn", "format": "xml", "text": text, "map": {}} for text in ("<a/>", "<b/>")
    )
    try:
        found = [
            api.publications.submit(name, DEFINITION, source=each, conn=kit.conn).version
            for each in (None, first, first, moved, None)
        ]
        assert found == [1, 2, 2, 3, 3]
        source = api.flows.read_source(name, conn=kit.conn)
        assert source is not None and source["text"] == "<b/>"
    finally:
        api.flows.drop(name, conn=kit.conn)
