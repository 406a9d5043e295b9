"""The differences from engines of FEEL that tests/differential_feel.py asked: each is of a known kind."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from flows.tests.feel.feel_answers import ERROR, Answers
from flows.tests.feel.feel_kinds import KINDS, kind

FOLDER = Path(os.environ["WEDSQL_FEEL_ANSWERS"])


@pytest.mark.django_db
@pytest.mark.parametrize("engine", [*KINDS])
def test_each_difference_is_of_a_known_kind(engine: str) -> None:
    theirs = json.loads((FOLDER / f"{engine}.json").read_text(encoding="utf-8"))
    answered = {text: value for text, value in theirs.items() if value != ERROR}
    found = Answers()
    found.ask(answered)
    different = {
        text: [value, found.held.get(text), found.refused.get(text)]
        for text, value in answered.items()
        if found.held.get(text) != "t"
    }
    (FOLDER / f"differences-{engine}.json").write_text(json.dumps(different), encoding="utf-8")
    print(f"\n{engine}: {len(theirs)} expressions, {len(answered)} answered, {len(different)} different")
    kinds = Counter(each.what if (each := kind(engine, text)) else "" for text in different)
    for what, number in kinds.most_common():
        print(f"{number:6} {what or 'of no known kind'}")
    assert not kinds[""], [text for text in different if kind(engine, text) is None]
