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
    "is(1, 1.0)": True, "is(m, 7)": True, "is(null, null)": True, "is(z, null)": True, "is(z, m)": False,
    "is(m, n)": False, "is(s, \"a\")": False, "is(d, date(\"2026-02-28\"))": True, "is(z, e)": True,
    "is(m, \"7\")": False, "is(m, m > 1)": False, "is(m, null)": False, "not(is(m, 7))": False,
    "is(i, duration(\"PT36H\"))": True, "is(null, s)": False, "is(m - 7, 0) and is(1 = 1, p)": True,
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
    "sort([3, 1, 2], function(x, y) x < y)": [1, 2, 3], "sort([3, m, n], function(x, y) x > y)": [7, 3, 2.5],
    "sort(list: [m, 3], precedes: function(a: number, b: number) a < b)": [3, 7],
    "count(sort([], function(x, y) x < y))": 0,
    "sort([\"b\", s, \"a\"], function(x, y) string length(x) < string length(y))[1]": "b",
    "sort([2, 1, 2, m], function(x, y) x <= y)": [1, 2, 2, 7], "sort([z, 1], function(x, y) x < y)[1]": None,
    "sort([{a: 2, k: \"x\"}, {a: n - 1, k: \"y\"}], function(x, y) x.a < y.a)[1].k": "y",
    "sort([{a: 1, k: 1}, {a: m - 6, k: 2}, {a: 0, k: 3}], function(p, q) p.a < q.a).k": [3, 1, 2],
    "sort([[2], [1]], function(x, y) x[1] < y[1])[1][1]": 1, "sort(null, function(x, y) x < y) = null": True,
    "sort([3, 1], function(x, y) x < y and m > 1)[1]": 1, "sort([p, false], function(x, y) y)[1]": False,
    "sort([os[1].a, 9, 2], function(x, y) x > y)": [9, 2, 1], "sum(sort([3, m], function(x, y) x < y))": 10,
    "list replace([2, 4, 7, 8], function(item, newItem) item < newItem, 5)": [5, 5, 7, 8],
    "list replace([2, m, z], function(item, newItem) item > newItem, 5)": [2, 5, None],
    "list replace([1, m][item > 1], function(item, newItem) item = 7, n)[1]": 2.5,
    "list replace([2, 4], 1, 6)": [6, 4], "list replace([2, 4], 3, 6) = null": True,
    "mode([6, 3, 9, 6, 6])": [6], "mode([6, 1, 9, 6, 1])": [1, 6], "mode([])": [],
    "mode([1, null]) = null": True,
    "mode(6, 3, 6)": [6], "mode([m, 1, 7])[1]": 7, "count(mode([m, n, 1]))": 3,
    "mode([1.50, 1.5, 2])[1]": 1.5,
    "time(\"10:30:00\") < time(\"10:30:00.5\")": True, "time(10, 30, 0) = time(\"10:30:00\")": True,
    "time(\"10:30:15.5\").second": 15.5, "time(10, 30, 15.5).minute": 30, "time(\"23:30:00\").hour": 23,
    "time(24, 0, 0) = null": True, "time(1, 60, 0) = null": True, "time(1.5, 0, 0) = null": True,
    "time(-1, 0, 0) = null": True, "time(d) = time(\"00:00:00\")": True,
    "time(\"23:30:00\") + duration(\"PT1H\") = time(\"00:30:00\")": True,
    "time(\"00:30:00\") - duration(\"PT1H\") = time(\"23:30:00\")": True,
    "time(\"10:30:00\") - time(\"11:00:00\") = duration(\"-PT30M\")": True,
    "(time(\"12:00:00\") - time(\"10:30:00\")).minutes": 30, "string(time(\"10:30:00\"))": "10:30:00",
    "time(\"12:00:00\") in [time(\"09:00:00\")..time(\"12:00:00\")[": False,
    "time(date and time(\"2026-03-01T10:30:00+02:00\")) = time(\"08:30:00\")": True,
    "date and time(d, time(\"10:00:00\")) = date and time(\"2026-02-28T10:00:00Z\")": True,
    "date and time(date(2026, 3, 1), time(1, 2, 3)).second": 3, "time(\"10:30:00\") instance of time": True,
    "d instance of time": False, "max([time(\"10:30:00\"), time(\"11:00:00\")]).hour": 11,
    "sort([time(\"10:30:00\"), time(\"09:00:00\")], function(x, y) x < y)[1].hour": 9,
    "@\"2026-02-28\" = d": True, "@\"PT36H\" = i": True, "@\"10:30:00\".hour": 10,
    "@\"2026-03-01T10:00:00Z\".hour": 10, "@\"-P1D\" < i": True,
    "context([{key: \"a\", value: m}, {key: \"b\", value: 2}]).a": 7, "context([]).a": None,
    "context([{key: \"a\", value: 1}, {key: \"a\", value: 2}]) = null": True,
    "context(get entries({a: m})).a": 7,
    "is defined(m)": True, "is defined(z)": False, "is defined(o.a)": True, "is defined(o.none)": False,
    "is defined([])": True, "is defined(null)": False, "is empty([])": True, "is empty([z])": False,
    "is empty(ns)": False, "is empty(o.none)": True, "is empty(os[a > 9])": True, "is empty(e)": True,
    "is empty(s)": False, "is empty(\"\")": True, "is empty({})": True, "is empty(ts[3])": True,
    "is blank(\" \")": True, "is blank(e)": True, "is blank(s)": False, "is blank(ts[3])": True,
    "get or else(z, m)": 7, "get or else(m, 1)": 7, "get or else(o.none, 3) + 1": 4,
    "get or else(e, \"x\")": "x", "get or else(null, n)": 2.5, "get or else(os[9].a, os[1].a)": 1,
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
    ("now() > d", "timer"), ("is(ns[1], 3)", "types are known"), ("is([1], [1])", "no value"),
    ("sort([1], x)", "last argument of “sort”"), ("sort([1, 2], function(x) x)", "has 2 arguments"),
    ("sort(ns, function(x, y) x < y)", "“sort”"), ("mode(ns)", "“mode”"), ("max(ns)", "compared with a"),
    ("sort([m, n][item > 1], function(x, y) x < y)", "“sort”"),
    ("sort([1, 2], function(x, x) true)", "twice"),
    ("sort([1, 2], function(x, y) x + y)", "is a condition"),
    ("sort([{a: 1}, {b: m}], function(x, y) m > n)[1].a", "same names"),
    ("function(x, y) x < y", "argument of “sort"), ("{f: function(x) x}.f(1)", "end"),
    ("{f: function(x) x}.f + 1", "argument of"),
    ("count(function(x) x)", "argument of"), ("partition([1, 2], 1)", "“partition\\("),
    ("time(\"10:30:00Z\") = null", "offset"), ("time(\"10:30:00@Europe/Berlin\") = null", "offset"),
    ("time(10, 30, 0, i) = null", "offset"), ("time(m, 0, 0) = null", "written out"),
    ("time(\"25:00:00\") = null", "no time of FEEL"),
    ("time(\"now\") = null", "no time of FEEL"), ("time(s) = null", "text in quotes"),
    ("time(\"10:00:00\") + 1", "no sum"),
    ("time(\"10:00:00\") + duration(\"P1M\") = null", "no sum"),
    ("time(\"10:00:00\") = \"10:00:00\"", "not comparable"),
    ("time(\"10:00:00\").year", "no part"), ("@\"x\" = d", "no date of FEEL"),
    ("context([{key: s, value: 1}]).a", "written out"), ("mode([\"a\"])", "number is expected"),
    ("count(1, 2)", "number of arguments"),
    ("for x in ns return x", "let a task compute the rest"), ("median(ns)", "let a task compute it"),
    ("for x in os return x.k + d", "“for” makes sums"), ("product(for x in os return x.a)", "“product”"),
    ("max(for x in os return x.a)", "“min” and"), ("sum(for x in os return x.a + x.a.b)", "has parts"),
    ("count(os[matches(k, \"\\\\p{L}\")])", "pattern"), ("count(os[contains(k, s)])", "written out"),
    ("range(s) = null", "“range\\("), ("sublist(ns, -1)", "from 1 on"),
    ("(for x in ns return x).a", "the rest"), ("max(ns).a", "compared with a number"),
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
    assert 0 < len(different) < len(THEIRS) / 12  # some functions have no answer there


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
