"""Notes about one text: problems with their places, and spellings that are tolerated unless it is strict."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from lark import Token

from flows.languages.pdl.model import Place
from flows.languages.pdl.parser import SPELLED
from flows.languages.pdl.problems import PdlProblem

_KEPT_SIGNS = ("ARROW", "IDENT", "TEXT", "INTEGER", "DECIMAL")
# Words that the printed grammar does not have, and what it has for them.
_OTHER_WORDS = {"FAILED": "FAIL", "SELECTED": "RUNNING", "LOCKED": "RUNNING"}


@dataclass
class Notes:
    """The problems of one text. In a strict one, what is tolerated otherwise is an error."""

    text: str
    file: str = ""
    strict: bool = False
    problems: list[PdlProblem] = field(default_factory=list)
    _lines: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Find the beginnings of the lines."""
        self._lines = [0]
        at = self.text.find("\n")
        while at >= 0:
            self._lines.append(at + 1)
            at = self.text.find("\n", at + 1)

    def place(self, offset: int) -> Place:
        """Return the place of an offset."""
        line = bisect_right(self._lines, offset)
        return Place(self.file, line, offset - self._lines[line - 1] + 1)

    def note(self, code: str, message: str, offset: int, element: str = "", severity: str = "error") -> None:
        """Add a problem at an offset."""
        place = self.place(offset)
        self.problems.append(
            PdlProblem(code, message, place.line, place.column, severity, element, self.file)
        )

    def tolerate(self, message: str, offset: int, element: str = "") -> None:
        """Add a warning of a spelling that the printed grammar does not have; an error if it is strict."""
        self.note("spelling", message, offset, element, "error" if self.strict else "warning")

    def check_word(self, token: Token, offset: int, element: str) -> None:
        """Note a word that is not written as the printed grammar has it; `offset` is that of its piece."""
        if token.type in _KEPT_SIGNS:
            return
        place = offset + (token.start_pos or 0)
        printed = _OTHER_WORDS.get(token.type, SPELLED.get(token.type, token.type))
        if token.type in ("SELECTED", "LOCKED"):
            message = f"“{token}” is no state of a rule in the printed grammar; it is read as {printed}."
            self.tolerate(message, place, element)
        elif str(token) != printed:
            self.tolerate(f"“{token}” is read as {printed}, as the printed grammar has it.", place, element)
