"""A condition as a sentence, made of the outline that `flows.api.conditions.outline` returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from flows.definition.option_labels import types_of, value_label

Node = Mapping[str, Any]

# NOT before a comparison is the opposite operator, for null as for any other value.
OPPOSITE = {
    "=": "<>",
    "<": ">=",
    ">": "<=",
    "in": "not in",
    "between": "not between",
    "is null": "is not null",
    "is true": "is not true",
    "is false": "is not false",
    "is distinct from": "is not distinct from",
}
COMPARISONS = ("=", "<>", "<", ">", "<=", ">=")
OPPOSITE |= {opposite: operator for operator, opposite in OPPOSITE.items()}
SAME = {
    "!=": "<>",
    "isnull": "is null",
    "notnull": "is not null",
    "is unknown": "is null",
    "is not unknown": "is not null",
}


def sentence(outline: Node, labels: Mapping[str, str]) -> str:
    """Return the condition as a sentence with the labels of the attributes; what has none is shown as SQL."""
    return Reader(labels).read(outline)


class Reader:
    """Reads the nodes of one outline."""

    def __init__(self, labels: Mapping[str, str]) -> None:
        self.labels = labels

    def read(self, node: Node, negated: bool = False) -> str:
        """Return one node as a part of the sentence."""
        if "not" in node:
            return self.read(node["not"], not negated)
        if "sql" in node:
            return self._part(node, negated)
        joined = self._joined(node)
        return _("not (%(condition)s)") % {"condition": joined} if negated else joined

    def _joined(self, node: Node) -> str:
        """Return the parts joined; a group of the other kind in it is in parentheses."""
        joint, parts = (_(" and "), node["all"]) if "all" in node else (_(" or "), node["any"])
        return joint.join(f"({self.read(p)})" if "all" in p or "any" in p else self.read(p) for p in parts)

    def _part(self, node: Node, negated: bool) -> str:
        given: str = node.get("operator", "")
        operator = SAME.get(given, given)
        operator = _negated(operator) if negated else operator
        word = _only_word(node)
        phrase = PHRASES.get((operator, word)) or PHRASES.get((operator, ""))
        if phrase is None or (word == "null" and operator in COMPARISONS):  # never true: not a plain sentence
            return _("not (%(condition)s)") % {"condition": node["sql"]} if negated else node["sql"]
        kind = types_of(self.labels).get(node["attribute"], "")
        values = [self._value(value, kind) for value in node["values"]]
        return phrase() % {
            "attribute": self._label(node["attribute"]),
            "value": values[0] if values else "",
            "last": values[-1] if values else "",
            "values": ", ".join(values),
        }

    def _label(self, attribute: str) -> str:
        return self.labels.get(attribute) or attribute

    def _value(self, value: Mapping[str, str], kind: str) -> str:
        ((form, text),) = value.items()
        if form == "attribute":
            return self._label(text)
        if form == "word":
            return _("yes") if text == "true" else _("no") if text == "false" else text
        return f"'{value_label(kind, text)}'" if form == "text" else text


def _only_word(node: Node) -> str:
    """Return the word (true, false, null) that is the only value, or an empty text."""
    values = node.get("values", [])
    return values[0].get("word", "") if len(values) == 1 else ""


def _negated(operator: str) -> str:
    return "fails" if operator == "holds" else OPPOSITE.get(operator, "")


# By operator and, where the sentence depends on it, the word that is the value. Functions, as the language of
# the reader is known only when the sentence is made.
PHRASES: dict[tuple[str, str], Callable[[], str]] = {
    ("holds", ""): lambda: _("%(attribute)s is yes"),
    ("fails", ""): lambda: _("%(attribute)s is no"),
    ("is true", ""): lambda: _("%(attribute)s is yes"),
    ("is false", ""): lambda: _("%(attribute)s is no"),
    ("is not true", ""): lambda: _("%(attribute)s is no or empty"),
    ("is not false", ""): lambda: _("%(attribute)s is yes or empty"),
    ("=", ""): lambda: _("%(attribute)s is %(value)s"),
    ("<>", ""): lambda: _("%(attribute)s is not %(value)s"),
    ("is not distinct from", ""): lambda: _("%(attribute)s is the same as %(value)s"),
    ("is distinct from", ""): lambda: _("%(attribute)s differs from %(value)s"),
    ("is not distinct from", "null"): lambda: _("%(attribute)s is empty"),
    ("is distinct from", "null"): lambda: _("%(attribute)s has a value"),
    ("is null", ""): lambda: _("%(attribute)s is empty"),
    ("is not null", ""): lambda: _("%(attribute)s has a value"),
    ("<", ""): lambda: _("%(attribute)s is less than %(value)s"),
    (">", ""): lambda: _("%(attribute)s is greater than %(value)s"),
    ("<=", ""): lambda: _("%(attribute)s is at most %(value)s"),
    (">=", ""): lambda: _("%(attribute)s is at least %(value)s"),
    ("in", ""): lambda: _("%(attribute)s is one of %(values)s"),
    ("not in", ""): lambda: _("%(attribute)s is none of %(values)s"),
    ("between", ""): lambda: _("%(attribute)s is from %(value)s to %(last)s"),
    ("not between", ""): lambda: _("%(attribute)s is not from %(value)s to %(last)s"),
}
