"""Filters from the fields of a form: an attribute, the code of an operator, and a value."""

from __future__ import annotations

from flows.filters.errors import BadFilter
from flows.filters.fields import ATTRIBUTE, PARTS, STATUSES, Field, fields
from flows.filters.grammar import MAX_VALUE, NAME
from flows.filters.tree import Condition, Node
from flows.queries.definitions import FlowInfo

# The codes of operators in forms and in addresses.
CODES = {
    "eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "contains": "~", "starts": "^",
    "null": "no", "notnull": "has",
}  # fmt: skip
SIGNS = {sign: code for code, sign in CODES.items()}


def condition(name: str, code: str, value: str, flow: FlowInfo | None = None) -> Condition:
    """Return the condition of a form's fields; in the older addresses `name` is always an attribute.

    Raises BadFilter.
    """
    if not NAME.fullmatch(name):
        raise BadFilter("unknown_field", field=name[:63], fields=", ".join(f.written for f in fields(flow)))
    operator = CODES.get(code or "eq", "")
    if not operator:
        raise BadFilter("operator", field=name[:63], operator=code[:20], operators=", ".join(CODES))
    if operator in ("has", "no"):
        return Condition(name, operator)
    if len(value) > MAX_VALUE:
        raise BadFilter("long_value", limit=MAX_VALUE)
    if not value:
        raise BadFilter("no_value", field=name[:63])
    if flow is None or flow.attribute(name) is None or name not in PARTS:
        return Condition(name, operator, (value,))
    return Condition(ATTRIBUTE + name, operator, (value,))


def status(letter: str) -> Condition | None:
    """Return the condition of the letter of a status, None if there is no such status."""
    names = [name for name, each in STATUSES.items() if each == letter]
    return Condition("status", "=", (names[0],)) if names else None


def codes(field: Field) -> list[str]:
    """Return the codes of the operators that a form offers for a field."""
    return [SIGNS[operator] for operator in field.operators if operator in SIGNS]


def as_fields(node: Node) -> tuple[str, str, str] | None:
    """Return name, code and value of a condition that a form can show, else None."""
    if not isinstance(node, Condition) or node.operator not in SIGNS or len(node.values) > 1:
        return None
    return node.field, SIGNS[node.operator], (node.values[0] or "") if node.values else ""
