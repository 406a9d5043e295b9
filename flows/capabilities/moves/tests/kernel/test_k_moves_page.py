"""The example of docs/moves.md."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from flows import api
from flows.capabilities.moves.tests.kernel.sites import Site

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
PAGE = Path(__file__).parents[5] / "docs/moves.md"


def test_the_example_of_the_page_does_what_it_says(pair: tuple[Site, Site]) -> None:
    here, there = pair
    known = {"api": api, "here": here.conn, "there": there.conn, "wid": here.start()}
    text = PAGE.read_text().replace("```", "")
    example = doctest.DocTestParser().get_doctest(text, known, "moves", str(PAGE), 0)
    assert len(example.examples) == 10
    assert doctest.DocTestRunner(verbose=False).run(example).failed == 0
