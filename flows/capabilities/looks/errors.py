"""Errors of looks at masked values. Programs import them from flows.errors."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flows.wed_error import Refused


class BadLook(Refused):
    """A look at masked values has no reason or names others, or a recorded one would be changed."""

    sqlstate = "WD550"
    default = _("These values cannot be viewed this way.")
