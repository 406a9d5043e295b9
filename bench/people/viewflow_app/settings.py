"""Settings of a Django project with what viewflow needs; BENCH_DSN names the database."""

from __future__ import annotations

import os

from psycopg.conninfo import conninfo_to_dict

_FOUND = conninfo_to_dict(os.environ["BENCH_DSN"])
_NAMES = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "CONN_MAX_AGE": None,
        **{name: _FOUND.get(key, "") for name, key in _NAMES.items()},
    }
}
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "viewflow",
    "viewflow.workflow",
    "viewflow_app",
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
SECRET_KEY = "of a run that lasts minutes"  # noqa: S105
USE_TZ = True
