"""The verbs of `manage.py flow`, and the commands of release 1.0.0 that they replace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import NamedTuple

from django.core.management.base import BaseCommand

_COMMANDS = "flows.management.commands"


class Verb(NamedTuple):
    """The module of a verb's command, and the words that its command line begins with."""

    module: str
    before: tuple[str, ...] = ()


# From these command names of their own, which are deprecated.
RENAMED: Mapping[str, str] = {
    "flows": "list",
    "createflow": "create",
    "dumpflow": "show",
    "loadflow": "load",
    "flowdraft": "draft",
    "flowdiff": "diff",
    "flowlint": "lint",
    "flowtest": "test",
    "flowimpact": "impact",
    "flowwhatif": "whatif",
    "importbpmn": "import bpmn",
    "importgraph": "import graph",
    "importpdl": "import pdl",
    "exportbpmn": "export bpmn",
    "exportpdl": "export pdl",
    "makeflowmigrations": "makemigrations",
    "flowindex": "index",
    "flowrole": "role",
    "flowgroups": "groups",
}
VERBS: Mapping[str, Verb] = {
    **{verb: Verb(f"{_COMMANDS}.{name}") for name, verb in RENAMED.items()},
    "publish": Verb(f"{_COMMANDS}.flowdraft", ("publish",)),
    "drop": Verb("flows.management.deletion"),
}


def find(words: Sequence[str]) -> tuple[str, list[str]] | None:
    """Return the verb with which a command line begins, and what follows; None if there is none."""
    for length in (2, 1):
        verb = " ".join(words[:length])
        if len(words) >= length and verb in VERBS:
            return verb, [*VERBS[verb].before, *words[length:]]
    return None


def command(verb: str) -> BaseCommand:
    """Return the command of a verb."""
    made: BaseCommand = import_module(VERBS[verb].module).Command()
    made.called_as_verb = True  # type: ignore[attr-defined]
    return made


def deprecated_by(command: BaseCommand) -> str | None:
    """Return the verb that replaces a command that was called by its own name, if one does."""
    package, _, name = type(command).__module__.rpartition(".")
    as_verb = getattr(command, "called_as_verb", False)
    return None if as_verb or package != _COMMANDS else RENAMED.get(name)
