"""The class of all errors of the kernel."""

from __future__ import annotations

import json
import re
from typing import Any, ClassVar, Self

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from flows.messages import put_facts, translate
from pages.sqlstates import http_status


class WedError(Exception):
    """An error of the kernel. Its texts are in the language that is active when they are read."""

    sqlstate: ClassVar[str] = ""
    transient: ClassVar[bool] = False
    http: ClassVar[int] = 0
    """The HTTP status of all errors of the class; 0: 503 if they are transient, else by their code."""
    default: ClassVar[str | Promise] = _("The database rejected the operation.")
    """The message if the database gave none."""

    def __init__(self, message: str = "", *, hint: str = "", detail: str = "", code: str = "") -> None:
        """Store message and hint, which are English if they come from the kernel, and the detail."""
        self._message = message
        self._hint = hint
        self.detail = detail
        self.code = code or self.sqlstate
        super().__init__(message)

    @property
    def message(self) -> str:
        """Return the message: what happened, and to what."""
        return self._translated("message_template", self._message) or str(self.default)

    @property
    def hint(self) -> str:
        """Return the advice, which may be empty."""
        return self._translated("hint_template", self._hint)

    @property
    def status(self) -> int:
        """Return the HTTP status for the error, on pages and in the API."""
        if self.http or self.transient:
            return self.http or 503
        # The kernel's other codes are about the input, and so is an error without one, which the site found.
        return 422 if self.code.startswith("WD") or not self.code else http_status(self.code)

    @property
    def where(self) -> dict[str, Any]:
        """Return the facts of the detail: position, token, attribute ...; empty if there are none."""
        return {key: value for key, value in self._facts.items() if not key.endswith("_template")}

    @property
    def sentence(self) -> str:
        """Return message and hint in one line."""
        return f"{self.message} {self.hint}".strip()

    def renamed(self, written: re.Pattern[str], name: str) -> Self:
        """Return the error with this name in the place of another."""
        message, hint, detail = (written.sub(name, text) for text in (self._message, self._hint, self.detail))
        return type(self)(message, hint=hint, detail=detail, code=self.code)

    def __str__(self) -> str:
        return self.message

    @property
    def _facts(self) -> dict[str, Any]:
        try:
            value = json.loads(self.detail)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    def _translated(self, template: str, english: str) -> str:
        facts = self._facts
        return put_facts(translate(facts[template]), facts) if template in facts else translate(english)


class Refused(WedError):
    """What was sent, or the state of what it concerns, is the cause.

    Forms show these errors beside what was typed. Any other is a trouble of the server or a defect, which the
    guard of pages answers by its status.
    """
