"""The syntax of WSQL: what is read, what is rejected where, and that nothing else is ever raised."""

from __future__ import annotations

import random
import re
from contextlib import suppress

import pytest

from flows.definition import ATTRIBUTE
from flows.languages.wsql import WsqlError, parse
from flows.languages.wsql.parse import DEEPEST, LARGEST, MOST, literals
from flows.languages.wsql.tree import CreateAttribute, CreateCondition, CreateTrigger

STATEMENTS = """
CREATE WED-FLOW shop WITH PASSWORD 'it''s'; create wed-flow shop;
CREATE WED-ATTRIBUTE a; CREATE WED-ATTRIBUTE a integer DEFAULT VALUE -1.5e3;
CREATE WED-ATTRIBUTE level ENUM ('low', 'high') DEFAULT VALUE 'low';
CREATE WED-TRANSITION t; CREATE WED-TRANSITION t WITH TIMEOUT 3d18h; CREATE WED-TRANSITION t WITH TIMEOUT NULL;
CREATE WED-CONDITION c WITH PREDICATE a::text like 'x%' and (b in (1, 2) or m[1] = any (array[3])); -- comment
CREATE FINAL WED-CONDITION "the end" WITH PREDICATE $$a = 'x; y'$$;
CREATE WED-TRIGGER g AS (t, c); CREATE WED-TRIGGER g AS (t WITH TIMEOUT '1 hour', c WITH PREDICATE lower(a) = 'x');
CREATE INSTANCE AS DEFAULT VALUES; CREATE INSTANCE AS DEFAULT VALUES (a = 'x'); CREATE INSTANCE AS (a = 1, b = NULL);
UPDATE WED-ATTRIBUTE a SET DEFAULT VALUE TRUE; UPDATE WED-TRANSITION t SET TIMEOUT 30s;
ENABLE WED-TRIGGER g; DISABLE WED-TRIGGER g; /* several
lines; */ LIST WED-TRIGGERS; LIST ENABLED WED-TRIGGERS; LIST DISABLED WED-TRIGGERS; LIST WED-ATTRIBUTES;
LIST WED-CONDITIONS; LIST WED-TRANSITIONS; LIST FIRED WED-TRANSITIONS; LIST PENDING FIRED WED-TRANSITIONS FOR 3;
LIST ONGOING FIRED WED-TRANSITIONS; LIST INSTANCES; LIST FINAL INSTANCES; LIST EXCEPTION INSTANCES;
LIST REGULAR INSTANCES; LIST HISTORY; LIST HISTORY FOR 17;
A = {a1 = 'ready', a2 integer, level enum ('x')}; C = {c1: a1 = 'ready', c2: a2 in (1, 2)}; T = {t1, t2: '1 hour'};
G = {(c1, t1), g2: (c2, t2)}; F = c2; BEGIN; COMMIT; BEGIN; ROLLBACK; EXPLAIN LIST HISTORY FOR 2; EXPLAIN F = c
"""  # noqa: E501 - statements


def test_every_statement_is_read_in_both_cases_and_has_its_text() -> None:
    for text in (STATEMENTS, STATEMENTS.lower()):
        statements = parse(text)
        assert len(statements) == 45
        assert all(text[each.start : each.end].strip() == text[each.start : each.end] for each in statements)


def test_names_and_values_mean_what_they_say() -> None:
    attribute, final, trigger = parse(
        "CREATE WED-ATTRIBUTE Amount ENUM ('it''s', 'x');"
        'CREATE FINAL WED-CONDITION "The ""End""" WITH PREDICATE '
        "'a = ''x''';"
        "CREATE WED-TRIGGER g AS (t, c WITH PREDICATE a -- why\n = 'b -- c' /* more */ )"
    )

    assert isinstance(attribute, CreateAttribute) and isinstance(trigger, CreateTrigger)
    assert (attribute.name.text, [each.text for each in attribute.options]) == ("amount", ["it's", "x"])
    assert isinstance(final, CreateCondition) and final.final
    assert (final.name.text, final.predicate.text) == ('The "End"', "a = 'x'")
    assert trigger.predicate and trigger.predicate.text.split() == ["a", "=", "'b", "--", "c'"]


def test_each_character_of_a_condition_has_its_place() -> None:
    for text in ("CREATE WED-CONDITION c WITH PREDICATE (a = 'x') and (b)",
                 "CREATE WED-CONDITION c WITH PREDICATE 'a = ''x'' and b'",
                 "CREATE WED-CONDITION c WITH PREDICATE $$a = 'x' and b$$"):  # fmt: skip
        (statement,) = parse(text)
        assert isinstance(statement, CreateCondition)
        predicate = statement.predicate
        read = "".join(text[predicate.at(at + 1)] for at in range(len(predicate.text)))
        assert read == predicate.text
        assert text[predicate.start : predicate.end] == text[38:]


