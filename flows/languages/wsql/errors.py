"""The error of a WSQL text: what is wrong, at which line and column, and the nearest word."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from django.utils.translation import gettext as _

from flows.errors import Refused, WedError

_WIDTH = 100
_LONGEST = 40


class WsqlError(Refused):
    """A WSQL text cannot be read, or a statement of it is rejected."""

    def __init__(
        self,
        message: str,
        text: str,
        start: int,
        *,
        hint: str = "",
        end: int | None = None,
        error: WedError | None = None,
    ) -> None:
        """Describe a problem at the characters from `start` to `end` of `text`; `error` is the kernel's."""
        code, detail = (error.code, error.detail) if error else ("", "")
        super().__init__(message, hint=hint, detail=detail, code=code)
        self.text, self.start = text, min(start, len(text))
        self.end = max(self.start, min(len(text) if end is None else end, len(text)))
        self.others: list[WsqlError] = []

    @property
    def message(self) -> str:
        """Return the message, which is in the language of the user already."""
        return self._message or str(self.default)

    @property
    def hint(self) -> str:
        return self._hint

    @property
    def line(self) -> int:
        """Return the line, from 1."""
        return self.text.count("\n", 0, self.start) + 1

    @property
    def column(self) -> int:
        """Return the column, from 1."""
        return self.start - self.text.rfind("\n", 0, self.start)

    @property
    def excerpt(self) -> str:
        """Return the line, cut where it is long, and a second line with a caret under the place."""
        begin = self.text.rfind("\n", 0, self.start) + 1
        end = self.text.find("\n", self.start)
        begin = max(begin, self.start - _WIDTH)
        line = self.text[begin : min(len(self.text) if end < 0 else end, self.start + _WIDTH)]
        return f"{line}\n" + re.sub(r"[^\t]", " ", self.text[begin : self.start]) + "^"


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word that is most like this one, in upper or lower case; "" if none is near."""
    by_lower = {each.lower(): each for each in known}
    found = difflib.get_close_matches(word.lower()[:100], by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else ""


def meant(word: str, known: Iterable[str]) -> str:
    """Return the question whether the nearest of the known words was meant; "" if none is near."""
    found = nearest(word, known)
    return _("Did you mean “%(word)s”?") % {"word": found} if found else ""


def shortened(text: str) -> str:
    """Return a text for a message."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
