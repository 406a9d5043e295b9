"""Functions of FEEL for contexts and for the order of two values (DMN 1.5, 10.3.4.8 and 10.3.4.10)."""

from __future__ import annotations

from collections.abc import Callable

from flows.languages.bpmn.feel.comparisons import compared
from flows.languages.bpmn.feel.lists import NULL, Context, NoValue, Value, one
from flows.languages.bpmn.feel.selections import of_documents, part_of
from flows.languages.bpmn.feel.values import Part
from flows.languages.bpmn.feel.words import NotSimple


def get_value(context: Value, key: Value) -> Value:
    """Return the value of a context under a key that is written out, null where it has none."""
    if context == NULL or key == NULL:
        return NULL
    if not isinstance(key, Part) or not key.startswith("'"):
        raise NoValue("The key is a text that is written out.")
    if not isinstance(of_documents(context), Context) and of_documents(context) is context:
        raise NoValue("“get value” is of a context, or of an attribute with one (type jsonb).")
    return part_of(context, key[1:-1].replace("''", "'"))


def _ordered(sign: str) -> Callable[[Value, Value], Value]:
    def function(point: Value, other: Value) -> Value:
        first, second = one(point), one(other)
        if NULL in (first, second):
            return NULL
        try:
            return Part(f"({compared(first, sign, second, 1)})", "boolean")
        except NotSimple as error:
            raise NoValue(str(error)) from error

    return function


FUNCTIONS: dict[str, tuple[str, Callable[..., Value]]] = {
    "get value": ("m, key", get_value),
    "before": ("point1, point2", _ordered("<")),
    "after": ("point1, point2", _ordered(">")),
}
