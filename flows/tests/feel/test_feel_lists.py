"""Lists in attributes in FEEL: added, compared and searched; comments, and names in quotes."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.languages.bpmn.feel import to_sql
from flows.languages.bpmn.feel.library.document_functions import MOST_ITEMS
from flows.tests.feel.feel_answers import Answers
from flows.tests.feel.feel_generation import ATTRIBUTES

VALUES: dict[str, Any] = {
    "sum(ns)": 8,
    "sum(os.a)": 9,
    'sum(os[k = "x"].a)': 4,
    "sum(ts)": None,
    "sum(o.l)": 3,
    "sum(o.a)": 4,
    "sum(os[a > 100].a)": None,
    "product(ns)": 12,
    "mean(ns)": 2,
    "sum(o.none)": None,
    "product(ts)": None,
    "sum(for x in os return x.a * 2)": 18,
    "sum(for x in os return x.a * m + 1)": 66,
    "sum(for x in os return x.a * n - x.a)": 13.5,
    "mean(for x in os return x.a * 3)": 9,
    "sum(for x in os return x.none * 3)": None,
    "sum(for x in os[on] return 10 - x.a)": 16,
    "count(for x in os return x.a)": 3,
    "(for x in os return x.a * m)[2]": 35,
    "(for x in ns return x + 1)[-1]": 3,
    "any(os.on)": True,
    "all(os.on)": False,
    "all(os[on].on)": True,
    "append(ns, 4)[-1]": 4,
    "sum(append(ns, m))": 15,
    'count(append(ts, "z", "y"))': 5,
    "count(concatenate(ns, [1, 2]))": 6,
    "sum(concatenate([1], ns, ns))": 17,
    "sublist(ns, 2)[1]": 1,
    "sum(sublist(ns, 2, 2))": 3,
    "sublist(ns, 5)": None,
    "sublist(ns, 4, 2)": None,
    "sum(sublist(ns, 4))": 2,
    '5 in range("[1..5]")': True,
    '5 in range("[1..5)")': False,
    'range("[1..5)").end': 5,
    'meets(range("[1..5]"), [5..6])': True,
    'range("x") = null': True,
    'range("[m..n]") = null': True,
    '-2 in range("]-2..0]")': False,
    'd in range("[@\\"2026-01-01\\"..date(\\"2026-12-31\\")]")': True,
    "max(ns) = 3": True,
    "max(ns) > 3": False,
    "max(ns) >= 3": True,
    "max(ns) < m": True,
    "max(ns) <= 2": False,
    "max(ns) != 3": False,
    "3 <= max(ns)": True,
    "m > max(ns)": True,
    "min(ns) = 1": True,
    "min(ns) > 1": False,
    "min(ns) >= 1": True,
    "min(ns) < n": True,
    "min(ns) <= 0.5": False,
    "min(ns) != 2": True,
    "1 = min(ns)": True,
    "max(os.a) > 4": True,
    'min(os[k = "x"].a) < m': True,
    "max(os[a > 9].a) > 1": None,
    "max(ts) > 1": None,
    "max(ns) > z": None,
    "max(o.none) < 3": None,
    'count(os[contains(k, "x")])': 2,
    'count(os[starts with(k, "x")])': 2,
    'count(ts[ends with(item, "a")])': 1,
    'count(ts[ends with(item, ".")])': 0,
    'count(ts[contains(item, ".")])': 0,
    'count(os[matches(k, "^[x-z]$")])': 3,
    'some x in ts satisfies starts with(x, "b")': True,
    'every x in ts satisfies contains(x, "a")': False,
    'some x in os satisfies some y in x.k satisfies y = "y"': True,
    "some x in os satisfies every y in x.a satisfies y > 100": False,
    'count(os[not(contains(k, "x"))])': 1,
    "some x in [1] satisfies some y in ns satisfies y = 3": True,
    "some x in os satisfies count(x.k) > 1": False,
    "some x in os satisfies list contains(x.a, m)": False,
    "some x in os satisfies list contains(x.a, 5)": True,
    'count(ts[contains(item, "ö")])': 0,
    'count(os[contains(k, "")])': 3,
    'count(os[matches(k, "[a-w]|y")])': 1,
    "1e1 > m": True,
    "2.5E0 = n": True,
    "25e-1 = n": True,
    "`m` = 7": True,
    "m = 7 // a comment\n": True,
    "m /* one * two */ > /**/ 5 //\n": True,
    '"a//b" = "a//b"': True,
    "o.a = os[2].a": False,
    "o.k = os[1].k": True,
    "o.k != os[2].k": True,
    "o.k = os[1].a": None,
    "o.a > os[1].a": True,
    "ns = ns": True,
    "ns = [3, 1, 2, 2]": True,
    "[1] = ns": False,
    "ns != [1]": True,
    "o.l = [1, 2.0]": True,
    "o.none = [1]": None,
}


@pytest.mark.django_db
def test_an_expression_about_a_list_in_an_attribute_has_the_value_of_the_standard() -> None:
    found = Answers()
    found.ask(VALUES)
    wrong = {text: (found.held.get(text), found.refused.get(text)) for text in VALUES}
    assert {text: each for text, each in wrong.items() if each != ("t", None)} == {}


@pytest.mark.django_db
@pytest.mark.parametrize("number", [0, 1, MOST_ITEMS - 1, MOST_ITEMS, MOST_ITEMS + 1])
def test_a_list_in_an_attribute_is_added_as_a_whole_or_not_at_all(number: int) -> None:
    definition = {"attributes": [{"name": "ns", "type": "jsonb"}], "triggers": [
        {"name": each, "transition": f"tr_{each}", "predicate": to_sql(text, ATTRIBUTES)}
        for each, text in (("sum", f"sum(ns) = {number * 2}"),
                           ("for", f"sum(for x in ns return x - 5) = {number * -3}"))
    ]}  # fmt: skip
    (found,) = api.conditions.evaluate(definition, [{"ns": [2] * number}])
    assert found.held == ("uu" if number == 0 else "tt" if number <= MOST_ITEMS else "ee")
    assert all("more than 200 items: 201" in said for _code, said in found.errors.values())
    assert len(found.errors) == (2 if number > MOST_ITEMS else 0)
