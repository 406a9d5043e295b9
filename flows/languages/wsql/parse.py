"""Reads a WSQL text: limits, syntax, and errors with what was expected."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from django.utils.translation import gettext as _
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken

from flows.languages.wsql.build import build
from flows.languages.wsql.errors import WsqlError, meant, shortened
from flows.languages.wsql.tree import Statements

GRAMMAR = Path(__file__).with_name("grammar.lark")
LARGEST = 200_000  # characters
MOST = 5_000  # statements
DEEPEST = 100  # parentheses within each other; the kernel rejects conditions with more than 50
_OPENS, _CLOSES = {"LPAR", "LSQB"}, {"RPAR", "RSQB"}
_WORD = re.compile(r"[^\W\d][\w-]*|\d+\w*|\S|$")


@cache
def parser() -> Lark:
    """Return the parser of the grammar."""
    return Lark(
        GRAMMAR.read_text(), start="script", parser="lalr", propagate_positions=True, maybe_placeholders=False
    )


def parse(text: str) -> Statements:
    """Return the statements of a text. Raises WsqlError."""
    if len(text) > LARGEST:
        facts = {"n": len(text), "most": LARGEST}
        raise WsqlError(
            _("The text has %(n)s characters; at most %(most)s are read.") % facts, text, LARGEST, end=LARGEST
        )
    _need_storable(text)
    return build(text, _tree(text))


def _need_storable(text: str) -> None:
    """Reject a text with a character that the database cannot store."""
    found = re.search("[\0\ud800-\udfff]", text)
    if found:
        message = _("The character %(code)s cannot be stored.") % {"code": f"U+{ord(found.group()):04X}"}
        raise WsqlError(message, text, found.start(), end=found.end())


def _tree(text: str) -> Tree[Token]:
    interactive = parser().parse_interactive(text)
    depth = count = 0
    try:
        for token in interactive.iter_parse():
            depth += (token.type in _OPENS) - (token.type in _CLOSES)
            count += token.type == "SEMICOLON"
            if depth > DEEPEST:
                raise _limit(text, token, _("More than %(n)s parentheses are within each other."), DEEPEST)
            if count > MOST:
                raise _limit(text, token, _("The text has more than %(n)s statements."), MOST)
        return interactive.feed_eof()
    except UnexpectedInput as error:
        raise _unexpected(text, error, interactive.accepts()) from None


def _limit(text: str, token: Token, message: str, limit: int) -> WsqlError:
    return WsqlError(message % {"n": limit}, text, token.start_pos or 0, end=token.end_pos)


def _unexpected(text: str, error: UnexpectedInput, accepted: Iterable[str]) -> WsqlError:
    """Return the error for what the grammar does not have at a place."""
    start = len(text.rstrip()) if _is_end(error) else error.pos_in_stream or 0
    found = _WORD.match(text, start)
    word = found.group() if found else ""
    expected = _expected(accepted)
    facts = {"word": shortened(word), "expected": ", ".join(expected)}
    unclosed = _unclosed(text, start)
    if unclosed:
        message = unclosed
    elif word:
        message = _("“%(word)s” is not expected here, but: %(expected)s.") % facts
    else:
        message = _("The text ends here; expected is: %(expected)s.") % facts
    words = [each for each in expected if each[0].isupper()]
    return WsqlError(message, text, start, end=start + len(word), hint=meant(word, words) if word else "")


def _is_end(error: UnexpectedInput) -> bool:
    return isinstance(error, UnexpectedToken) and error.token.type == "$END"


def _unclosed(text: str, start: int) -> str:
    """Return the message for a text, a name or a comment that has no end."""
    if text.startswith("/*", start):
        return _("The comment has no end: */ is missing.")
    if text.startswith("$$", start):
        return _("The text has no end: $$ is missing.")
    if text[start : start + 1] in ("'", '"'):
        return _("The text has no end: the closing quote is missing.") if _odd(text, start) else ""
    return ""


def _odd(text: str, start: int) -> bool:
    return not re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")+\"""").match(text, start)


def _expected(accepted: Iterable[str]) -> list[str]:
    """Return names for people of the terminals that the grammar has at a place; words come first."""
    kinds = {
        "NAME": _("a name"),
        "STRING": _("a text in quotes"),
        "NUMBER": _("a number"),
        "WHOLE": _("a number"),
        "DURATION": _("a duration such as 3d18h"),
        "$END": _("the end"),
    }
    left_out = {"QUOTED", "DOLLAR", "OPERATOR", "COMMENT"}
    words: list[str] = []
    others: list[str] = []
    for name in sorted(accepted):
        shown = kinds.get(name) or literals().get(name, "")
        if shown and name not in left_out:
            (others if name in kinds or not shown[0].isalpha() else words).append(shown)
    return [*sorted(words), *others]


@cache
def literals() -> dict[str, str]:
    """Return the words and signs of the grammar by the names of their terminals."""
    return {
        each.name: each.pattern.value.upper() for each in parser().terminals if each.pattern.type == "str"
    }
