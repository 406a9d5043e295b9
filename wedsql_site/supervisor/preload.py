"""The modules that the supervisor imports before it forks, so that its programs share their memory.

None of them reads a setting or needs the registry of apps when it is imported: each program has its own
settings, and its own models.
"""

from __future__ import annotations

import gc
import importlib

MODULES = (
    "asyncio",
    "concurrent.futures.thread",
    "ctypes",
    "decimal",
    "django.contrib.admin",
    "django.contrib.admin.views.autocomplete",
    "django.contrib.auth.hashers",
    "django.contrib.auth.management",
    "django.contrib.auth.password_validation",
    "django.contrib.contenttypes.management",
    "django.contrib.messages.storage.base",
    "django.contrib.postgres.fields",
    "django.contrib.postgres.search",
    "django.contrib.staticfiles.finders",
    "django.core.files.storage",
    "django.core.mail",
    "django.core.management",
    "django.core.serializers.json",
    "django.db.backends.postgresql.base",
    "django.db.migrations.migration",
    "django.db.models",
    "django.forms.models",
    "django.template.defaultfilters",
    "django.template.defaulttags",
    "django.template.loader_tags",
    "django.template.response",
    "django.utils.translation.trans_real",
    "django.views.debug",
    "django.views.generic",
    "django.views.i18n",
    "flows.api",
    "flows.filters",
    "flows.patterns.code",
    "flows.queries.counts",
    "flows.replication",
    "multiprocessing.pool",
    "pages.live.hub",
    "pages.live.listener",
    "pages.live.sessions",
    "psutil",
    "psycopg",
    "psycopg_pool",
    "pydoc",
    "smtplib",
    "sqlparse",
    "wedsql_site.checks",
    "workers.client.jobs",
    "workers.discovery",
    "workers.jobs.runner",
    "workers.process.service",
    "workers.reaper.report",
    "workers.recovery.lost_jobs",
    "yaml",
)


def import_all() -> None:
    """Import them, and free what only their import needed."""
    for name in MODULES:
        importlib.import_module(name)
    gc.collect()
