"""Writes the bytecode of the programs of `wedsql up`: `python -m wedsql_site.supervisor.bytecode`.

A process that compiles a module keeps memory of it for good, and so do its forks.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial

import django

from wedsql_site.supervisor import forks, preload

# The modules of the programs, by the command that decides which apps are installed.
_PROGRAMS: Mapping[str, Sequence[str]] = {
    "daphne": ("wedsql_site.web.web_modules", "django.template.loaders.app_directories"),
    "qcluster": (
        "workers.management.commands.qcluster",
        "workers.djangoq.tasks",
        "workers.reaper.broker",
        "workers.reaper.rounds",
        "workers.demo.management.commands.simulate",
        "workers.transitions",
        "workers.demo.transitions",
    ),
}


def main() -> int:
    """Import the modules of each program in a fork; return how many of these failed."""
    os.environ |= {"DJANGO_SETTINGS_MODULE": "wedsql_site.settings", "WEDSQL_SECRET_KEY": "unused"}
    preload.import_all()
    importlib.import_module("wedsql_site.management.commands.wedsql")
    running = [forks.start(partial(_import, command, names)) for command, names in _PROGRAMS.items()]
    return sum(fork.wait() != 0 for fork in running)


def _import(command: str, names: Sequence[str]) -> None:
    sys.argv[1:] = [command]
    if command != "daphne":
        django.setup()  # Daphne chooses its event loop before
    for name in names:
        importlib.import_module(name)


if __name__ == "__main__":
    sys.exit(main())
