"""Ranges in a text, `range("[1..5]")`: their ends are values that are written out (DMN 1.5, 10.3.4.1)."""

from __future__ import annotations

from flows.languages.bpmn.feel import tree
from flows.languages.bpmn.feel.grammar import Grammar
from flows.languages.bpmn.feel.values import text_of
from flows.languages.bpmn.feel.words import NotSimple, words

_WRITTEN = (tree.Number, tree.Text)
_OF_TEXT = frozenset({"date", "time", "date and time", "duration"})


def range_of(node: tree.Text) -> tree.Node:
    """Return the range of a text, null where it is none."""
    try:
        grammar = Grammar(words(text_of(node.text) or ""), {})
        found = grammar.either()
        grammar.need("", "the end")
    except NotSimple:
        return tree.Constant(node.position, "null")
    ends = isinstance(found, tree.Range) and _is_written(found.low) and _is_written(found.high)
    return found if ends else tree.Constant(node.position, "null")


def _is_written(end: tree.Node) -> bool:
    if isinstance(end, tree.Negative):
        return isinstance(end.part, tree.Number)
    if isinstance(end, tree.Call):
        return end.function in _OF_TEXT and all(isinstance(each, tree.Text) for each in end.parts)
    return isinstance(end, _WRITTEN)
