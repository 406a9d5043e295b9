"""Lists, contexts, repetitions and functions of FEEL beside another engine, and by themselves.

tests/differential_feel.py asks the engines again, with more expressions.
"""

from __future__ import annotations

import json

import pytest

from flows.languages.bpmn.feel import NotSimple, names_in, to_sql
from flows.tests.feel.feel_answers import ERROR, Answers
from flows.tests.feel.feel_generation import ANSWERS, ATTRIBUTES, EACH, expressions
from flows.tests.feel.feel_kinds import kind

THEIRS = json.loads(ANSWERS.read_text(encoding="utf-8"))
VALUES = {
    "os[k = \"x\"][2].a": 3, "os[a > n][1].k": "y", "os[a = m].k[1]": None, "count(os[on])": 2,
    "o.in.b + 1": 3, "o.l[-1]": 2, "count(o.l)": 2, "some x in os satisfies x.a > m": False,
    "every x in os satisfies x.k in (\"x\", \"y\") and x.a between 1 and 5": True,
    "list contains(os.k, s)": False, "3 in ns": True, "o.none = null": True,
    "for i in 1..4 return if i = 1 then 1 else sum(partial)": [1, 1, 2, 4],
    "[1, 2, 3, 4][item > n and item < 4]": [3], "[5, 6, 7][item != 6][2]": 7, "[1, 2, 3][m - 6]": 1,
    "{a: 2, b: a * 3}.b": 6, "[{a: 1}, {b: 2}].a": [1, None], "date(2026, 13, 1)": None,
    "decimal(2.5, 0)": 2, "decimal(-3.5, 0)": -4, "round half down(2.55, 1)": 2.5, "floor(-2.55, 1)": -2.6,
    "modulo(-5, 3)": 1, "2 ** 3 ** 2": 64, "-2 ** 2": 4, "string(1.50)": "1.5",
    "number(\"1,5\", \".\", \",\")": 1.5,
    "d.weekday": 6, "i.days": 1, "i.hours": 12, "duration(\"-P14M\").years": -1,
    "years and months duration(d, date(\"2027-04-27\")).months": 1,
    "5 in (< 3, [5..7])": True, "substring(string: \"foobar\", start position: 3)": "obar",
    "matches(\"A\", \"a\", \"i\")": True, "all([true, u])": None, "any([true, u])": True,
    "min([3, 1, 2][item > 1])": 2, "sum([][item > 1])": None, "string join([\"a\", e, \"b\"], \"-\")": "a-b",
    "(d + duration(\"P1M\")).month": 3, "(duration(\"PT1H\") + i).hours": 13,
    "list contains([1, null], null)": True, "distinct values([null, 1, null])": [None, 1],
    "index of([1, null, 2, null], null)": [2, 4], "union([null], [null])": [None],
    "count(os[none = null])": 3, "count(os[a in (5, null)])": 1, "count(os[none in (5, null)])": 3,
    "count(os[null = none and on])": 2, "count(os[a != null])": 3, "count(os[none != null])": 0,
    "some x in os satisfies x.none = null": True, "every x in os satisfies x.a = null": False,
    "median([3, m, 1, 7])": 5, "median([2, n, m])": 2.5, "median([])": None, "median(8, 2, 5, 3, 4)": 4,
    "median([1, null])": None, "median([2, 2, 2, 1])": 2, "median([1, z])": None, "median([m])": 7,
    "stddev([2, 4, 7, 5]) > 2.08": True, "stddev([2, 4, 7, 5]) < 2.0817": True, "stddev([47])": None,
    "stddev([])": None, "stddev([1, z])": None, "stddev([1, null])": None, "stddev([m, m])": 0,
    "stddev(2, n, 2.5) > 0.28867": True, "stddev(2, n, 2.5) < 0.28868": True,
    "get entries({a: m, b: 2})[1].key": "a", "get entries({a: m, b: 2})[2].value": 2,
    "count(get entries({}))": 0, "get entries({a: m, b: 2}).key": ["a", "b"],
    "get entries({\"first name\": 1})[1].key": "first name", "context put(null, \"a\", 1)": None,
    "context put({a: 1}, \"b\", m).b": 7, "context put({a: 1, c: 3}, \"a\", n).a": 2.5,
    "context put({a: 1}, \"b\", 2).a": 1, "context put({a: 1}, \"b\", 2 + m).b * 2": 18,
    "context merge([{a: 1, b: 2}, {b: m}]).b": 7, "context merge([{a: 1}, {b: m}]).a": 1,
    "count(get entries(context merge([{a: 1}, {a: 2, b: 3}])))": 2,
    "for each in get entries({a: 1, b: m}) return each.value": [1, 7],
}  # fmt: skip
OPERATIONS = ["m + 1", "m - 1", "m / 2", "-m", "m * 2", "n ** 2", "o.a - 1", "(if p then m else n)", "ns[1]"]
TRUTHS = ["p or u", "p and u", "m > 1", "not(u)", "m in (1, 7)", "m between 1 and 2", "e = null", "os[1].on"]
WITHIN = ["[{}][1]", "[{}, {}][-1]", "{{a: {}}}.a", "{{a: {}, b: a}}.b", "[{{a: {}}}].a[1]", "[{}][m - 6]",
          "append([], {})[1]", "reverse([{}])[1]", "(for x in [1] return {})[1]", "flatten([[{}]])[1]",
          "[[{}]][1][1]", "(for x in [{}] return x)[1]", "concatenate([{}], [1 = 1])[1]"]  # fmt: skip
