"""The functions of the public API by their own names, for tests that go through all of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from flows import api


def topics() -> dict[str, ModuleType]:
    """Return the topics of the API by their names."""
    return {name: found for name, found in vars(api).items() if inspect.ismodule(found) and _is_topic(found)}


def of_topic(topic: ModuleType) -> dict[str, Callable[..., Any]]:
    """Return the functions of a topic by the names that they have in it."""
    return {name: found for name, found in vars(topic).items() if inspect.isfunction(found)}


def functions() -> dict[str, Callable[..., Any]]:
    """Return all functions of the API by the names that they are defined with."""
    return {found.__name__: found for topic in topics().values() for found in of_topic(topic).values()}


def _is_topic(module: ModuleType) -> bool:
    return module.__name__.rpartition(".")[0] == "flows.api"
