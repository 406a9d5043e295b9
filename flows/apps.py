"""The engine and the definitions of flows."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class FlowsConfig(AppConfig):
    """The app whose control tables live in the database's schema wedsql."""

    name = "flows"
    label = "flows"
    verbose_name = _("Flows")
    default_auto_field = "django.db.models.BigAutoField"
