"""The admin's forms of users and groups: users can grant only permissions that they have."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, Permission, User
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from wedsql_site.accounts.account_rights import held_permissions, may_manage
from wedsql_site.second_factor.reset import remove_second_factor, with_factor


def grantable_groups(actor: Any) -> QuerySet[Group]:
    """Return the groups without permissions that the actor does not have."""
    own = held_permissions(actor).values("pk")
    beyond = Permission.objects.filter(group=OuterRef("pk")).exclude(pk__in=own)
    return Group.objects.filter(~Exists(beyond))


class RestrictedUserAdmin(UserAdmin):
    """Django's page; non-superusers grant permissions they have, to accounts that have no others."""

    actions = [remove_second_factor]

    @admin.display(description=_("Second factor"), boolean=True, ordering="has_second_factor")
    def second_factor(self, user: Any) -> bool:
        return bool(user.has_second_factor)

    def get_list_display(self, request: HttpRequest) -> Any:
        name, *rest = super().get_list_display(request)
        return (name, "second_factor", *rest)

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return with_factor(super().get_queryset(request))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = super().get_readonly_fields(request, obj)
        return fields if request.user.is_superuser else (*fields, "is_superuser")

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change=change, **kwargs)
        if not request.user.is_superuser:
            # Limited to the actor's permissions; may_manage excludes accounts with more.
            _limit(form, "user_permissions", held_permissions(request.user))
            _limit(form, "groups", grantable_groups(request.user))
        return form

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and (obj is None or may_manage(request.user, obj))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_delete_permission(request, obj) and (obj is None or may_manage(request.user, obj))


class RestrictedGroupAdmin(GroupAdmin):
    """Django's page; non-superusers add only permissions they have to a group."""

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change=change, **kwargs)
        if not request.user.is_superuser:
            _limit(form, "permissions", held_permissions(request.user))
        return form

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and _within(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_delete_permission(request, obj) and _within(request, obj)


def _within(request: HttpRequest, group: Any) -> bool:
    return group is None or request.user.is_superuser or grantable_groups(request.user).contains(group)


def _limit(form: Any, name: str, choices: QuerySet[Any]) -> None:
    if name in form.base_fields:
        form.base_fields[name].queryset = choices


# Their pages show keys and change factors without a log entry.
for _device in (TOTPDevice, StaticDevice):
    if admin.site.is_registered(_device):
        admin.site.unregister(_device)
for _model, _page in ((User, RestrictedUserAdmin), (Group, RestrictedGroupAdmin)):
    admin.site.unregister(_model)
    admin.site.register(_model, _page)
