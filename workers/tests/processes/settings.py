"""The site's settings with an app of test handlers, for worker processes of tests."""

import os

from wedsql_site.settings import *  # noqa: F403
from wedsql_site.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "workers.tests.handlers"]

if "WEDSQL_TEST_MAILS" in os.environ:
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = os.environ["WEDSQL_TEST_MAILS"]
