"""The checks find no gap between limits in the demo, the examples and the patterns, where there is none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flows import api
from flows.patterns import gallery, patterns
from workers.demo.definitions import FLOWS

EXAMPLES = {**gallery.examples(), **patterns()}


def test_all_patterns_are_among_the_examples() -> None:
    assert len(EXAMPLES) >= 43 + 10


@pytest.mark.django_db
@pytest.mark.parametrize("name", EXAMPLES)
def test_no_gap_is_found_in_an_example(name: str) -> None:
    found = api.flows.lint("", EXAMPLES[name].definition)
    assert [each.message for each in found if each.check == "gap"] == []


@pytest.mark.django_db
@pytest.mark.parametrize("name", FLOWS)
def test_no_gap_is_found_in_the_demo(loaded: Callable[[str], str], name: str) -> None:
    flow = loaded(name)
    found = api.flows.lint(flow, api.flows.definition(flow))
    assert [each.message for each in found if each.check == "gap"] == []
