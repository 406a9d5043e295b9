"""Rows that only the kernel writes."""

from __future__ import annotations

from typing import Any, NoReturn

from django.db import models
from django.utils.translation import gettext as _


class ReadOnly(TypeError):
    """Only the kernel writes this table; ask for the change through flows.api."""

    def __init__(self, model: type[models.Model]) -> None:
        super().__init__(
            _("Only the kernel writes %(what)s; ask for the change through flows.api.")
            % {"what": model._meta.verbose_name_plural}
        )


class ReadOnlyQuerySet(models.QuerySet):
    """A query that reads; every way to write through it is refused."""

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ReadOnly(self.model)

    create = update = delete = _refuse
    get_or_create = update_or_create = _refuse
    bulk_create = bulk_update = _raw_delete = _refuse


class ReadOnlyModel(models.Model):
    """A mirror of a table that only the kernel writes."""

    objects = ReadOnlyQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ReadOnly(type(self))

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ReadOnly(type(self))

    save_base = save
