"""Functions of FEEL for contexts and for the order of two values (DMN 1.5, 10.3.4.8 and 10.3.4.10)."""

from __future__ import annotations

from collections.abc import Callable

from flows.languages.bpmn.feel.comparisons import compared
from flows.languages.bpmn.feel.list_functions import listed_of
from flows.languages.bpmn.feel.lists import NULL, Context, NoValue, Value, listed, one, text
from flows.languages.bpmn.feel.selections import of_documents, part_of
from flows.languages.bpmn.feel.tree import key_of
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


def _context(value: Value, function: str) -> Context:
    if not isinstance(value, Context):
        raise NoValue(f"“{function}” is of contexts that are written out.")
    return value


def get_entries(context: Value) -> Value:
    """Return the entries of a context as a list of contexts with key and value."""
    if context == NULL:
        return NULL
    found = _context(context, "get entries").entries
    return listed(Context({"key": text(key), "value": value}) for key, value in found.items())


def context_put(context: Value, key: Value, value: Value) -> Value:
    """Return a context with one more entry, or with another value of an entry."""
    if NULL in (context, key):
        return NULL
    if not isinstance(key, Part) or not key.startswith("'"):
        raise NoValue("The key is a text that is written out.")
    return _merged([_context(context, "context put"), Context({key[1:-1].replace("''", "'"): value})])


def context_merge(contexts: Value) -> Value:
    """Return the entries of some contexts as one context; the last one of a name counts."""
    if contexts == NULL:
        return NULL
    values = listed_of(contexts).values()
    return NULL if NULL in values else _merged([_context(each, "context merge") for each in values])


def _merged(contexts: list[Context]) -> Context:
    names: dict[str, str] = {}
    entries: dict[str, Value] = {}
    for name, value in (entry for each in contexts for entry in each.entries.items()):
        entries[names.setdefault(key_of(name), name)] = value
    return Context(entries)


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
    "get entries": ("m", get_entries),
    "context put": ("context, key, value", context_put),
    "context merge": ("contexts", context_merge),
    "before": ("point1, point2", _ordered("<")),
    "after": ("point1, point2", _ordered(">")),
}
