"""The functions of FEEL for texts (DMN 1.5, 10.3.4.3), and those that make one."""

from __future__ import annotations

import re
from collections.abc import Callable

from flows.languages.bpmn.feel import lists
from flows.languages.bpmn.feel.lists import NULL, NoValue, Value, as_type, closed, whole
from flows.languages.bpmn.feel.values import NUMBERS, TEXTS, Part

# What regular expressions of XPath and of PostgreSQL write alike.
_PATTERN = re.compile(
    r"(?:\\[dswnrt.\\^$|()\[\]{}*+?/-]|\[\^?(?:\\[dswnrt.\\^$\[\]-]|[^\\\[\]])+\]|\((?!\?)|\(\?:|[^\\\[\]])*"
)
_DECIMAL = r"-?([0-9]+(\.[0-9]*)?|\.[0-9]+)"
_GROUP = re.compile(r"\$\d")


def _text(part: Part) -> Part:
    """Return a text. Raises NoValue for a value of another type."""
    found = as_type(part, "text")
    if found != NULL and found.type not in TEXTS | {""}:
        raise NoValue(f"A text is expected, not a value of type {found.type}.")
    return closed(found)


def _written(part: Part) -> str:
    if not part.startswith("'"):
        raise NoValue("Texts that are looked for, patterns and delimiters are written out here.")
    return part[1:-1].replace("''", "'")


def substring(part: Part, start: Part, length: Part | None = None) -> Part:
    """Return a part of a text, from a position that is counted from 1, or from the end."""
    text, first, size = _text(part), whole(start), whole(length) if length is not None else None
    if NULL in (part, start) or length == NULL:
        return NULL
    if first is None or (length is not None and size is None):
        raise NoValue("The numbers of “substring” are whole numbers that are written out.")
    if not first or (size is not None and size < 1):
        return NULL
    if first > 0:
        return Part(f"substr({text}, {first}{'' if size is None else f', {size}'})", "text")
    end = f"right({text}, {-first})"
    return Part(end if size is None else f"left({end}, {size})", "text")


def _simple(form: str, type_: str) -> Callable[[Part], Part]:
    def function(part: Part) -> Part:
        return NULL if part == NULL else Part(form.format(_text(part)), type_)

    return function


def _found(form: str, type_: str) -> Callable[[Part, Part], Part]:
    """Return a function of a text and one that is looked for in it."""

    def function(part: Part, match: Part) -> Part:
        if NULL in (part, match):
            return NULL
        size = len(_written(match))
        return Part(form.format(text=_text(part), match=match, size=size, after=size), type_)

    return function


def checked_pattern(text: str) -> str:
    """Return a pattern that XPath and the database read alike. Raises NoValue for another one."""
    if _PATTERN.fullmatch(text) is None:
        raise NoValue("The pattern has a sign that regular expressions of the database read in another way.")
    return text


def _pattern(part: Part) -> str:
    checked_pattern(_written(part))
    return str(part)


def _flags(part: Part | None) -> str:
    found = _written(part) if part is not None and part != NULL else ""
    if set(found) - {"i", "s"}:
        raise NoValue("The flags are “i” and “s” here.")
    return ("i" if "i" in found else "") + ("" if "s" in found else "p")


def matches(part: Part, pattern: Part, flags: Part | None = None) -> Part:
    """Return whether a part of a text matches a regular expression."""
    if NULL in (part, pattern):
        return NULL
    return Part(f"regexp_like({_text(part)}, {_pattern(pattern)}, '{_flags(flags)}')", "boolean")


def replaced(part: Part, pattern: Part, replacement: Part, flags: Part | None = None) -> Part:
    """Return a text in which what matches a regular expression is replaced."""
    if NULL in (part, pattern, replacement):
        return NULL
    new = _written(replacement)
    if _GROUP.search(new):
        raise NoValue("A replacement with parts of what was found, such as $1, is not in the subset.")
    quoted = new.replace("\\", "\\\\").replace("'", "''")
    return Part(f"regexp_replace({_text(part)}, {_pattern(pattern)}, '{quoted}', 'g{_flags(flags)}')", "text")


def split(part: Part, delimiter: Part) -> Part:
    """Return the texts between delimiters."""
    if NULL in (part, delimiter):
        return NULL
    sign = _written(delimiter)
    if not sign or re.search(r"[\\.^$|()\[\]{}*+?]", sign):
        raise NoValue("The delimiter is a text without signs of regular expressions.")
    return Part(f"string_to_array({_text(part)}, {delimiter})", "text[]")


def text_of_value(part: Part) -> Part:
    """Return a value as a text."""
    if part == NULL or part.type in TEXTS:
        return part
    if part.type in NUMBERS:
        return Part(f"trim_scale(({part})::numeric)::text", "text")
    if part.type in ("boolean", "date", "time"):
        return Part(f"({part})::text", "text")
    raise NoValue("“string” is of a number, a truth value, a date, a time or a text here.")


def number_of_text(part: Part, grouping: Part | None = None, decimal: Part | None = None) -> Part:
    """Return the number that a text says, null where it says none."""
    if part == NULL:
        return NULL
    text = str(_text(part))
    if lists.is_written(part) and grouping is None and decimal is None:
        return Part(text[1:-1], "numeric") if re.fullmatch(_DECIMAL, text[1:-1], re.ASCII) else NULL
    signs = ["" if each is None or each == NULL else _written(each) for each in (grouping, decimal)]
    if (
        signs[0] not in ("", " ", ",", ".")
        or signs[1] not in ("", ",", ".")
        or (signs[0] and signs[0] == signs[1])
    ):
        return NULL
    if signs[0]:
        text = f"replace({text}, '{signs[0]}', '')"
    if signs[1] == ",":
        text = f"translate({text}, ',.', '.,')"
    return Part(f"(case when {text} ~ '^{_DECIMAL}$' then ({text})::numeric end)", "numeric")


FUNCTIONS: dict[str, tuple[str, Callable[..., Value]]] = {
    "substring": ("string, start position, length?", substring),
    "string length": ("string", _simple("char_length({})", "integer")),
    "upper case": ("string", _simple("upper({})", "text")),
    "lower case": ("string", _simple("lower({})", "text")),
    "trim": ("string", _simple("btrim({})", "text")),
    "contains": ("string, match", _found("(strpos({text}, {match}) > 0)", "boolean")),
    "starts with": ("string, match", _found("starts_with({text}, {match})", "boolean")),
    "ends with": ("string, match", _found("(right({text}, {size}) = {match})", "boolean")),
    "substring before": (
        "string, match",
        _found("left({text}, greatest(strpos({text}, {match}) - 1, 0))", "text"),
    ),
    "substring after": (
        "string, match",
        _found(
            "(case when strpos({text}, {match}) > 0 then substr({text}, strpos({text}, {match}) + {after}) "
            "else left({text}, 0) end)",
            "text",
        ),
    ),
    "matches": ("input, pattern, flags?", matches),
    "replace": ("input, pattern, replacement, flags?", replaced),
    "split": ("string, delimiter", split),
    "string": ("from", text_of_value),
    "number": ("from, grouping separator?, decimal separator?", number_of_text),
}
