"""Expressions that FEEL would read differently from their languages: read as those do, or left to people."""

from __future__ import annotations

import pytest

from flows.languages.bpmn.dialects import as_feel
from flows.languages.bpmn.expressions import is_unread, sql
from flows.languages.bpmn.feel import to_sql
from flows.languages.bpmn.feel.words import NotSimple
from flows.languages.bpmn.model import Expression

JAVA = "http://www.java.com/java"
TYPES = {"a": "numeric", "n": "integer", "c": "boolean", "state": "text", "note": "text", "items": "jsonb"}
READ = [
    ("python", "'x' in state", "(strpos(state, 'x') > 0)"),
    ("python", "a in [1, 2]", "a in (1, 2)"),
    ("python", "len(state) > 1", "char_length(state) > 1"),
    ("javascript", "state.length > 1", "char_length(state) > 1"),
    ("groovy", "state.size() > 1", "char_length(state) > 1"),
    ("groovy", "n / 2 == 2", "n::numeric / 2 = 2"),
    ("javascript", "a == '5'", "a = 5"),
    (JAVA, "return n / 2.0 > 1;", "n::numeric / 2.0 > 1"),
    (JAVA, 'return state == "(int) x" // a ? b', "state = '(int) x'"),
    ("javascript", 'state == "/* x */" /* y */', "state = '/* x */'"),
    ("xpath", r"state = 'C:\new' or state = 'a\'", r"state = 'C:\new' or state = 'a\'"),
    ("xpath", "state = 'a/b:c' or state = 'number (x-y)'", "state = 'a/b:c' or state = 'number (x-y)'"),
    ("xpath", "order-total > 100", "order_total > 100"),
    ("xpath", "a - n > 100", "a - n > 100"),
    (JAVA, "return a.intValue() == 5 && n.intValue() == 5;", "(trunc((a)::numeric)) = 5 and n = 5"),
    ("groovy", "state in note && a in [1, 2]", "state = note and a in (1, 2)"),
    ("", "${state == 'getDataObject(\"a\")'}", "state = 'getDataObject(\"a\")'"),
    ("", "${state == '${x}'}", "state = '${x}'"),
]
LEFT = [
    ("python", "n // 2 == 2"), ("python", "state in unknown"), ("python", "a == '5'"),
    ("python", "state[0] == 'x'"),
    ("python", r"state == '\x41'"), ("python", "1 < a < 5"), ("python", "-n ** 2 == 4"),
    ("javascript", "a === '5'"), ("javascript", "c == 'true'"), ("javascript", "items[-1] == 'x'"),
    ("javascript", "'x' in items"), ("javascript", "state == `note`"), ("javascript", "a + '1' == '11'"),
    ("javascript", "a == 010"), ("javascript", "a === 1 && items[n] == 'y'"), ("javascript", "c || 'no'"),
    ("groovy", 'state == "${note}x"'), ("groovy", 'state == "$note"'), ("groovy", "a == '5'"),
    (JAVA, "return 5 / 2 == 2;"), (JAVA, "return n / 2 == 2;"), (JAVA, 'return a == "5";'),
    ("python", "a in [items]"), ("groovy", "a in [items]"),
    ("javascript", "a = 5"), ("groovy", "c && a = 5"), ("javascript", "items == []"),
    ("", '"${state}" == "x"'), ("", "${items[0] == 'x' && items[-1] == 'y'}"), ("", "${state[0] == 'x'}"),
    ("", "${state + '1' == '11'}"), ("", "${c || 'no'}"), ("", "${'on'}"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "wanted"), READ)
def test_it_is_read_as_its_language_does(language: str, text: str, wanted: str) -> None:
    assert sql(Expression(text, language, 1, 1), "", "x", TYPES) == wanted


@pytest.mark.parametrize(("language", "text"), LEFT)
def test_it_is_left_where_feel_has_another_meaning(language: str, text: str) -> None:
    assert is_unread(Expression(text, language, 1, 1), "", TYPES)


@pytest.mark.parametrize("language", ["", "juel", "javascript", "groovy", "xpath", JAVA])
def test_a_rest_has_the_sign_of_what_is_divided(language: str) -> None:
    sign = "mod" if language == "xpath" else "%"
    found = as_feel(f"a {sign} 3 = -1" if language == "xpath" else f"a {sign} 3 == -1", language)
    assert found.startswith("(a - (3) * round down((a) / (3), 0))")


def test_a_rest_of_python_has_the_sign_of_the_divisor() -> None:
    assert as_feel("a % 3 == 1", "python") == "modulo(a, 3) == 1"


@pytest.mark.parametrize("text", ['c or "yes"', 'c and "on"', 'not("no")', "not(1)", "c and 1"])
def test_a_text_or_a_number_is_no_truth_value(text: str) -> None:
    """PostgreSQL takes such texts for truth values, which FEEL does not."""
    with pytest.raises(NotSimple):
        to_sql(text, TYPES)
