"""The kinds of differences from engines of FEEL: docs/bpmn.md lists them."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of difference: which expressions, an example, and what is followed."""

    what: str
    found: str
    example: str
    followed: str


FEELIN = [
    Kind("functions of ranges, except `before` and `after`: null",
         r"(meets|met by|overlaps|finishes|finished by|includes|during|starts|started by|coincides)( \w+)?\(",
         "during(m, [0..9])", "10.3.4.7: whether the ends are so"),
    Kind("`median` and `mode` order numbers as texts", r"median\(|mode\(", "median([2, 0.5, 100])",
         "10.3.4.4: in the order of numbers"),
    Kind("`is` of values of two types: null", r"\bis\(", 'is(0, "a")', "10.3.4.6: false"),
    Kind("the type of a duration in an attribute", r"\(i\) instance of",
         "((i) instance of days and time duration)", "refused"),
    Kind("an empty text that items of a list contain, or end with", r"(contains|ends with)\(k, \"\"\)",
         'count(os[contains(k, "")]) > 2', "10.3.4.3: each text contains the empty one"),
    Kind("`stddev` of a list that a filter made", r"stddev\(\[.*\[a > 1\]\.b\)",
         "stddev([{a: 2, b: 1}, {a: 100, b: 2}][a > 1].b)", "refused"),
    Kind("`range`: null", r"\brange\(", '(2 in range("[1..5]"))', "10.3.4.1: the range in the text"),
    Kind("a range whose first end is the greater one", r" in [\[(][^,\]]*\.\.", "(2 in [m..1])",
         "10.3.2.15, Table 55: two comparisons"),
    Kind("positions from the end in `remove`, `insert before` and `list replace`",
         r"remove\(.*-1\)|insert before\(.*-1,|list replace\(.*-1,",
         "remove([10, 1, 1, 0], -1)", "10.3.4.4: -1 is the last position"),
    Kind("positions outside of a list", r"sublist\(|remove\(|insert before\(|list replace\(",
         "sublist([1], 2)", "10.3.4: null for an argument outside of its domain"),
    Kind("numbers that go down to 0, or end at it", r"in -?\d\.\.0 ", "(for x in 2..0 return 0)",
         "10.3.2.14: the numbers go up or down"),
    Kind("a filter by a truth value that is a part of an item", r"\[item\.on\]", "os[item.on][1].a",
         "10.3.2.5: the items for which it is true"),
    Kind("a start before the text in `substring`", r"substring\(.*, -2, 1\)", 'substring("a", -2, 1)',
         "10.3.4.3: none; the text begins at its first character"),
    Kind("equality of two results that are null", r"/ 0|split\(", "((2 / 0) = (10 / 0))",
         "10.3.2.15, Table 52: null; `= null` is a test of its own"),
    Kind("a sum of two values of JSON, whose types are not known", r"\b(os|ts|o)\b.*[=+<>].*\b(os|ts|o)\b",
         "(o.a + os[1].a)", "refused"),
    Kind("a result that becomes too long for one condition",
         r"for |sort|mode|median|union|distinct|concatenate|flatten|item ",
         "union(union([0.5, 0.5, m], [1, 2.75, n]), [0, n, -3, 10])", "refused"),
]  # fmt: skip
JS_FEEL = [
    Kind("functions that put lists together: they add the data", r"union\(|concatenate\(|flatten\(|append\(",
         "union([10], [])", "10.3.4.4: the items of the lists"),
    Kind("functions of positions", r"index of\(|sublist\(|remove\(|insert before\(|reverse\(|distinct",
         "index of([], 2)", "10.3.4.4: a list of positions, counted from 1"),
    Kind("`substring`", r"substring", "substring(s, 2)", "10.3.4.3: the rest of the text"),
    Kind("positions in a list, counted from 0", r"\[-?\d\]", "ts[1]", "10.3.2.5: they are counted from 1"),
    Kind("months, counted from 0", r"\.month|month of", "d.month", "10.3.2.3.8: from 1"),
    Kind("`decimal`: a text", r"decimal\(", "decimal(1, 0)", "10.3.4.5: a number"),
    Kind("two lists of `for`, `some` and `every`", r", y in ", "(for x in [10], y in [1, 2] return x - y)",
         "10.3.2.14: each pair of their items"),
    Kind("`<` and `>` of equal dates", r"\bd(ate)?\b", "(d < d)", "10.3.2.15, Table 53"),
    Kind("`and` and `or` with null", r"\bu\b|null| and | or ", "(true and u)", "10.3.2.10, Table 48: null"),
    Kind("`sum` and others of an empty list", r"sum\(|mean\(|m(?:in|ax)\(", "sum([])", "10.3.4.4: null"),
    Kind("parts of a range that ends at 0: 0", r"\.\.0[\])]\.(start|end)", "(-1..0).start",
         "10.3.2.7: its first end"),
]  # fmt: skip
KINDS = {"feelin": FEELIN, "js-feel": JS_FEEL}


def kind(engine: str, text: str) -> Kind | None:
    """Return the kind of a difference, None if it is of no known one."""
    return next((each for each in KINDS[engine] if re.search(each.found, text)), None)
