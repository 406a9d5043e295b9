"""Titles of the admin; Django-Q's pages for superusers only, because a Schedule can call any function."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django_q.admin import FailAdmin, QueueAdmin, ScheduleAdmin, TaskAdmin
from django_q.models import Failure, OrmQ, Schedule, Success

admin.site.site_header = _("WED-SQL administration")
admin.site.site_title = "WED-SQL"
admin.site.index_title = _("Overview")
# The header of every page has the navigation.
admin.site.enable_nav_sidebar = False

# "View on site" leads from a flow or an instance to its live page.
_flows, _instances = (admin.site.get_model_admin(apps.get_model("flows", n)) for n in ("Flow", "Instance"))
_flows.view_on_site = lambda flow: reverse("monitor:flow", args=[flow.name])
_instances.view_on_site = lambda row: reverse("monitor:instance", args=[row.wid])


# Imported for its registrations, after Django's own pages are registered.
from wedsql_site.accounts import user_admin  # noqa: E402, F401


class SuperusersOnly(admin.ModelAdmin):
    """Restricts a model admin to superusers, whatever permissions other users have."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return request.user.is_active and request.user.is_superuser

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request) and super().has_view_permission(request, obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: the clusters run no schedules, so an added one would never run."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request) and super().has_delete_permission(request, obj)


for _model, _base in (
    (Schedule, ScheduleAdmin),
    (Success, TaskAdmin),
    (Failure, FailAdmin),
    (OrmQ, QueueAdmin),
):
    if admin.site.is_registered(_model):
        admin.site.unregister(_model)
        admin.site.register(_model, type(f"Closed{_base.__name__}", (SuperusersOnly, _base), {}))