NAMED = ["count(ns[item > {}])", "count(os[item.a = {}])", "count(os[item.a in [0..{}]])",
         "count(os[item.a <= {} and on])", "ns[item != {}][1] + 0",
         "some y in ns satisfies y = {}", "every y in os satisfies y.a < {}"]  # fmt: skip
REFUSED = [
    ("now() > d", "timer"), ("sort([1], x)", "not in the subset"), ("count(1, 2)", "number of arguments"),
    ("for x in ns return x", "let a task compute it"), ("sum(ns)", "let a task compute it"),
    ("substring(s, n)", "written out"), ("{a: 1, a: 2}.a", "twice"), ("{a: 1, A: 2}.a", "twice"),
    ("os[a > d].k = s", "attributes"),
    ("(for x in 1..200 return x)[1]", "at most 100"), ("s.length > 1", "no part"),
    ("[1, \"a\"][item > n]", "not comparable"),
    ("count(list: ns, other: 1)", "arguments of"), ("count(list: ns, 1)", "Either all"),
    ("replace(s, \"(a)\", \"$1\")", "such as $1"), ("matches(s, \"\\\\p{L}\")", "pattern"),
    ("ns[item > 1] = 3", "take one item"), ("m ** n", "exponent"), ("1..3", "the end"),
]  # fmt: skip


def test_the_other_engine_was_asked_these_expressions() -> None:
    assert list(THEIRS) == expressions()[::EACH] and len(THEIRS) >= 500


@pytest.mark.django_db
def test_each_difference_is_of_a_documented_kind() -> None:
    found = Answers()
    found.ask({text: value for text, value in THEIRS.items() if value != ERROR})
    different = [text for text in THEIRS if found.held.get(text) != "t"]
    assert [text for text in different if kind("feelin", text) is None] == []
    assert 0 < len(different) < len(THEIRS) / 20


@pytest.mark.django_db
def test_an_expression_has_the_value_of_the_standard() -> None:
    found = Answers()
    found.ask(VALUES)
    wrong = {text: (found.held.get(text), found.refused.get(text)) for text in VALUES}
    unknown = {"all([true, u])"}
    assert {text: each for text, each in wrong.items() if each != ("t", None) and text not in unknown} == {}


@pytest.mark.parametrize(("text", "said"), REFUSED)
def test_what_is_not_translated_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(NotSimple, match=said.replace("$", r"\$")) as caught:
        to_sql(text, ATTRIBUTES)
    assert 1 <= caught.value.position <= len(text) + 1


def test_names_of_items_entries_and_their_parts_are_no_attributes() -> None:
    text = "some x in a satisfies x.b > 1 and count(c[d = 1]) = {e: 1, f: e}.f + (for i in [g] return i)[1]"
    assert names_in(text) == {"a", "c", "g"}


@pytest.mark.django_db
def test_what_is_taken_from_a_list_or_context_stays_one_operand() -> None:
    """What is taken out has the value of what was put in, in brackets, beside each sign."""
    taken = [(form.replace("{}", each).replace("{{", "{").replace("}}", "}"), each, rest)
             for form in WITHIN for kinds, rest in ((OPERATIONS, "10 - {} * 2"), (TRUTHS, "false and {}"))
             for each in kinds if form[-9:] != "1 = 1])[1]" or kinds is TRUTHS]  # fmt: skip
    assert _differences([(rest.format(f"({of})"), rest.format(outer)) for outer, of, rest in taken]) == {}


@pytest.mark.django_db
def test_a_name_of_an_expression_is_its_value_also_beside_items_of_json() -> None:
    pairs = []
    for form in NAMED:
        for value in ("2", "-1", "m", "n"):
            plain = form.format(value)
            for name in ("limit", "m", "a"):
                named = form.format(name)
                pairs += [(plain, f"(for {name} in [{value}] return {named})[1]"),
                          (plain, f"{{{name}: {value}, found: {named}}}.found")]  # fmt: skip
    assert _differences(pairs) == {}


def _differences(pairs: list[tuple[str, str]]) -> dict[str, tuple[str | None, str | None]]:
    """Return those pairs that do not have one value, which may be null."""
    found = Answers()
    found.ask({f"({one}) = ({other}) or (({one}) = null and ({other}) = null)": True for one, other in pairs})
    return {text: (found.held.get(text), found.refused.get(text))
            for text in [*found.held, *found.refused] if found.held.get(text) != "t"}  # fmt: skip
