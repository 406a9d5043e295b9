"""The names of the environment variables, so that one that nothing reads is reported at the start."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping

PREFIX = "WEDSQL_"
SETTINGS = frozenset(
    PREFIX + name
    for name in (
        "ALLOWED_HOSTS API_REQUESTS_PER_MINUTE BEHIND_PROXY CASE_FILES CONNECTIONS_PER_ADDRESS "
        "DATA_DIR DEBUG DEMO DEMO_PACE DEMO_SEED DIGEST_HOUR EMAIL_FROM EMAIL_HOST EMAIL_PASSWORD "
        "EMAIL_PORT EMAIL_TLS EMAIL_USER FILE_MB FLOW_FILES_MB FLOW_MIGRATIONS HOST HTTPS "
        "LOG_FORMAT LOG_URL METRICS_ALLOW METRICS_TOKEN OFFLINE_ENERGY OFFLINE_SPACE_MB "
        "PORT PROCESS Q_BATCH Q_LOG Q_MODE Q_TIMEOUT "
        "Q_WORKERS REQUEST_SECONDS SECOND_FACTOR SECRET_KEY SECRET_KEY_FALLBACKS SITE_URL STATE_DIR "
        "STOP_GRACE STYLEGUIDE SUPERVISED TRUSTED_PROXIES WEBHOOK_HTTP WEBHOOK_INTERNAL WORKER_KEY "
        "WORKER_KEY_FILE "
    ).split()
)
# Variables of the tests and measurements only.
_OF_TESTS = tuple(
    PREFIX + name
    for name in "TEST_ WRITE_ HISTORY LONG SEED FUZZ EXAMPLES STEPS SHRINK PICTURES CHANGED_KERNEL".split()
)


def unread(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return a sentence about each variable that looks like a setting, but that nothing reads."""
    names = sorted(name for name in environ if name.startswith(PREFIX) and name not in SETTINGS)
    return [_sentence(name) for name in names if not name.startswith(_OF_TESTS)]


def _sentence(name: str) -> str:
    near = difflib.get_close_matches(name, SETTINGS, 1)
    return f"{name} is not a setting, so it has no effect." + (f" Did you mean {near[0]}?" if near else "")
