"""Help and completion for the shell of WSQL, both made of the grammar."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from lark import Token
from lark.exceptions import UnexpectedInput

from flows.languages.wsql.parse import literals, parser
from flows.languages.wsql.railroad import rules

# Rules that are shown as one word where they are used, and not explained.
_PLAIN = {"name", "text", "predicate", "instance"}
_LAST_WORD = re.compile(r"[\w-]*\Z")


def titles() -> dict[str, str]:
    """Return the statements by their rules: their syntax up to the first part."""
    plain = {str(each).lstrip("_") for each in rules()["plain"].scan_values(_is_rule)} | {"explain"}
    return {name: syntax(name) for name in rules() if name in plain}


def explanation(words: str) -> list[str]:
    """Return the syntax of the statements that have all these words, and of their parts."""
    wanted = words.upper().split()
    return explained(name for name, text in titles().items() if all(each in _words(text) for each in wanted))


def explained(names: Iterable[str]) -> list[str]:
    """Return the syntax of these statements, and of their parts."""
    found = list(names)
    parts = dict.fromkeys(part for each in found for part in _parts(each))
    return [*map(syntax, found), *(f"    {name}: {syntax(name)}" for name in parts)]


def syntax(name: str) -> str:
    """Return a rule as a line: words in upper case, [what may be missing], and … for what is repeated."""
    return _shown(rules()[name])


def completions(text: str) -> tuple[list[str], bool]:
    """Return the words of the grammar with which the last word of a text can end, and whether a name can.

    Before the last word the text has to be correct; else there are none.
    """
    begun = _LAST_WORD.search(text)
    before = text[: begun.start()] if begun else text
    interactive = parser().parse_interactive(before)
    try:
        for _token in interactive.iter_parse():
            pass
        accepted = interactive.accepts()
    except UnexpectedInput:
        return [], False
    known = literals()
    words = sorted(known[each] for each in accepted if known.get(each, " ")[0].isalpha())
    return words, "NAME" in accepted


def _words(text: str) -> set[str]:
    return set(re.findall(r"[A-Z-]+", text)) | {"A", "C", "T", "G", "F"} & set(text.split())


def _parts(name: str) -> Iterator[str]:
    """Return the rules that a statement uses, each after the one that uses it."""
    for part in rules()[name].scan_values(_is_rule):
        if str(part) not in _PLAIN and not part.startswith("_"):
            yield str(part)
            yield from _parts(str(part))


def _is_rule(value: Any) -> bool:
    return isinstance(value, Token) and value.type == "RULE"


def _shown(tree: Any) -> str:
    if isinstance(tree, Token):
        return _word(tree)
    children = [each for each in tree.children if each is not None]
    if tree.data == "expansions":
        return " | ".join(_shown(each) for each in children)
    if tree.data == "expr":
        inner = _shown(children[0])
        return {"?": f"[{inner}]", "*": f"[{inner} …]", "+": f"{inner} …"}[str(children[1])]
    if tree.data == "expansion":
        return " ".join(_grouped(each) for each in children)
    return _shown(children[0])


def _grouped(tree: Any) -> str:
    """Return a part of a sequence; alternatives in it are in parentheses."""
    text = _shown(tree)
    inner = tree
    while not isinstance(inner, Token) and inner.data in ("value", "group") and inner.children:
        inner = inner.children[0]
    alternatives = not isinstance(inner, Token) and inner.data == "expansions" and len(inner.children) > 1
    return f"({text})" if alternatives else text


def _word(token: Token) -> str:
    text = str(token)
    if token.type == "STRING":
        return text.rstrip("i").strip('"')
    return {"DEFAULTS": "DEFAULT", "DURATION": "duration", "NUMBER": "number", "WHOLE": "number"}.get(
        text, text.replace("_plain", "statement")
    )
