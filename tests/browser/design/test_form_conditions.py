"""Conditions of forms have in a browser the result that they have in PostgreSQL, or the server is asked."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from psycopg.types.json import Jsonb
from selenium import webdriver

from testkit.cases import long
from testkit.web import WebServer

TYPES = {
    "n": "integer", "m": "integer", "d": "numeric", "e": "numeric", "a": "text", "b": "text", "k": "enum",
    "x": "boolean", "y": "boolean", "p": "date", "q": "date", "j": "jsonb",
}  # fmt: skip
VALUES: dict[str, list[str | None]] = {
    "integer": ["0", "1", "-1", "7", "-7", "100", "2147483647", "-2147483648", " 12 ", None],
    "numeric": ["0", "0.0", "-0.5", "1", "1.0", "1.50", "100.01", "-7", "1e3", ".25",
                "12345678901234567890.123", None],
    "text": ["", "a", "A", "ab", "a%b", "a_b", "ä", "Ä", "it's", "😀", "a\\b", "10", " a ", None],
    "enum": ["gold", "silver", None],
    "boolean": ["true", "false", None],
    "date": ["2024-02-29", "2024-03-01", "1999-12-31", None],
    "jsonb": [None, '"x"'],
}  # fmt: skip
NOT_HERE = [
    "a < 'b'", "a > b", "d / 2 > 1", "a ilike 'x'", "a ~ 'x'", "n::text = '1'", "a like 'x' escape 'y'",
    "case when x then y else x end", "extract(year from p) > 2000", "p + 1 > q", "j ->> 'a' = 'x'", "x > y",
    "n ^ 2 > 1", "n between symmetric 1 and 2", "n = any (array[1, 2])", "round(d) = 1", "p > '2024-1-1'",
    "replace(a, 'x', 'y') = b", "n isnull",
]  # fmt: skip
LOAD = """
const [address, cases, done] = arguments;
import(address).then(({evaluate}) =>
  done(cases.map(([tree, states]) => states.map((state) => evaluate(tree, state) ?? '?').join(''))),
  (error) => done(String(error)));
