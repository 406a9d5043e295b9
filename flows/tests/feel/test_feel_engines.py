"""Conditions in FEEL beside another engine: they differ only where docs/bpmn.md says so.

feelin.sh asks the engine again, after a change of the expressions.
"""

from __future__ import annotations

import pytest
from django.db import transaction

from flows import api
from flows.languages.bpmn.feel import to_sql
from flows.tests.feel import feel_corpus as corpus

TEXTS = corpus.expressions()
VALUES = {"t": True, "f": False, "u": None}
AT_ONCE = 100


def values(texts: list[str]) -> list[bool | None]:
    """Return what the database answers to conditions."""
    definition = {
        "attributes": [{"name": name, "type": type_} for name, type_ in corpus.ATTRIBUTES.items()],
        "triggers": [
            {"name": f"c{number}", "transition": f"tr_{number}", "predicate": to_sql(text, corpus.ATTRIBUTES)}
            for number, text in enumerate(texts)
        ],
    }
    with transaction.atomic():
        (found,) = api.conditions.evaluate(definition, [corpus.STATE])
    assert not found.errors, found.errors
    return [VALUES[held] for held in found.held]


def test_the_other_engine_was_asked_these_expressions() -> None:
    assert list(corpus.feelin()) == TEXTS and len(TEXTS) > 500
    assert set(map(str, corpus.feelin().values())) == {"True", "False", "None", "error"}


@pytest.mark.django_db
def test_each_difference_is_of_a_documented_kind() -> None:
    ours: list[bool | None] = []
    for first in range(0, len(TEXTS), AT_ONCE):
        ours += values(TEXTS[first : first + AT_ONCE])
    theirs = corpus.feelin()
    kinds = {
        text: corpus.kind(text, value, theirs[text])
        for text, value in zip(TEXTS, ours, strict=True)
        if value != theirs[text]
    }
    assert [text for text, kind in kinds.items() if kind is None] == []
    assert {kind.what: kinds.get(kind.example) for kind in corpus.KINDS} == {
        kind.what: kind for kind in corpus.KINDS
    }
