"""Settings of the site with the bench's handlers; a run sets its own database and state directory."""

from __future__ import annotations

from wedsql_site.settings import *  # noqa: F403
from wedsql_site.settings import INSTALLED_APPS as _SITE_APPS

INSTALLED_APPS = [*_SITE_APPS, "bench.work"]
