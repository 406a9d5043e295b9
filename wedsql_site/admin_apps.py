"""The admin of the site: its modules are imported where pages are; workers and commands start without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core import checks


class LazyAdminConfig(SimpleAdminConfig):
    """The app `django.contrib.admin`; wedsql_site/urls.py registers the models."""

    def ready(self) -> None:
        """Register the checks of the admin."""
        checks.register(check_dependencies, checks.Tags.admin)
        checks.register(_check_models, checks.Tags.admin)


def _check_models(app_configs: Sequence[AppConfig] | None, **options: Any) -> list[checks.CheckMessage]:
    """Check the registered models, once they are registered."""
    from wedsql_site import urls  # noqa: F401 - importing registers them

    return check_admin_app(app_configs, **options)