"""


class Maker:
    """Makes random conditions of every operator and function that a browser knows, with types that fit."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)  # noqa: S311  # a corpus, not a secret

    def one(self, *of: Callable[[int], str] | str, depth: int) -> str:
        found = self.draw.choice(of)
        return found if isinstance(found, str) else found(depth - 1)

    def number(self, depth: int) -> str:
        plain = ("n", "m", "d", "e", "0", "1", "2.50", "100", "2147483647", "3000000000", "null")
        if depth <= 0:
            return self.draw.choice(plain[:-1])
        return self.one(
            *plain[:6],
            self.sum,
            self.sum,
            self.minus,
            self.absolute,
            self.first_number,
            self.size,
            depth=depth,
        )

    def integer(self, depth: int) -> str:
        return self.one(
            "n",
            "m",
            "3",
            "-2",
            "0",
            lambda d: f"({self.integer(d)} {self.pick('+ - * / %')} {self.integer(d)})",
            depth=depth,
        )

    def pick(self, words: str) -> str:
        return self.draw.choice(words.split())

    def sum(self, depth: int) -> str:
        if self.draw.random() < 0.3:
            return f"{self.integer(depth)} {self.pick('/ %')} {self.integer(depth)}"
        text = f"{self.number(depth)} {self.pick('+ - * %')} {self.number(depth)}"
        return f"({text})" if self.draw.random() < 0.5 else text

    def minus(self, depth: int) -> str:
        return f"- {self.number(0)}"

    def absolute(self, depth: int) -> str:
        return f"abs({self.number(depth)})"

    def size(self, depth: int) -> str:
        return f"length({self.text(depth, typed=True)})"

    def first_number(self, depth: int) -> str:
        return f"coalesce({self.number(depth)}, {self.number(depth)}, {self.pick('1 d null')})"

    def text(self, depth: int, typed: bool = False) -> str:
        found = ["a", "b", "k"] if typed else ["a", "b", "k", "'a'", "'it''s'", "'ab'", "''", "'gold'"]
        if depth > 0:
            found.append(f"{self.pick('lower upper')}({self.text(depth - 1, typed=True)})")
            found.append(f"(a || {self.text(depth - 1)})")
            found.append(f"coalesce({self.pick('a b')}, {self.text(depth - 1)})")
        return self.draw.choice(found)

    def day(self, depth: int) -> str:
        return self.pick("p q '2024-02-29' coalesce(p,q)")

    def condition(self, depth: int) -> str:
        if depth <= 0:
            return self.draw.choice(["x", "y", "n > 1", "a = 'a'", "x is null", "true", "false"])
        made = self.draw.choice(
            [self.joined, self.joined, self.negated, self.tested, self.tested, self.numbers, self.numbers,
             self.texts, self.days, self.listed, self.between, self.matched, self.distinct]
        )(depth - 1)  # fmt: skip
        return f"({made})" if self.draw.random() < 0.3 else made

    def joined(self, depth: int) -> str:
        word = self.pick("and or")
        parts = [self.condition(depth) for _ in range(self.draw.randint(2, 3))]
        return f" {word} ".join(f"({part})" if self.draw.random() < 0.6 else part for part in parts)

    def negated(self, depth: int) -> str:
        return f"not {self.condition(depth)}"

    def tested(self, depth: int) -> str:
        word = self.pick("null true false unknown")
        what = f"({self.condition(depth)})"
        if word == "null":
            what = self.draw.choice([what, self.number(depth), self.text(0, typed=True), "p", "j"])
        return f"{what} is {self.pick('not_ _').replace('_', ' ').strip()} {word}"

    def numbers(self, depth: int) -> str:
        return f"{self.number(depth)} {self.pick('= <> != < > <= >=')} {self.number(depth)}"

    def texts(self, depth: int) -> str:
        return f"{self.text(depth, typed=True)} {self.pick('= <>')} {self.text(depth)}"

    def days(self, depth: int) -> str:
        return f"{self.pick('p q')} {self.pick('= <> < > <= >=')} {self.day(depth)}"

    def listed(self, depth: int) -> str:
        no = self.draw.choice(["", "not "])
        if self.draw.random() < 0.5:
            listed = ", ".join([*(self.number(0) for _ in range(3)), self.pick("null 7 n")])
            return f"{self.number(0)} {no}in ({listed})"
        return (
            f"{self.text(0, typed=True)} {no}in ({self.text(0)}, {self.text(depth)}, {self.pick('null b')})"
        )

    def between(self, depth: int) -> str:
        no = self.draw.choice(["", "not "])
        if self.draw.random() < 0.3:
            return f"{self.pick('p q')} {no}between {self.day(0)} and {self.day(0)}"
        return f"{self.number(depth)} {no}between {self.number(0)} and {self.number(0)}"

    def matched(self, depth: int) -> str:
        no = self.draw.choice(["", "not "])
        return f"{self.text(depth, typed=True)} {no}like {self.draw.choice(PATTERNS)}"

    def distinct(self, depth: int) -> str:
        no = self.draw.choice(["", "not "])
        made = self.draw.choice(
            [
                (self.number(depth), self.number(0)),
                (self.text(0, typed=True), self.text(0)),
                ("x", "y"),
                ("p", "q"),
            ]
        )
        return f"{made[0]} is {no}distinct from {made[1]}"


PATTERNS = [
    "'a%'",
    "'%b'",
    "'_'",
    "'%a%b%'",
    "'a\\%b'",
    "'a\\_b'",
    "''",
    "'%'",
    "'%%_'",
    "b",
    "'😀'",
    "'a\\\\b'",
]


