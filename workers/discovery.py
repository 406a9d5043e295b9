"""Finds the handlers: imports `transitions.py` of every installed app, each for itself.

One that cannot be imported, or a function that cannot be registered, takes nothing from the others. It is
logged in full once, shown on the page of the workers, and reported by `manage.py check`.
"""

from __future__ import annotations

import importlib
import logging
from importlib.util import find_spec

from django.apps import apps

from workers.registry import Problem, Registry, registry

log = logging.getLogger("workers.discovery")
_seen: set[str] = set()
_logged: set[Problem] = set()


def autodiscover() -> Registry:
    """The registry of this process with everything that can be served; `problems` names the rest."""
    for app in apps.get_app_configs():
        name = f"{app.name}.transitions"
        if name not in _seen and find_spec(name) is not None:
            _seen.add(name)
            with registry.collecting(name):
                importlib.import_module(name)
    return registry


def log_problems() -> None:
    """Log what is not served, once in a process and in those that it forks."""
    for problem in registry.problems:
        if problem not in _logged:
            log.error("Handlers are not served: %s", problem)
            _logged.add(problem)


def mark_logged() -> None:
    """What is known by now was shown already."""
    _logged.update(registry.problems)
