"""Errors of the database as errors of form fields.

The kernel alone decides what is valid. This module finds the field that an error concerns, and adds the hint
and, for a predicate, the text around the position of the error.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _

from flows.database_errors import from_database
from flows.designer.draft.excerpts import excerpt
from flows.errors import HeldByOthers, Refused, WedError

# The field that a kernel error concerns, by model and SQLSTATE. A column named in the detail has precedence.
FIELDS = {
    "flow": {"WD004": "name", "42P06": "name"},
    "attribute": {"WD003": "default", "WD004": "name", "WD009": "options"},
    "trigger": {"WD002": "writes", "WD004": "transition", "WD008": "final", "WD009": "due_attr"},
}
# Codes that can concern several fields: the first of these fields that was changed.
CHANGED = {("attribute", "WD003"): ("default", "type"), ("trigger", "WD009"): ("due_attr", "timeout")}


@dataclass(frozen=True)
class Refusal:
    """One error of the database: the field that it concerns (None: the row), the message and the hint."""

    field: str | None
    message: str
    hint: str = ""
    places: tuple[str, ...] = ()
    excerpt: tuple[str, str] | None = None
    held: int = 0

    def as_error(self) -> ValidationError:
        """Return it as a form error with escaped HTML."""
        parts = [self.message, *([self.hint] if self.hint else [])]
        html = format_html_join(" ", "<span>{}</span>", ((part,) for part in parts))
        if self.places:
            html += format_html(
                "<ul>{}</ul>", format_html_join("", "<li>{}</li>", ((p,) for p in self.places))
            )
        if self.excerpt:
            html += format_html('<code class="wed-excerpt" aria-hidden="true">{}\n{}</code>', *self.excerpt)
        return ValidationError(html)


class SaveRefused(Exception):
    """The database rejected a save; `refusals` has the refusals by the prefix of their form."""

    def __init__(self, refusals: dict[str, Refusal]) -> None:
        super().__init__("; ".join(refusal.message for refusal in refusals.values()))
        self.refusals = refusals


def refusal(
    error: BaseException, model: type[models.Model], changed: Iterable[str] = (), text: str = ""
) -> Refusal:
    """Return the refusal that a database error means for a row of `model`; `text` is the predicate sent.

    Raises WedError for a trouble of the server.
    """
    known = from_database(error) or Refused(str(error))
    if not isinstance(known, Refused):  # no fault of what was sent: the page of its status says so
        raise known from error
    position = known.where.get("position")
    return Refusal(
        field=_field(model, known, getattr(error.__cause__, "diag", None), set(changed)),
        message=_("%(message)s (character %(position)s)") % {"message": known.message, "position": position}
        if position
        else known.message,
        hint=known.hint,
        places=tuple(str(p) for p in known.where.get("places", ()) if str(p) not in known.message),
        excerpt=excerpt(text, position),
        held=known.count if isinstance(known, HeldByOthers) else 0,
    )


def _field(model: type[models.Model], known: WedError, diagnosis: Any, changed: set[str]) -> str | None:
    kind, table = model._meta.model_name or "", model._meta.db_table
    column = known.where.get("column") or getattr(diagnosis, "column_name", None)
    constraint = getattr(diagnosis, "constraint_name", None) or ""
    if not column and constraint.startswith(f"{table}_"):
        column = constraint.removeprefix(f"{table}_").removesuffix("_check").removesuffix("_key")
    by_column = {field.column: field.name for field in model._meta.concrete_fields}
    if column in by_column:
        return by_column[column]
    if kind == "trigger" and "position" in known.where:
        return "predicate"
    likely = [field for field in CHANGED.get((kind, known.code), ()) if field in changed]
    return likely[0] if likely else FIELDS.get(kind, {}).get(known.code)