def states(seed: int, count: int) -> list[dict[str, str | None]]:
    draw = random.Random(seed)  # noqa: S311
    return [{name: draw.choice(VALUES[kind]) for name, kind in TYPES.items()} for _ in range(count)]


def stored(state: dict[str, str | None]) -> dict[str, Any]:
    """Return a state of texts as the kernel gets it."""
    return {
        name: json.loads(text) if TYPES[name] == "jsonb" and text else text for name, text in state.items()
    }


@pytest.fixture
def session(connect: Callable[..., psycopg.Connection[Any]]) -> psycopg.Connection[Any]:
    return connect()


def tree(session: psycopg.Connection[Any], condition: str) -> Any:
    query = "select wedsql._condition_tree(%s, %s)"
    return session.execute(query, [condition, Jsonb(TYPES)]).fetchone()[0]  # type: ignore[index]


def in_database(session: psycopg.Connection[Any], condition: str, found: list[dict[str, str | None]]) -> str:
    """Return the letters of a condition on these states."""
    query = """
    select array_to_string(wedsql._values(
      array[row(1, null, r.qualified, r.reads, null)::wedsql.condition], %s, %s), '')
    from wedsql.canonical(%s, %s) r"""
    given = [Jsonb(TYPES), Jsonb([stored(each) for each in found]), condition, Jsonb(TYPES)]
    return str(session.execute(query, given).fetchone()[0])  # type: ignore[index]


def words(node: Any) -> Iterator[str]:
    yield node[0]
    for part in node[1:]:
        if isinstance(part, list):
            yield from words(part)


def in_browser(browser: webdriver.Chrome, server: WebServer, cases: list[Any]) -> list[str]:
    browser.get(f"{server.url}static/wedsql_site/mark.svg")
    browser.set_script_timeout(120)
    found = browser.execute_async_script(LOAD, f"{server.url}static/monitor/conditions.js", cases)
    assert isinstance(found, list), found
    return found


@pytest.mark.parametrize("seed", range(20 if long() else 2))
def test_every_operator_has_the_result_of_postgresql(
    browser: webdriver.Chrome, server: WebServer, session: psycopg.Connection[Any], seed: int
) -> None:
    maker = Maker(seed)
    made = list(dict.fromkeys(maker.condition(3) for _ in range(700)))
    cases = [(text, tree(session, text), states(n, 12)) for n, text in enumerate(made)]
    cases = [case for case in cases if case[1] is not None]
    assert len(cases) > 600, "most conditions have a tree"
    letters = in_browser(browser, server, [[node, found] for _text, node, found in cases])
    claimed: Counter[str] = Counter()
    for (text, node, found), shown in zip(cases, letters, strict=True):
        wanted = in_database(session, text, found)
        for state, is_, ought in zip(found, shown, wanted, strict=True):
            assert is_ in ("?", ought), f"{text} is {is_} in the browser and {ought} in PostgreSQL on {state}"
            if is_ != "?":
                claimed.update(set(words(node)))
        assert "?" not in shown or re.search("[-+*/%]|abs|lower|upper|like", text), (
            f"{text} was asked of the server"
        )
    assert sum(letters[n].count("?") for n in range(len(letters))) < len(cases) * 12 / 4
    source = (Path(settings.BASE_DIR) / "monitor/static/monitor/conditions.js").read_text()
    known = set(re.findall(r'case "([^"]+)"', source[source.index("function value(") :]))
    assert not known - claimed.keys(), "each operator and function is compared"
    assert min(claimed[word] for word in known) > 20


@pytest.mark.parametrize("condition", NOT_HERE)
def test_what_a_browser_cannot_do_exactly_makes_no_tree(
    session: psycopg.Connection[Any], condition: str
) -> None:
    session.execute("select wedsql.check_predicate_text(%s, %s)", [condition, Jsonb(TYPES)])
    assert tree(session, condition) is None
    assert tree(session, f"x and ({condition})") is None
