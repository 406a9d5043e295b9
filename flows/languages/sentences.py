"""The sentences of BPMN, PDL and graphs about a file, in the language of the user.

They are written in English where they are made, as those of the kernel (flows/messages.py); their templates
are read from the sources of these packages, and the catalogue has their translations.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import ascii_lowercase

from django.utils.translation import gettext

from flows import messages
from flows.languages.bpmn_words import in_bpmn_words

_PACKAGES = ("bpmn", "graph", "pdl")
_SENTENCE = re.compile(r"[A-Z“{][^\n]* [^\n]*(?:\.|: \{[a-z]\})")
# What stands in a slot of a sentence and is no name.
FRAGMENTS = ("the end", "an id", "a text in double quotes", "a whole number", "a number")


def translated(message: str) -> str:
    """Return the message of a problem in the active language; unchanged if no template has it."""
    return messages.translated(message, sentences(), _inner) or message


def _inner(text: str) -> str:
    if text.endswith("."):
        return translated(text)
    parts = text.split(", ")  # what PDL expects at a place
    known = any(part in FRAGMENTS for part in parts)
    return ", ".join(gettext(part) if part in FRAGMENTS else part for part in parts) if known else text


@cache
def sentences() -> frozenset[str]:
    """Return the templates of all sentences: the slots are {a}, {b} and so on, in their order."""
    folder = Path(__file__).parent
    sources = (path for package in _PACKAGES for path in sorted((folder / package).rglob("*.py")))
    found = [(path, text) for path in sources for text in _texts(path) if _SENTENCE.fullmatch(text)]
    in_bpmn = (in_bpmn_words(text) for path, text in found if _is_checked(path))
    return frozenset(text for _path, text in found) | frozenset(in_bpmn)


def _is_checked(path: Path) -> bool:
    """Return whether sentences of a source are also about processes: those that read graphs are not."""
    return path.parent.name == "graph" and path.stem not in ("reader", "history", "terms")


def _texts(path: Path) -> Iterator[str]:
    """Yield the strings of a source as templates, without its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = [*ast.walk(tree)]
    outside = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    outside |= {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            yield _template(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in outside:
            yield node.value


def _template(node: ast.JoinedStr) -> str:
    slots = iter(ascii_lowercase)
    parts = (part.value if isinstance(part, ast.Constant) else f"{{{next(slots)}}}" for part in node.values)
    return "".join(map(str, parts))
