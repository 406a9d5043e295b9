"""FEEL, and the expression language of Camunda 7 as far as it is like it, as conditions in SQL.

The words of a text become a tree (grammar), the tree SQL (translation). Lists and contexts that are written
out exist only while an expression is translated: their items become parts of the SQL. Those in attributes are
JSON, which the database reads by paths.
"""

from __future__ import annotations

from collections.abc import Mapping

from flows.languages.bpmn.feel.grammar import LONGEST, Grammar
from flows.languages.bpmn.feel.translation import translated
from flows.languages.bpmn.feel.tree import Calculation, Negative, Number, Text
from flows.languages.bpmn.feel.words import NotSimple, words

__all__ = ["NotSimple", "may_hold", "names_in", "to_sql", "truth_to_sql"]


def to_sql(text: str, types: Mapping[str, str] | None = None) -> str:
    """Return an expression as SQL; `types` are those of attributes. Raises NotSimple."""
    return str(_translated(text, types or {}))


def truth_to_sql(text: str, types: Mapping[str, str]) -> str:
    """Return an expression that is a truth value as SQL. Raises NotSimple, also for any other value."""
    found = _translated(text, types)
    if getattr(found, "type", "") != "boolean":
        raise NotSimple("It is no truth value.", 1)
    return str(found)


def _translated(text: str, types: Mapping[str, str]) -> str:
    if len(text) > LONGEST:
        raise NotSimple(f"It has more than {LONGEST} characters.", 1)
    try:
        grammar = Grammar(words(text), types)
        found = grammar.either()
        grammar.need("", "the end")
        return translated(found, types)
    except RecursionError as error:
        raise NotSimple("It is nested too deeply.", 1) from error


def may_hold(text: str) -> bool:
    """Return whether an expression that is understood may be a truth value: no number, text or sum is one."""
    try:
        root = Grammar(words(text[:LONGEST]), {}).either()
    except (NotSimple, RecursionError):
        return True
    return not isinstance(root, Calculation | Negative | Number | Text)


def names_in(text: str) -> frozenset[str]:
    """Return the names of attributes in an expression, in lower case, as far as it is understood."""
    try:
        grammar = Grammar(words(text[:LONGEST]), {})
    except NotSimple:
        return frozenset()
    try:
        grammar.either()
    except (NotSimple, RecursionError):
        return frozenset(grammar.names)
    return frozenset(grammar.names)
