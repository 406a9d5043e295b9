"""Hooks that are installed once in every process."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig, apps
from django.db import connections
from django.db.models.signals import post_migrate, pre_migrate
from django.utils.translation import gettext_lazy as _


class SiteConfig(AppConfig):
    name = "wedsql_site"
    label = "wedsql_site"
    verbose_name = "WED-SQL"

    def ready(self) -> None:
        from wedsql_site import checks, environment  # noqa: F401 - importing registers the checks
        from workers.djangoq import fork_hooks

        fork_hooks.install(cluster=environment.process() in {"worker", "reaper"})
        if apps.is_installed("monitor"):
            _prepare_pages()
        pre_migrate.connect(_create_schema, dispatch_uid="wedsql_site.create_schema")
        post_migrate.connect(_renew_kernel, apps.get_app_config("flows"), dispatch_uid="wedsql_site.kernel")


def _prepare_pages() -> None:
    from monitor.metrics.usage import read_requests_with
    from wedsql_site.second_factor import backend
    from wedsql_site.web import request_counters

    read_requests_with(request_counters.requests)
    backend.bind_sessions()
    apps.get_app_config("axes").verbose_name = _("Log-ins")


def _create_schema(using: str, **_signal: Any) -> None:
    """Create the schema of the search path before Django writes its first table."""
    from flows import kernel

    kernel.ensure_schema(connections[using])


def _renew_kernel(using: str, **_signal: Any) -> None:
    """Install the kernel if it differs from this code; it has no migrations and is replaced as a whole.

    Then the tables of Django, all of which exist by now, get the triggers that record changes of rights.
    """
    from flows import kernel

    kernel.install_if_outdated(connections[using])
    kernel.watch_controls(connections[using])