def test_the_types_are_those_of_attributes() -> None:
    words = {word.lower() for word in literals().values()}

    assert set(ATTRIBUTE["type"].choices) <= words


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("CREATE ¦WED-ATRIBUTE a", "“WED-ATRIBUTE” is not expected here, but: FINAL, INSTANCE, WED-ATTRIBUTE",
         "WED-ATTRIBUTE"),
        ("LIST WED-TRIGGERS; ¦LITS INSTANCES", "“LITS” is not expected", "LIST"),
        ("CREATE WED-ATTRIBUTE a ¦DEFUALT VALUE 3", "DEFAULT", "DEFAULT"),
        ("CREATE WED-ATTRIBUTE a ¦varchar", "TEXT", ""),
        ("CREATE -- and then?¦", "The text ends here", ""),
        ("CREATE WED-TRIGGER g AS (t¦", "The text ends here; expected is: WITH, ,.", ""),
        ("CREATE WED-TRIGGER g AS (t, c WITH PREDICATE a = 1¦;", "“;” is not expected", ""),
        ("CREATE WED-CONDITION c WITH PREDICATE ¦'a = 1", "closing quote", ""),
        ("CREATE WED-CONDITION ¦\"c", "closing quote", ""),
        ("CREATE WED-CONDITION c WITH PREDICATE ¦$$a = 1$", "$$ is missing", ""),
        ("¦/* no end", "*/ is missing", ""),
        ("CREATE WED-CONDITION c WITH PREDICATE a / 2 > 1 ¦/* /* /* no end", "*/ is missing", ""),
        ("LIST HISTORY FOR ¦all", "a number", ""),
        ("LIST HISTORY FOR 3¦.5", "“.” is not expected", ""),
        ("LIST HISTORY FOR 1234567890¦1", "is not expected", ""),
        ("CREATE WED-FLOW \"¦\0\"", "U+0000 cannot be stored", ""),
        ("CREATE WED-ATTRIBUTE a DEFAULT VALUE '¦\ud800'", "U+D800", ""),
        ("UPDATE WED-TRANSITION t SET TIMEOUT ¦5", "a duration such as 3d18h", ""),
        ("F =\n  ¦= c", "a name", ""),
        ("¦é", "“é” is not expected", ""),
        ("LIST INSTANCES ¦LIST INSTANCES", "“LIST” is not expected here, but: the end, ;.", ""),
    ],
)  # fmt: skip
def test_an_error_says_where_and_what_was_expected(text: str, message: str, hint: str) -> None:
    before, _mark, after = text.partition("¦")

    with pytest.raises(WsqlError) as caught:
        parse(before + after)

    error = caught.value
    assert message in error.message
    assert hint in error.hint and bool(hint) == bool(error.hint)
    assert (error.line, error.column) == (before.count("\n") + 1, len(before) - before.rfind("\n"))
    assert error.excerpt.splitlines()[1] == " " * (error.column - 1) + "^"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (" " * (LARGEST + 1), f"{LARGEST + 1} characters"),
        (";" * (MOST + 1), f"more than {MOST} statements"),
        ("CREATE WED-CONDITION c WITH PREDICATE " + "(" * (DEEPEST + 1), f"More than {DEEPEST}"),
        ("CREATE WED-CONDITION c WITH PREDICATE a" + "[(" * DEEPEST, f"More than {DEEPEST}"),
    ],
)
def test_limits_are_said(text: str, message: str) -> None:
    with pytest.raises(WsqlError, match=message):
        parse(text)


@pytest.mark.parametrize("seed", range(8))
def test_changed_statements_raise_nothing_but_the_error(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same changes each time
    pieces = re.findall(r"[\w-]+|\s+|.", STATEMENTS)
    signs = ["'", '"', "$$", "/*", "--", "(", "]", "{", "\\", ";;"]
    strange = [*signs, "\x00", "\u2028", "é", "9" * 50, "\ud800"]
    for _time in range(150):
        start = chance.randrange(len(pieces))
        some = pieces[start : start + chance.randrange(1, 60)]
        for _change in range(chance.randrange(1, 4)):
            at = chance.randrange(len(some))
            some[at : at + chance.randrange(2)] = [chance.choice([*strange, chance.choice(pieces), ""])]
        text = "".join(some)
        try:
            statements = parse(text)
        except WsqlError as error:
            assert 0 <= error.start <= error.end <= len(text)
            assert error.message and error.excerpt
            assert error.line >= 1 and error.column >= 1
        else:
            assert all(0 <= each.start < each.end <= len(text) for each in statements)


@pytest.mark.parametrize("seed", range(4))
def test_random_characters_raise_nothing_but_the_error(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same characters each time
    begins = ("", "CREATE ", "CREATE WED-CONDITION c WITH PREDICATE ", "A = {", "LIST HISTORY FOR ", "'")
    for _time in range(300):
        some = chance.randbytes(chance.randrange(80)).decode(chance.choice(["latin-1", "utf-16"]), "replace")
        with suppress(WsqlError):
            parse(chance.choice(begins) + some)
