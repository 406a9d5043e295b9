"""Expressions of BPMN: the subset of FEEL that becomes SQL, and what is refused."""

from __future__ import annotations

import pytest

from flows.languages.bpmn.feel import NotSimple, to_sql


@pytest.mark.parametrize(
    ("feel", "sql"),
    [
        ("amount > 1000", "amount > 1000"),
        ('status = "it\'s"', "status_ = 'it''s'"),
        ("a != null and b = null", "a is not null and b is null"),
        ("not(a or b) and c", "not (a or b) and c"),
        ("a and (b or c)", "a and (b or c)"),
        ("x in [1..10)", "(x >= 1 and x < 10)"),
        ("x in ]1..10]", "(x > 1 and x <= 10)"),
        ('s in ("a", "b")', "s in ('a', 'b')"),
        ("x between 1 and 2 and y", "x between 1 and 2 and y"),
        ("Amount * 2 + .5 <= -3", "amount * 2 + .5 <= -3"),
        ('due < date("2026-01-01")', "due < date '2026-01-01'"),
        ('at > date and time("2026-01-01T00:00Z")', "at > timestamptz '2026-01-01T00:00Z'"),
        ("a == 1 && !b || c gt 2", "a = 1 and not (b) or c > 2"),
        ("n in (a / 2, a/b)", "n in (a / 2.0, a * 1.0 / nullif(b, 0))"),
        ("a = not(b) or not(a) < b", "a = (not (b)) or (not (a)) < b"),
        ("n = - -1 and (null) != n", "n = -(-1) and n is not null"),
        (r's = "a\n\"b\\"', "s = 'a\n\"b\\'"),
        ("true", "true"),
        ("Loan Approval = 1", "loan_approval = 1"),
        ("a between Low Value and 3 and (Ok)", "a between low_value and 3 and (ok)"),
        ("if a then 1 else 2", "(case when coalesce((a), false) then 1 else 2 end)"),
        (
            'some x in y satisfies x.n > 1 and not(x.s = "a\'b")',
            """(case when jsonb_path_exists(y, '$[*] ? (@."n" > 1 && !(@."s" == "a''b"))') then true """
            "when y is null or jsonb_path_exists(y, "
            """'$[*] ? ((@."n" > 1 && !(@."s" == "a''b")) is unknown)') """
            "then null else false end)",
        ),
    ],
)
def test_feel_becomes_sql(feel: str, sql: str) -> None:
    assert to_sql(feel) == sql


@pytest.mark.parametrize(
    ("feel", "said"),
    [("for x in y return x", "let a task compute the rest"), ("function(x) x", "“function(”"),
     ("some x in y satisfies x > z", "written out only"), ("every x in 1 satisfies x > 1", "with a list"),
     ("some 1 in y satisfies true", "A name is expected")],
)  # fmt: skip
def test_other_forms_of_feel_are_refused_in_words(feel: str, said: str) -> None:
    with pytest.raises(NotSimple) as caught:
        to_sql(feel)
    assert said in str(caught.value)


def test_an_attribute_may_have_a_name_that_is_a_word_of_feel() -> None:
    assert to_sql("some = 1", {"some_": "integer"}) == "some_ = 1"


@pytest.mark.parametrize(
    ("feel", "position"),
    [("", 1), ("a >", 4), ("nth(a)", 1), ("a.b = c", 1), ("(a", 3), ("a = ;", 5), ("x in", 5),
     ('"open', 1), ("a = 1; drop", 6), ("date()", 6), ("٣ = 1", 1),
     ("if a then b", 12), ("(" * 300, 51), ("-" * 4000, 1), ("x" * 4001, 1)],
)  # fmt: skip
def test_feel_beyond_the_subset_is_refused_with_its_position(feel: str, position: int) -> None:
    with pytest.raises(NotSimple) as caught:
        to_sql(feel)
    assert caught.value.position == position
