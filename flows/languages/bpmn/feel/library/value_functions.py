"""Functions of FEEL for contexts, and `is` (DMN 1.5, 10.3.4.10 and 10.3.4.6); Camunda's tests of values."""

from __future__ import annotations

from collections.abc import Callable

from flows.languages.bpmn.feel.library.list_functions import equal_of, listed_of
from flows.languages.bpmn.feel.lists import (
    NULL,
    Context,
    Documents,
    Listed,
    NoValue,
    Value,
    as_type,
    closed,
    is_null,
    listed,
    one,
    shared,
    text,
)
from flows.languages.bpmn.feel.selections import of_documents, part_of
from flows.languages.bpmn.feel.tree import key_of
from flows.languages.bpmn.feel.values import NUMBERS, TEXTS, Part

_KINDS = {**dict.fromkeys(NUMBERS, "number"), **dict.fromkeys(TEXTS, "text")}


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


def context_of(entries: Value) -> Value:
    """Return a context of contexts with key and value; null where a key is there twice."""
    if entries == NULL:
        return NULL
    found: dict[str, Value] = {}
    for each in listed_of(entries).values():
        entry = _context(each, "context").entries
        name = entry.get("key", NULL)
        if not {"key", "value"} <= set(entry) or name == NULL:
            return NULL
        if not isinstance(name, Part) or not name.startswith("'"):
            raise NoValue("The keys of “context” are texts that are written out.")
        plain = name[1:-1].replace("''", "'")
        if plain in found:
            return NULL
        found[plain] = entry["value"]
    return Context(found)


def _merged(contexts: list[Context]) -> Context:
    names: dict[str, str] = {}
    entries: dict[str, Value] = {}
    for name, value in (entry for each in contexts for entry in each.entries.items()):
        entries[names.setdefault(key_of(name), name)] = value
    return Context(entries)


def same(value1: Value, value2: Value) -> Part:
    """Return whether two values are of one type and equal, or both null."""
    first, second = one(value1), one(value2)
    if NULL in (first, second):
        return Part(f"({equal_of(first, second) if first == second else _is_null(first, second)})", "boolean")
    types = {_KINDS.get(each.type, each.type) for each in (first, second)}
    if types & {"", "jsonb"} or {True, False} <= {first.months, second.months}:
        raise NoValue("“is” is of two values whose types are known.")
    if len(types) > 1:
        unknown = " and ".join(f"{closed(each)} is null" for each in (first, second))
        return Part(f"({unknown})", "boolean")
    return Part(f"({equal_of(first, second)})", "boolean")


def _is_null(first: Part, second: Part) -> str:
    return is_null(closed(second if first == NULL else first))


def is_defined(value: Value) -> Part:
    """Return whether there is a value; an attribute without one is not defined."""
    if isinstance(value, Context | Listed):
        return Part("true", "boolean")
    found = one(value)
    return Part("false" if found == NULL else f"(not ({is_null(closed(found))}))", "boolean")


def is_empty(list_: Value) -> Part:
    """Return whether a list, a context or a text has nothing in it; what has no value is empty, too."""
    if isinstance(list_, Listed):
        return Part(f"{str(not list_.values()).lower()}", "boolean")
    if isinstance(list_, Context):
        return Part(f"{str(not list_.entries).lower()}", "boolean")
    if isinstance(list_, Documents) and list_.several:
        return Part(f"({list_.array()} = '[]'::jsonb)", "boolean")
    found = closed(one(list_))
    if found == NULL:
        return Part("true", "boolean")
    nothing = f"{found} = ''" if found.type in TEXTS else ""
    if found.type == "jsonb":
        nothing = f"{found} in ('[]'::jsonb, '{{}}'::jsonb, '\"\"'::jsonb)"
    return Part(f"({is_null(found)} or {nothing})" if nothing else f"({is_null(found)})", "boolean")


def is_blank(string: Value) -> Part:
    """Return whether a text has only white space; what has no value is blank, too."""
    found = closed(as_type(one(string), "text"))
    return Part("true" if found == NULL else f"coalesce({found} !~ '\\S', true)", "boolean")


def get_or_else(value: Value, default: Value) -> Part:
    """Return a value, or another one where it is null."""
    first, second = one(value), one(default)
    if first == NULL:
        return second
    type_ = shared([first, second])
    if type_ not in ("", "jsonb"):
        first, second = as_type(first, type_), as_type(second, type_)
    return Part(f"coalesce({first}, {second})", type_)


FUNCTIONS: dict[str, tuple[str, Callable[..., Value]]] = {
    "get value": ("m, key", get_value),
    "is": ("value1, value2", same),
    "get entries": ("m", get_entries),
    "context put": ("context, key, value", context_put),
    "context merge": ("contexts", context_merge),
    "context": ("entries", context_of),
    "is defined": ("value", is_defined),
    "is empty": ("list", is_empty),
    "is blank": ("string", is_blank),
    "get or else": ("value, default", get_or_else),
}
