"""Settings of the django-q2 peer: its ORM broker, tuned for throughput as its documentation recommends."""

from __future__ import annotations

import os
from urllib.parse import parse_qs, urlsplit

_url = urlsplit(os.environ["BENCH_DSN"])

SECRET_KEY = "bench"  # noqa: S105 - signs the tasks of a database that exists for one run
USE_TZ = True
TIME_ZONE = "UTC"
INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth", "django_q"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": _url.path.lstrip("/"),
        "USER": _url.username,
        "HOST": parse_qs(_url.query)["host"][0],
        # One connection per worker for the whole run; 0 would open one per task.
        "CONN_MAX_AGE": 60,
    }
}
Q_CLUSTER = {
    "name": "bench",
    "orm": "default",
    "workers": int(os.environ.get("BENCH_WORKERS", "1")),
    "poll": 0.2,
    "bulk": 20,
    "queue_limit": 50,
    "save_limit": -1,
    "timeout": 60,
    "retry": 120,
    "recycle": 100_000,
    "log_level": "ERROR",
}
LOGGING_CONFIG = None
