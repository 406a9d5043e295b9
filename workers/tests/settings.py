"""The site's settings with an app of test handlers, for worker processes of tests."""

from wedsql_site.settings import *  # noqa: F403
from wedsql_site.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "workers.tests.handlers"]
