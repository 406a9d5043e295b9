"""Discovery of handlers: imports `transitions.py` of every installed app.

A module that cannot be imported, or a function that cannot be registered, does not affect the others. It is
logged in full once, shown on the workers page, and reported by `manage.py check`.
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
    """Import all handlers and return the registry; its `problems` list what cannot be served."""
    for app in apps.get_app_configs():
        name = f"{app.name}.transitions"
        if name not in _seen and find_spec(name) is not None:
            _seen.add(name)
            with registry.collecting(name):
                importlib.import_module(name)
    return registry


def log_problems() -> None:
    """Log what is not served, once per process and its forked children."""
    for problem in registry.problems:
        if problem not in _logged:
            log.error("Handlers are not served: %s", problem)
            _logged.add(problem)


def mark_logged() -> None:
    """Mark the problems found so far as logged."""
    _logged.update(registry.problems)
