"""The migration packages of flows; each is a Django app, so that `migrate` works on it as usual.

One directory holds them: `flow_migrations/` of the project, or the one that WEDSQL_FLOW_MIGRATIONS names.
A flow `orders` lives in its sub-package `orders/` (apps.py, migrations/) under the app label `flow_orders`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from flows import project
from flows.management.whole_file import write_whole_text

VARIABLE = "WEDSQL_FLOW_MIGRATIONS"
LABEL = "flow_"


def directory() -> Path:
    """Return the directory of the packages: WEDSQL_FLOW_MIGRATIONS, or flow_migrations of the project."""
    return Path(os.environ.get(VARIABLE, "").strip() or project.directory() / "flow_migrations").resolve()


def label(flow: str) -> str:
    """Return the app label of a flow's migrations, which is the argument of `manage.py migrate`."""
    return LABEL + flow


def config_path(flow: str) -> str:
    """Return the dotted name of the flow's app configuration, for INSTALLED_APPS."""
    return f"{directory().name}.{flow}.apps.Config"


def installed() -> list[str]:
    """Return the app configurations of all flow packages, and add their directory's parent to sys.path.

    For the settings: `INSTALLED_APPS = [..., *flow_apps.installed()]`. Lists the directory and imports
    nothing; without the directory the result is empty.
    """
    home = directory()
    found = sorted(
        path.parent.name for path in home.glob("*/apps.py") if (path.parent / "migrations").is_dir()
    )
    if found and str(home.parent) not in sys.path:
        sys.path.append(str(home.parent))
    return [config_path(flow) for flow in found]


def create(flow: str) -> Path:
    """Create the missing files of a flow's package; return the directory of its migrations."""
    home = directory()
    for name, text in files(flow).items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            write_whole_text(path, text)
    return home / flow / "migrations"


def files(flow: str) -> dict[str, str]:
    """Return the files of a package without migrations, by their names in the directory of the packages."""
    return {
        "__init__.py": '"""What was designed, flow by flow, as migrations."""\n',
        f"{flow}/__init__.py": f'"""The flow {flow}."""\n',
        f"{flow}/apps.py": _apps(flow),
        f"{flow}/migrations/__init__.py": "",
    }


def flows() -> list[str]:
    """Return the names of the flows that have a package."""
    return [path.split(".")[-3] for path in installed()]


def _apps(flow: str) -> str:
    return f'''"""The flow {flow} as an app whose only content is migrations."""

from django.apps import AppConfig


class Config(AppConfig):
    name = "{directory().name}.{flow}"
    label = "{label(flow)}"
    verbose_name = "Flow {flow}"
'''
