"""The check of words finds them in each kind of text, and nothing in the sources as they are."""

from __future__ import annotations

import pytest

from tests import wording


def test_the_sources_have_none_of_the_words() -> None:
    names = list(wording.texts())

    assert len(names) > 500 and "docs/kernel.md" in names and "templates/500.html" in names
    assert [
        line for name in names for line in wording.found_in(name, (wording.BASE / name).read_text())
    ] == []


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("-- Somebody else holds the job.", "somebody"),
        ('    """Tell the monitor of every step."""', "tell"),
        ("<p>The query was given up.</p>", "given up"),
        ("These values cannot be saved so.", "cannot be saved so"),
    ],
)
def test_a_word_is_found(line: str, word: str) -> None:
    (found,) = wording.found_in("docs/kernel.md", f"first\n{line}")

    assert found.startswith(f'docs/kernel.md:2: "{word}"; write ')


def test_a_docstring_that_names_nothing_is_found() -> None:
    text = 'def title() -> str:\n    """Return what it is called."""'
    (found,) = wording.found_in("flows/a.py", text)
    assert found.startswith('flows/a.py:2: "Return what"; write ')
    assert not [*wording.found_in("flows/tests/a.py", text)]
    assert not [*wording.found_in("flows/a.py", '"""Return the title that what it stands for has."""')]


def test_names_in_code_and_allowed_places_are_no_words() -> None:
    assert not list(wording.found_in("a.py", "tell_all = foretold + untold.nobody_else"))
    assert not list(wording.found_in("wedsql_site/tests/web/test_attempts.py", 'log_in("somebody")'))
