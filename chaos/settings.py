"""The product's settings with the harness's own transitions in place of the demo's."""

from wedsql_site.settings import *  # noqa: F403 - a settings module is a list of names
from wedsql_site.settings import INSTALLED_APPS as _APPS

INSTALLED_APPS = [*(app for app in _APPS if app != "workers.demo"), "chaos"]
