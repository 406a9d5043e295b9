"""Model fields for column types that Django does not have."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.expressions import Col
from django.db.models.lookups import Exact
from django.forms.fields import InvalidJSONInput
from django.utils.translation import gettext_lazy as _

from flows import json_text


class IntervalField(models.CharField):
    """An interval as text in PostgreSQL's syntax, so that months stay months and '3d18h' is valid input.

    The value is a string such as '3 days 18:00:00'; PostgreSQL parses the input.
    """

    def db_type(self, connection: Any) -> str:
        return "interval"

    def select_format(self, compiler: Any, sql: str, params: Any) -> tuple[str, Any]:
        return f"({sql})::text", params

    def get_placeholder(self, value: Any, compiler: Any, connection: Any) -> str:
        return "%s" if hasattr(value, "as_sql") else "%s::interval"

    def get_prep_value(self, value: Any) -> Any:
        return super().get_prep_value(value) or None


class ValuesField(models.JSONField):
    """JSON with values of a flow, in which numbers keep every digit."""

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return json_text.decode(value) if isinstance(value, str) else value

    def deconstruct(self) -> Any:
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.JSONField", args, kwargs


class TypedJSON(forms.JSONField):
    """JSON that a person types: shown again as it was typed, whatever it is."""

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str) and value:
            try:
                json_text.decode_typed(value)
            except (ValueError, RecursionError) as error:
                raise ValidationError(self.error_messages["invalid"], code="invalid") from error
        return super().to_python(value)

    def bound_data(self, data: Any, initial: Any) -> Any:
        return initial if self.disabled or data is None else InvalidJSONInput(data)


class DocumentField(models.JSONField):
    """A JSON document that is edited as a text."""

    def formfield(self, **kwargs: Any) -> Any:
        return super().formfield(**{"form_class": TypedJSON} | kwargs)

    def deconstruct(self) -> Any:
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.JSONField", args, kwargs


class LinesField(models.TextField):
    """A text of several lines; where null is allowed, an empty one in a form is null, as for a CharField."""

    def formfield(self, **kwargs: Any) -> Any:
        return super().formfield(**({"empty_value": None} if self.null else {}) | kwargs)


class TextsField(ArrayField):
    """A list of texts or NULL, edited by the form field that the admin chooses."""

    def __init__(self, *args: Any, base_field: models.Field | None = None, **kwargs: Any) -> None:
        verbose_name = args[0] if args else kwargs.pop("verbose_name", None)
        super().__init__(base_field or models.TextField(), verbose_name=verbose_name, **kwargs)

    def formfield(self, **kwargs: Any) -> Any:
        return models.Field.formfield(self, **kwargs)


class TraceKeyField(models.CharField):
    """The key of a history row, '<wid>.<seq>', computed from these two columns.

    The table has no column of this name; a lookup by key becomes one by wid and seq, which the index serves.
    """

    shape = re.compile(r"(\d{1,10})\.(\d{1,10})", re.ASCII)

    def get_col(self, alias: str, output_field: Any = None) -> Col:
        return TraceKeyCol(alias, self)

    @property
    def cached_col(self) -> Col:
        return TraceKeyCol(self.model._meta.db_table, self)

    def to_python(self, value: Any) -> str:
        if not self.shape.fullmatch(str(value)):
            raise ValidationError(_("A history row is named <instance>.<number>, such as 12.3."))
        return str(value)

    def get_prep_value(self, value: Any) -> Any:
        return self.to_python(value)


class TraceKeyCol(Col):
    """An expression that computes the key from wid and seq."""

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[str | int, ...]]:
        quote, alias = compiler.quote_name_unless_alias, self.alias
        return "({0}.wid || '.' || {0}.seq)".format(quote(alias)), ()


@TraceKeyField.register_lookup
class TraceKeyExact(Exact):
    """The lookup key = '12.3', which becomes wid = 12 and seq = 3."""

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[str | int, ...]]:
        wid, seq = str(self.rhs).split(".")
        table = compiler.quote_name_unless_alias(self.lhs.alias)
        return f"({table}.wid = %s and {table}.seq = %s)", (int(wid), int(seq))
