"""Discovery of handlers: imports `transitions.py` of every installed app.

A module that cannot be imported, or a function that cannot be registered, does not affect the others. It is
logged in full once, shown on the workers page, and reported by `manage.py check`.
"""

from __future__ import annotations

import importlib
import logging
import threading
from importlib.util import find_spec

from django.apps import apps

from workers.registry import Problem, Registry, StandIn, registry

log = logging.getLogger("workers.discovery")
_seen: set[str] = set()
_logged: set[Problem] = set()
# Requests for pages may come at the same time.
_importing = threading.RLock()


def stand_in(flow: str, transition: str) -> StandIn | None:
    """Return the declared stand-in of a transition; imports all handlers, and calls none."""
    with _importing:
        return autodiscover().stand_in(flow, transition)


def code_place(flow: str, transition: str) -> str:
    """Return the file and line of a transition's handler; "" if no handler was found."""
    with _importing:
        entry = autodiscover().find(flow, transition)
    return entry.place if entry else ""


def autodiscover() -> Registry:
    """Import all handlers and return the registry; its `problems` list what cannot be served."""
    for app in apps.get_app_configs():
        name = f"{app.name}.transitions"
        if name in _seen:
            continue
        _seen.add(name)
        if find_spec(name) is not None:
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
