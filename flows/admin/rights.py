"""Permissions on the admin pages of definitions, decided by `flows.access`."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from flows.access import may_design


class DesignRights:
    """Mixin for the admin pages of definitions."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may_design(request.user, "view") or may_design(request.user)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return may_design(request.user, "add")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may_design(request.user)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may_design(request.user, "delete")
