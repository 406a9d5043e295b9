"""Labels of the options of attributes and of the queues of flows, in the user's language.

A definition has them as lines such as `sold_out = Sold out`, for one language `sold_out [pt-br] = Esgotado`;
wedsql._check_labels says which lines are right.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from flows.labels import translate_label

_REST = re.compile(r"\s*(?:\[([a-z]{2,3}(?:-[a-z0-9]{2,8})*)\])?\s*=\s*(\S.*)", re.DOTALL)
_LINE = re.compile(r"\s*([^=\[\]]*[^=\[\]\s])(\s*(?:\[[^\]]*\])?\s*=.*)", re.DOTALL)


class Labels:
    """The labels of values; `known` are all values that may have one, None for any."""

    def __init__(self, lines: Iterable[str], known: Sequence[str] | None = None) -> None:
        self.lines, self.known = tuple(lines), known

    @cached_property
    def by_language(self) -> Mapping[str, Mapping[str, str]]:
        """Return the labels by language, "" for every one, and by value."""
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for line in self.lines:
            value, rest = self._split(line)
            if read := _REST.fullmatch(rest):
                found[read[1] or ""][value] = read[2].strip()
        return found

    def _split(self, line: str) -> tuple[str, str]:
        """Return the value with which a line begins, and the rest of the line."""
        if self.known is None:
            read = _LINE.fullmatch(line)
            return (read[1], read[2]) if read else ("", "")
        begun = [one for one in self.known if line.startswith(one) and _REST.fullmatch(line[len(one) :])]
        value = max(begun, key=len, default="")
        return value, line[len(value) :] if begun else ""

    def of(self, value: str) -> str:
        """Return the label of a value; the value itself if it has none."""
        language = get_language() or ""
        for each in (language, language.partition("-")[0]):
            if each and value in self.by_language.get(each, {}):
                return self.by_language[each][value]
        return translate_label(self.by_language.get("", {}).get(value, "")) or value


class EnumType(str):
    """The type of an attribute with options, whose values are shown by their labels.

    It is the text "enum" wherever a type is compared; pages that show a value find the labels in it.
    """

    labels: Labels

    @classmethod
    def of(cls, options: Iterable[Any], lines: Iterable[str] | None) -> EnumType:
        """Return the type of an attribute with these options and labels."""
        made = cls("enum")
        made.labels = Labels([str(line) for line in lines or ()], [str(one) for one in options or ()])
        return made

    def label_of(self, value: str) -> str:
        """Return the label of an option."""
        return self.labels.of(value)


def option_meant(kind: str, text: str) -> str:
    """Return the option that a person means by its label; any other text as it is."""
    if not isinstance(kind, EnumType) or text in (known := kind.labels.known or ()):
        return text
    labels = ((one, kind.label_of(one)) for one in known)
    meant = (one for one, label in labels if label != one and label.casefold() == text.casefold())
    return next(meant, text)


def type_of(attribute: Mapping[str, Any]) -> str:
    """Return the type of an attribute of a definition, with the labels of its options."""
    kind = str(attribute.get("type") or "text")
    if kind != "enum":
        return kind
    given = (attribute.get(option) for option in ("options", "option_labels"))
    options, lines = (each if isinstance(each, list | tuple) else () for each in given)
    return EnumType.of(options, lines)


def value_label(kind: str, value: str) -> str:
    """Return the text for a value of a type: the label of an option, any other value unchanged."""
    return kind.label_of(value) if isinstance(kind, EnumType) else value


class AttributeTitles(dict[str, str]):
    """The titles of attributes by name, with the types of those that have options."""

    types: Mapping[str, str] = {}

    @classmethod
    def of(cls, attributes: Iterable[Mapping[str, Any]]) -> AttributeTitles:
        """Return the titles of the attributes of a definition; the name of one without a label."""
        listed = list(attributes)
        return cls._made(
            {str(a["name"]): str(a.get("label") or a["name"]) for a in listed},
            {str(a["name"]): type_of(a) for a in listed},
        )

    @classmethod
    def _made(cls, titles: Mapping[str, str], types: Mapping[str, str]) -> AttributeTitles:
        made = cls(titles)
        made.types = types
        return made

    def translated(self, translate: Callable[[str], str]) -> AttributeTitles:
        """Return the same with translated titles."""
        return self._made({name: translate(title) for name, title in self.items()}, self.types)


def types_of(titles: Mapping[str, str]) -> Mapping[str, str]:
    """Return the types of the attributes with these titles, as far as they are known."""
    return titles.types if isinstance(titles, AttributeTitles) else {}


# The queue of cases for which no rule of a flow holds.
DEFAULT_QUEUE = "default"


class QueueTitles:
    """What people read for the queues of flows."""

    def __init__(self, lines: Mapping[str, Iterable[str] | None]) -> None:
        """Take the labels of queues by flow."""
        self.by_flow = {flow: Labels(given or ()) for flow, given in lines.items()}

    def of(self, queue: str, flow: str | None = None) -> str:
        """Return the title of a queue of a flow, or, over several flows, by the first that labels it."""
        asked = self.by_flow.values() if flow is None else [self.by_flow.get(flow, Labels(()))]
        titles = (each.of(queue) for each in asked)
        found = next((title for title in titles if title != queue), queue)
        return _("default") if found == DEFAULT_QUEUE else found
