"""Model fields generated from the options of a definition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.db import models

from flows.definition import Option, Options
from flows.models.fields import DocumentField, IntervalField, LinesField, TextsField

Model = TypeVar("Model", bound=type[models.Model])

_FIELDS: dict[str, Callable[..., models.Field]] = {
    "text": models.CharField,
    "integer": models.IntegerField,
    "smallint": models.SmallIntegerField,
    "boolean": models.BooleanField,
    "interval": IntervalField,
    "text[]": TextsField,
    "jsonb": DocumentField,
}


def described(options: Options) -> Callable[[Model], Model]:
    """Return a decorator that adds a field to the model for each shown option."""

    def add_fields(model: Model) -> Model:
        for option in options.shown:
            model.add_to_class(option.name, model_field(option))
        return model

    return add_fields


def model_field(option: Option) -> models.Field:
    """Return the model field of an option."""
    given: dict[str, Any] = {} if option.required else {"default": option.default}
    make = LinesField if option.type == "text" and option.lines > 1 else _FIELDS[option.type]
    return make(
        option.label,
        db_column=option.column,
        null=option.nullable,
        blank=option.nullable or option.default == "",
        choices=list(option.choices.items()) or None,
        help_text=option.help,
        **given,
    )
