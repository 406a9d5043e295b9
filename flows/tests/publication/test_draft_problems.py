"""The problems of a draft are kept by flow, version and content; texts about conditions have limits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from flows import api
from flows.designer.draft import sentences
from flows.designer.draft.excerpts import EXCERPT, excerpt
from flows.designer.draft.problems import checked
from flows.tests.pages import unique
from flows.tests.publication.drafting import draft
from flows.tests.publication.publish_page import drafted

pytestmark = pytest.mark.django_db
LABELLED: dict[str, Any] = {"attributes": [{"name": "paid", "label": "Payment"}]}


def test_problems_are_kept_for_a_flow_a_version_and_a_content(
    fig2: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked = api.conditions.check_definition, []

    def check(flow: str, definition: Any, *, known: dict[str, list[int]]) -> Any:
        asked.append((flow, sum(map(len, known.values()))))
        return real(flow, definition, known=known)

    drafted(fig2, "a1 = 'ready'")
    first, other = draft(fig2), unique()
    monkeypatch.setattr(api.conditions, "check_definition", check)
    labelled = replace(first, definition=first.definition | {"label": "x"})
    for each in (first, first, replace(first, flow=other), replace(first, base_version=7), labelled):
        assert checked(each) == []

    assert asked == [(fig2, 0), (other, 0), (fig2, 7), (fig2, 7)]


@pytest.mark.parametrize("position", [None, "3", 0, -1, 5])
def test_a_place_outside_a_text_has_no_excerpt(position: Any) -> None:
    assert excerpt("abc", position) is None and excerpt("abc", 4) == ("abc", "   ^")


def test_an_excerpt_of_a_long_line_is_short() -> None:
    line, caret = excerpt("x" * 500 + "y" * 500, 501) or ("", "")

    assert (line, caret) == ("x" * EXCERPT + "y" * EXCERPT, " " * EXCERPT + "^")


def test_a_condition_that_cannot_be_said_is_sql_and_the_next_one_is_said() -> None:
    read = sentences.reader(LABELLED)

    assert read("nowhere = 1 and (") == "nowhere = 1 and ("
    assert read("paid is null") == "Payment is empty"


def test_after_the_limit_conditions_are_sql(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentences, "MOST", 1)
    read = sentences.reader(LABELLED)

    assert (read("paid is null"), read("paid = 'x'")) == ("Payment is empty", "paid = 'x'")
