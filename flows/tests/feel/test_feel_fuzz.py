"""Random FEEL: a translation has the value of the expression in the database; other texts are refused."""

from __future__ import annotations

import re

import pytest
from django.db import transaction
from hypothesis import example, given, settings
from hypothesis import strategies as st

from flows import api
from flows.languages.bpmn.feel import NotSimple, to_sql
from flows.tests.feel.feel_expressions import ATTRIBUTES, CONDITIONS, STATES, Expression
from testkit.cases import examples

LETTERS = {True: "t", False: "f", None: "u"}
# What the subset has, and what it does not have.
PARTS = re.split(
    r"\s+",
    "and or not in between null true a 1 .5 = == != < <= > >= && || ! - + * / ( ) [ ] .. , . date duration "
    '"x" \'y\' " \' \\ eq lt ${ } ; -- /* ü ٣ \0 \ud800 1e5 a.b count( date("2026-01-01")',
)
TEXTS = (
    st.text() | st.lists(st.sampled_from(PARTS)).map(" ".join) | st.lists(st.sampled_from(PARTS)).map("".join)
)


@pytest.mark.django_db
@settings(max_examples=examples(30), deadline=None)
@given(st.lists(CONDITIONS, min_size=30, max_size=30))
def test_a_translation_has_the_value_of_the_expression_in_the_database(found: list[Expression]) -> None:
    texts = [to_sql(each.text, ATTRIBUTES) for each in found]
    definition = {
        "attributes": [{"name": name, "type": type_} for name, type_ in ATTRIBUTES.items()],
        "triggers": [
            {"name": f"c{number}", "transition": f"tr_{number}", "predicate": text}
            for number, text in enumerate(texts)
        ],
    }
    with transaction.atomic():  # an error is not the end of the transaction that the test has
        values = api.conditions.evaluate(definition, STATES)
    for state, truths in zip(STATES, values, strict=True):
        assert not truths.errors, (truths.errors, texts)
        for each, text, held in zip(found, texts, truths.held, strict=True):
            assert held == LETTERS[each.value(state)], (each.text, text, state)


@settings(max_examples=examples(1_000), deadline=None)
@example("(" * 4_000)
@example("!" * 4_000)
@example("-" * 4_000)
@example("a = 1" + " and a = 1" * 400)
@given(TEXTS)
def test_any_text_becomes_one_expression_or_is_refused_with_its_position(text: str) -> None:
    try:
        found = to_sql(text)
    except NotSimple as error:
        assert str(error) and 1 <= error.position <= len(text) + 1
    else:
        outside = re.sub(r"'(?:[^']|'')*'", " ", found)
        assert not re.search(r"--|/\*|[;'\"\\]", outside), found
        assert outside.count("(") == outside.count(")") and len(found) <= 60 * len(text) + 120
