"""Removing the second factor of users who lost their phone: an action of the admin's list of users."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django_otp.plugins.otp_totp.models import TOTPDevice

from wedsql_site.second_factor import devices
from wedsql_site.second_factor.setup import record


def with_factor(users: QuerySet[User]) -> QuerySet[User]:
    """Annotate each user with whether a second factor is on."""
    own = TOTPDevice.objects.filter(user_id=OuterRef("pk"), confirmed=True)
    return users.annotate(has_second_factor=Exists(own))


@admin.action(description=gettext_lazy("Remove the second factor"), permissions=["change"])
def remove_second_factor(page: Any, request: HttpRequest, users: QuerySet[User]) -> None:
    """Remove it from the selected accounts that the actor may change, except the actor's own."""
    removed = [user for user in users if _may(page, request, user) and devices.remove(user)]
    for user in removed:
        record(request.user, user, "Second factor removed by an administrator.")
    text = ngettext("Removed from %(n)s account.", "Removed from %(n)s accounts.", len(removed))
    page.message_user(request, text % {"n": len(removed)}, messages.SUCCESS if removed else messages.WARNING)


def _may(page: Any, request: HttpRequest, user: User) -> bool:
    if user.pk == request.user.pk:
        # At an unlocked desk this would need neither password nor code.
        page.message_user(request, _("Remove your own second factor on the page Security."), messages.ERROR)
        return False
    if not page.has_change_permission(request, user):
        text = _("The account %(name)s has rights that you do not have; it was not changed.")
        page.message_user(request, text % {"name": user.get_username()}, messages.ERROR)
        return False
    return True
