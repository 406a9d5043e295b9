"""Base classes of models whose tables only the kernel writes."""

from __future__ import annotations

from typing import Any, NoReturn

from django.db import models
from django.utils.translation import gettext as _


class ReadOnly(TypeError):
    """Raised on an attempt to write a table that only the kernel writes; use flows.api instead."""

    def __init__(self, model: type[models.Model]) -> None:
        super().__init__(
            _("Only the kernel writes %(what)s; use flows.api to change it.")
            % {"what": model._meta.verbose_name_plural}
        )


class ReadOnlyQuerySet(models.QuerySet):
    """A query set whose methods that write raise ReadOnly."""

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ReadOnly(self.model)

    create = update = delete = _refuse
    get_or_create = update_or_create = _refuse
    bulk_create = bulk_update = _raw_delete = _refuse


class ReadOnlyModel(models.Model):
    """A model of a table that only the kernel writes; saving and deleting raise ReadOnly."""

    objects = ReadOnlyQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ReadOnly(type(self))

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ReadOnly(type(self))

    save_base = save
