"""What a language computes otherwise than FEEL."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ESCAPE = re.compile(r"\\(?:[\\'\"nrt]|u[0-9A-Fa-f]{4})")
"""Characters that are written alike in these languages and in FEEL."""
_OCTAL = re.compile(r"0\d+")
_FILLED_IN = re.compile(r"(?<!\\)\$[\w{]")
_NUMBER = re.compile(r"""(["'])-?\d+(?:\.\d+)?\1""")
PROGRAMS = ("javascript", "java", "mvel", "python", "groovy")
"""Languages of scripts; in the order in which their names are looked for, as one contains another."""


class Different(ValueError):
    """An expression that FEEL reads, too, but as something else than its language does."""


@dataclass(frozen=True)
class Language:
    """A language by its name, which is empty where none is given."""

    name: str
    from_zero: bool = False
    """Whether the items of a list are counted from 0."""

    @classmethod
    def of(cls, text: str, *, from_zero: bool) -> Language:
        """Return the language that a file names by a word or an address."""
        found = (each for each in ("xpath", "juel", *PROGRAMS) if each in text)
        return cls(next(found, ""), from_zero)

    @property
    def is_program(self) -> bool:
        return self.name in PROGRAMS

    @property
    def has_paths(self) -> bool:
        return self.name == "xpath"

    @property
    def lengths(self) -> frozenset[str]:
        """Return the names of the property that is the number of the items of a list."""
        return frozenset({"length", "size"} if self.name in ("java", "mvel") else {"length"})

    def converts(self, signs: tuple[str, ...], type_: str) -> bool:
        """Return whether texts are compared with values of a type by their values."""
        if self.name in ("java", "python", "groovy") or not {"===", "!=="}.isdisjoint(signs):
            return False
        return self.name != "javascript" or type_ != "boolean"

    def remainder(self, value: str, by: str) -> str:
        """Return the rest of a division as FEEL; in Python, as in FEEL, it has the sign of the divisor."""
        if self.name == "python":
            return f"modulo({value}, {by})"
        return f"({value} - ({by}) * round down(({value}) / ({by}), 0))"

    def check_signs(self, signs: tuple[str, ...], lists: list[bool]) -> None:
        """Raise Different for a sign that assigns, and for lists that are compared by identity.

        lists: which of the parts are lists that are written out.
        """
        if self.is_program and not {"=", "<>"}.isdisjoint(signs):
            raise Different
        if self.name == "javascript" and any(lists):
            raise Different

    def check_number(self, text: str) -> None:
        """Raise Different for a number that is written in octal digits."""
        if self.is_program and _OCTAL.fullmatch(text):
            raise Different

    def check_text(self, text: str) -> None:
        """Raise Different for a text with characters or values that FEEL does not put into it."""
        if self.is_program and "\\" in _ESCAPE.sub("", text):
            raise Different
        if self.name == "groovy" and text.startswith('"') and _FILLED_IN.search(text):
            raise Different

    def check_sum(self, texts: list[str], types: list[str]) -> None:
        """Raise Different for a sum of texts and others; types: of the parts, `texts` those written out.

        Programs join them, and JUEL adds numbers that are written as texts.
        """
        if self.is_program and "text" in types and {*types} != {"text"}:
            raise Different
        if (
            (self.from_zero or self.name == "juel")
            and not self.is_program
            and any(map(_NUMBER.fullmatch, texts))
        ):
            raise Different
