"""Patterns of fields in a browser have the result of PostgreSQL, or are left to it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb
from selenium import webdriver

from testkit.cases import long
from testkit.web import WebServer

LOAD = """
    const [address, cases, done] = arguments;
    import(address).then(({ hasPart }) => done(cases.map(([pattern, texts]) => texts.map((text) => {
      try {
        return hasPart(text, pattern) ? "t" : "f";
      } catch (error) {
        return error.constructor.name === "Ask" ? "?" : `!${error}`;
      }
    }).join(""))), (error) => done(String(error)));
"""
# As people write them, and each form of PostgreSQL's on its own.
PATTERNS = [
    "^[A-Z]{2}-[0-9]+$", r"^\d{5}-\d{3}$", r"^\d{3}\.\d{3}\.\d{3}-\d{2}$", r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$",
    "[0-9]", r"^(\+55 ?)?\(?\d{2}\)? ?9?\d{4}-?\d{4}$", "^(sim|não)$", "^$", "^", "$", "^a*$", "(a*)*b",
    "(a|a)*b", "(a|b|)*c", "a.c", "^.$", "[]]", "[^]]", "[]a-c-]", "[a-]", "[-a]", "[^a-z]", r"[\]\\]",
    r"[\d.]", r"[\s]", r"\D", r"\W+$", r"^\S+$", "[[:alpha:]]", "[^[:digit:]]", "[[:punct:]]",
    "[[:space:]]$", "[[:word:]]", "[[:xdigit:]]{2}", "[[:cntrl:]]", "a{2}", "a{2,}", "^a{0}$", "^a{1,2}$",
    "a{", "a{,2}", "a}", "]", "(?:ab)+c", "a|", "|a", "()", "(a|)b", "a*?b", "^a+?$", "a{2}?b", r"\.", r"\\",
    r"\$", r"\n", r"\t", r"a\Z", r"\Aa", r"\ya\y", r"\ma", r"a\M", r"\x41", r"\101", r"\u00e9", r"\e", r"\B",
    r"\b", "é", "[à-ü]", "😀{2}", "^..$", "(a$|b)", "(^a|b)c", "a$b", "a^b", "x{3}{2}", "a**", "*a", "(a",
    "a)", "[a", "[z-a]", "(?i)a", "(?=a)", r"(a)\1", "***=a", "[[.a.]]", "[a-c-e]", "[[:foo:]]",
    "((a{3}){3}){3}", "a{255}", "a{256}", "(ab|cd){2,3}$", "[[:lower:]][[:upper:]]", r"[\w-]+",
    "^-?[0-9]+(,[0-9]{1,2})?$",
]  # fmt: skip
TEXTS = [
    "", "a", "b", "c", "ab", "abc", "aab", "aaa", "aaaa", "AB-1", "AB-12\n", "ab-1", "\nAB-1", "12345-678",
    "1234-567", "529.982.247-25", "a@b.co", "a@b", "a b", " a", "a ", "(11) 91234-5678", "+55 11 1234-5678",
    "sim", "não", "a\nc", "a\r\nc", "]", "[", "-", "\\", ".", "$", "^", "a{", "a{,2}", "a}", "\t", "\x1b",
    "\x07", "\x08", "\x1c", "é", "ü", "Å", "😀", "😀😀", "٣", "\u00a0", "\u2028", "aA", "Aa", "f0", "-12,5",
    "abcdab", "a$b", "a^b", "!", "+", "<", "_", "~", "\x7f", "a" * 27, "a" * 255, "x" * 6, "ac", "bc", "ß",
    "i\u0307",
]  # fmt: skip
SIGNS = [
    "a",
    "b",
    "c",
    "é",
    "1",
    "-",
    ".",
    r"\d",
    r"\w",
    r"\s",
    "[a-c]",
    "[^b1]",
    "[[:alpha:]é]",
    "^",
    "$",
    r"\.",
    " ",
    "😀",
]


def piece(draw: random.Random, depth: int) -> str:
    """Return a part of a pattern."""
    if depth and draw.random() < 0.35:
        parts = "|".join("".join(piece(draw, depth - 1) for _ in range(draw.randint(0, 3))) for _ in range(2))
        atom = draw.choice(["({})", "(?:{})"]).format(parts)
    else:
        atom = draw.choice(SIGNS)
    return atom + draw.choice(["", "", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "{0,1}?"])


def made(seed: int, count: int) -> list[tuple[str, list[str]]]:
    """Return random patterns, each with random texts of the same signs."""
    draw = random.Random(seed)  # noqa: S311
    signs = "aabbc é1-. 😀\n"
    return [
        ("".join(piece(draw, 2) for _ in range(draw.randint(1, 4))),
         ["".join(draw.choice(signs) for _ in range(draw.randint(0, 9))) for _ in range(12)])
        for _ in range(count)
    ]  # fmt: skip


def in_database(session: psycopg.Connection[Any], cases: list[tuple[str, list[str]]]) -> list[str | None]:
    """Return the letters that the kernel has for each pattern; None for one that it does not accept."""
    query = """
        select case when wedsql._fits_limit('pattern', to_jsonb(c.value ->> 0)) then
          (select string_agg(case when wedsql._broken_limit(jsonb_build_object('pattern', c.value ->> 0),
                                                            t.value) is null then 't' else 'f' end, ''
                             order by t.ordinality)
           from jsonb_array_elements(c.value -> 1) with ordinality t) end
        from jsonb_array_elements(%s) with ordinality c order by c.ordinality"""
    return [one[0] for one in session.execute(query, [Jsonb(cases)]).fetchall()]


@pytest.mark.parametrize("seed", range(20 if long() else 2))
def test_a_pattern_has_the_result_of_the_kernel_on_each_text(
    browser: webdriver.Chrome, server: WebServer, connect: Callable[..., psycopg.Connection[Any]], seed: int
) -> None:
    cases = [*((one, TEXTS) for one in PATTERNS), *made(seed, 600)]
    browser.get(f"{server.url}static/wedsql_site/mark.svg")
    browser.set_script_timeout(120)
    shown = browser.execute_async_script(LOAD, f"{server.url}static/monitor/patterns.js", cases)
    wanted = in_database(connect(), cases)
    asked = both = 0
    for (pattern, texts), is_, ought in zip(cases, shown, wanted, strict=True):
        assert "!" not in is_, f"{pattern} is no error: {is_}"
        for text, here, there in zip(texts, is_, ought or "", strict=False):
            assert here in ("?", there), f"{pattern!r} is {here} in the browser and {there} on {text!r}"
            asked, both = asked + (here == "?"), both + 1
    assert both > 8000 and asked < both / 4, (asked, both)
    assert {"t", "f"} <= set("".join(filter(None, wanted)))
