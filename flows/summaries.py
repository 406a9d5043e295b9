"""What a saved change of a draft did: a template and facts, said in the language of each reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Union

from django.utils.translation import gettext, ngettext, pgettext

Fact = Union[str, int, "Summary", list["Summary"]]


@dataclass(frozen=True)
class Summary:
    """A template in English with slots such as %(item)s, and the facts for them, which may be summaries.

    With `plural` it is chosen by the fact "n". `context` keeps apart what is translated by entries of that
    context only, such as labels.
    """

    template: str
    facts: Mapping[str, Fact] = field(default_factory=dict)
    plural: str = ""
    context: str = ""

    def __str__(self) -> str:
        """Return the text in the active language."""
        if self.plural:
            return self._with_facts(ngettext(self.template, self.plural, self._count), str)
        if self.context:
            return self._with_facts(pgettext(self.context, self.template), str)
        return self._with_facts(gettext(self.template), str)

    @property
    def english(self) -> str:
        """Return the text for programs."""
        template = self.plural if self.plural and self._count != 1 else self.template
        return self._with_facts(template, lambda each: each.english)

    @property
    def _count(self) -> int:
        return int(str(self.facts["n"]))

    def _with_facts(self, text: str, say: Callable[[Summary], str]) -> str:
        """Return the text with the facts in its slots; one without facts may have percent signs."""
        return text % {name: _shown(fact, say) for name, fact in self.facts.items()} if self.facts else text

    @property
    def parts(self) -> dict[str, Any]:
        """Return the summary as JSON."""
        facts = {name: _stored(fact) for name, fact in self.facts.items()}
        found = {"template": self.template, "plural": self.plural, "context": self.context, "facts": facts}
        return {name: value for name, value in found.items() if value}


def read(parts: Any) -> Fact:
    """Return the summary, or the fact of one, that was stored as these parts."""
    if isinstance(parts, list):
        return [Summary(**_read(each)) for each in parts]
    return Summary(**_read(parts)) if isinstance(parts, dict) else parts


def said(parts: Mapping[str, Any] | None, text: str) -> str:
    """Return a stored summary in the active language; the text where it is that of a person or unreadable."""
    try:
        return str(read(parts)) if parts else text
    except (KeyError, TypeError, ValueError):
        return text


def _read(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {**parts, "facts": {name: read(fact) for name, fact in parts.get("facts", {}).items()}}


def _shown(fact: Fact, say: Callable[[Summary], str]) -> str:
    if isinstance(fact, list):
        return ", ".join(map(say, fact))
    return say(fact) if isinstance(fact, Summary) else str(fact)


def _stored(fact: Fact) -> Any:
    if isinstance(fact, list):
        return [each.parts for each in fact]
    return fact.parts if isinstance(fact, Summary) else fact
