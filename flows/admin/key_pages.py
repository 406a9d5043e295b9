"""Lists of the admin paginated by key, as in the monitor: every row is reachable and none is counted."""

from __future__ import annotations

import re
from typing import Any

from django.contrib.admin.views.main import ChangeList
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from flows.queries.paging import Cursor, Key, Page, cut

_KEY = re.compile(r"\d{1,18}(\.\d{1,18})*", re.ASCII)


class KeyedChangeList(ChangeList):
    """A page of the rows `before` (older) or `after` (newer) a key, newest first."""

    model_admin: Any  # has key_fields
    cursor: Cursor | None = None
    page: Page[Any]

    def get_queryset(self, request: HttpRequest, *args: Any, **kwargs: Any) -> QuerySet:
        if self.cursor is None:  # the remaining parameters are filters
            before, after = (self._take_key(name) for name in ("before", "after"))
            self.cursor = Cursor(before, after, self.list_per_page)
        return super().get_queryset(request, *args, **kwargs)

    def get_results(self, request: HttpRequest) -> None:
        fields, cursor = self.model_admin.key_fields, self.cursor or Cursor()
        found = rows_beyond(self.queryset, fields, cursor)[: cursor.size + 1]
        self.page = cut(list(found), cursor, lambda row: tuple(getattr(row, name) for name in fields))
        self.result_list = self.page.items
        self.result_count = self.full_result_count = len(self.page.items)
        self.show_full_result_count = self.show_admin_actions = False
        self.can_show_all = self.multi_page = False

    @property
    def newer(self) -> str | None:
        """Return the value of `after` for the page of newer rows, None on the first page."""
        return key_parameter(self.page.newer)

    @property
    def older(self) -> str | None:
        """Return the value of `before` for the page of older rows, None on the last page."""
        return key_parameter(self.page.older)

    def _take_key(self, name: str) -> Key | None:
        self.filter_params.pop(name, None)
        text = self.params.pop(name, "")
        size = len(self.model_admin.key_fields)
        key = tuple(map(int, text.split("."))) if _KEY.fullmatch(text) else ()
        return key if len(key) == size else None


def rows_beyond(rows: QuerySet, fields: tuple[str, ...], cursor: Cursor) -> QuerySet:
    """Return the rows beyond the cursor, the nearest first."""
    if isinstance(cursor.after, tuple):
        return _one_side(rows, fields, cursor.after, "gt").order_by(*fields)
    if isinstance(cursor.before, tuple):
        rows = _one_side(rows, fields, cursor.before, "lt")
    return rows.order_by(*(f"-{name}" for name in fields))


def _one_side(rows: QuerySet, fields: tuple[str, ...], key: tuple[int, ...], side: str) -> QuerySet:
    """Return the rows on that side of the key.

    The bound of the first field is a condition of its own, so that the index can serve it.
    """
    first, *rest = zip(fields, key, strict=True)
    if not rest:
        return rows.filter(**{f"{first[0]}__{side}": first[1]})
    within = Q(**{f"{first[0]}__{side}": first[1]}) | Q(**{f"{rest[0][0]}__{side}": rest[0][1]})
    return rows.filter(**{f"{first[0]}__{side}e": first[1]}).filter(within)


def key_parameter(key: Key | None) -> str | None:
    """Return a key as it is written in the URL."""
    return ".".join(map(str, key)) if isinstance(key, tuple) else None
