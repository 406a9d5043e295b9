"""The Django app of the engine."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class FlowsConfig(AppConfig):
    """The app whose control tables are in the schema wedsql."""

    name = "flows"
    label = "flows"
    verbose_name = _("Flows")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.db.backends.signals import connection_created

        from flows import replication

        connection_created.connect(replication.watch_django, dispatch_uid="flows.replication")
