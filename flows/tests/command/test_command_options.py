"""Commands reject options that the chosen mode does not read, and no command has one that nothing reads."""

from __future__ import annotations

import ast
import inspect
import os
import textwrap
from argparse import Action
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

from flows.management.base import FlowCommand
from flows.tests.commands import refused

OURS = ("flows", "workers", "monitor", "wedsql_site")
# Modes without options of their own, options that the command itself rejects, and sub-parsers.
WITHOUT_TABLE = {"bulk", "operate", "wedsql"}
SHARED = {action.dest for action in BaseCommand().create_parser("manage.py", "x")._actions}
ALWAYS = {"json", "actor"}
OF_BASE = {"held"}
"""What the base class reads, in the modes of the table."""


def commands() -> dict[str, BaseCommand]:
    found = {name: str(app) for name, app in get_commands().items() if str(app).split(".")[0] in OURS}
    return {name: load_command_class(app, name) for name, app in sorted(found.items())}


COMMANDS = commands()


def arguments(command: BaseCommand) -> list[Action]:
    parser = command.create_parser("manage.py", "x")
    return [action for action in parser._actions if action.dest not in SHARED | ALWAYS]


def table(command: BaseCommand) -> dict[str, set[str]]:
    return {mode: {*names.split()} for mode, names in getattr(command, "reads", {}).items()}


WITH_MODES = [name for name, command in COMMANDS.items() if table(command)]


@cache
def options_of(function: Any, command: BaseCommand) -> frozenset[str]:
    """Return the options that a function reads, and the functions of the command and module that it calls."""
    module = inspect.getmodule(function)
    nodes = [*ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function))))]
    keys = [node.slice for node in nodes if isinstance(node, ast.Subscript) and _is(node.value, "options")]
    found = {str(key.value) for key in keys if isinstance(key, ast.Constant)}
    by_name = any(isinstance(key, ast.Name) for key in keys)  # options[name], of the names in a constant
    for node in nodes:
        used = None
        if isinstance(node, ast.Attribute) and _is(node.value, "self"):
            used = getattr(type(command), node.attr, None)
        elif isinstance(node, ast.Name):
            used = getattr(module, node.id, None)
        if inspect.isfunction(used) and used is not function and inspect.getmodule(used) is module:
            found |= options_of(used, command)
        elif isinstance(used, tuple) and by_name:
            found |= {each for each in used if isinstance(each, str)}
    return frozenset(found)


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def test_each_command_with_modes_says_what_they_read() -> None:
    for name, command in COMMANDS.items():
        chosen = [
            action.choices for action in arguments(command) if not action.option_strings and action.choices
        ]
        if name in WITHOUT_TABLE or not chosen:
            continue
        assert {mode.split()[0] for mode in table(command)} == {*chosen[0]}, name


@pytest.mark.parametrize("name", WITH_MODES)
def test_each_option_is_read_in_some_mode(name: str) -> None:
    options = {action.dest for action in arguments(COMMANDS[name]) if action.option_strings}
    assert options <= set().union(*table(COMMANDS[name]).values())


def sources(command: BaseCommand) -> str:
    """Return the text of the modules of a command: its bases and the modules that it imports."""
    modules = {inspect.getmodule(base) for base in type(command).__mro__ if base is not FlowCommand}
    for module in [*modules]:
        modules |= {one for one in vars(module).values() if inspect.ismodule(one)}
    ours = [
        one
        for one in modules
        if one
        and one.__name__.split(".")[0] in OURS
        and {"management", "command", "verbs", "repairs", "repair_verbs"} & {*one.__name__.split(".")}
    ]
    return "\n".join(inspect.getsource(one).replace("from __future__ import annotations", "") for one in ours)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("qcluster", "wedsql")])
def test_each_option_is_named_where_the_command_runs(name: str) -> None:
    """A new option that the code never names is found here, in commands without modes, too."""
    nodes = [*ast.walk(ast.parse(sources(COMMANDS[name])))]
    named = {node.value for node in nodes if isinstance(node, ast.Constant)}
    named |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    assert {action.dest for action in arguments(COMMANDS[name])} - OF_BASE <= named


@pytest.mark.parametrize("name", [name for name in WITH_MODES if name not in ("graph", "signal")])
def test_the_table_is_what_the_code_of_each_verb_reads(name: str) -> None:
    command, read = COMMANDS[name], defaultdict[str, set[str]](set)
    known = set().union(*table(command).values())
    for mode, options in table(command).items():
        read[mode.split()[0]] |= options
    for verb, options in read.items():
        method = getattr(type(command), f"_{verb.replace('-', '_')}")
        assert options - OF_BASE == options_of(method, command) & known, verb


def unread() -> Iterator[tuple[str, str, Action]]:
    for name in WITH_MODES:
        for mode, read in table(COMMANDS[name]).items():
            for action in arguments(COMMANDS[name]):
                if action.option_strings and action.dest not in {*read, "from_gallery"}:
                    yield name, mode, action


def given(action: Action) -> list[str]:
    """Return an option with a value that is not its default."""
    if action.nargs == 0:
        return [action.option_strings[0]]
    if action.choices:
        return [action.option_strings[0], next(one for one in action.choices if one != action.default)]
    return [action.option_strings[0], "2030-01-31T22:00" if action.dest == "at" else "7"]


LINES = {
    "the list": ["orders"],
    "a signal": ["orders", "paid"],
    "open --from-gallery": ["open", "--from-gallery=x"],
    "list without --person": ["list", "--flow", "orders"],
    **{f"list {show}": ["list", "--person", "ana", "--show", show] for show in ("mine", "aside", "done")},
    "list open": ["list", "--person", "ana"],
}


@pytest.mark.django_db
def test_what_a_mode_does_not_read_is_rejected_before_anything_is_done() -> None:
    tried = 0
    for name, mode, action in unread():
        line = LINES.get(mode, [mode, *(["x"] if name in ("apitoken", "graph") else [])])
        text = refused(name, *line, *given(action), code=2)
        # Where a mode needs more words than its name, LINES has them, or its arguments are optional (nargs).
        assert text == f"“{mode}” does not read {action.option_strings[0]}."
        tried += 1
    assert tried > 700


# Commands whose --flow may be new, or one that was dropped, and those that check it after the line.
ANY_FLOW = {
    "controls",
    "importbpmn",
    "importgraph",
    "importpdl",
    "loadflow",
    "operate",
    "repair",
    "workerkey",
}
WITH_FLOW = {
    "caselinks": [[]],
    "flowgroups": [[]],
    "archive": [["x.jsonl"]],
    "operate": [["cancel", "--filter", "status:running", "--reason", "x"]],
    "repair": [["--where", "status:exception", "accept", "--reason", "x"]],
    "workerkey": [["create", "packers"]],
    "apitoken": [["create", "ana"]],
}


def test_each_command_with_a_flow_is_tried_with_one_that_does_not_exist() -> None:
    found = {
        name
        for name, command in COMMANDS.items()
        if any(action.dest == "flow" and action.option_strings for action in arguments(command))
        and isinstance(command, FlowCommand)
    }
    assert {name for name in found if getattr(COMMANDS[name], "any_flow", False)} == ANY_FLOW
    assert found - ANY_FLOW - {name for name in WITH_MODES if name in found} <= {*WITH_FLOW}


def lines_with_a_flow() -> Iterator[list[str]]:
    """Return the command lines of each mode that reads --flow."""
    for name, lines in WITH_FLOW.items():
        yield from ([name, *line] for line in lines)
    for name in WITH_MODES:
        for mode, read in table(COMMANDS[name]).items():
            if (
                "flow" in read
                and name not in WITH_FLOW
                and any(
                    action.dest == "flow" and action.option_strings for action in arguments(COMMANDS[name])
                )
            ):
                line = [part for part in LINES.get(mode, [mode]) if part not in ("--flow", "orders")]
                yield [name, *line]


@pytest.mark.django_db
@pytest.mark.parametrize("line", [*lines_with_a_flow()], ids=" ".join)
def test_a_flow_that_does_not_exist_is_reported(line: list[str]) -> None:
    said = refused(*line, "--flow", "nowhere", code=2 if line[0] in ("operate", "repair") else 1)
    assert "There is no flow nowhere" in said.replace('"', "")


@pytest.mark.django_db
def test_a_text_that_no_verb_reads_is_rejected() -> None:
    assert refused("cases", "withdraw", "4", "why", code=2) == "“withdraw” does not read TEXT argument."


# Options by which a command only tries what it would do.
TRYING = ("dry_run", "check")
LINES_TO_TRY = {
    "operate": ["cancel", "--filter", "status:running"],
    "repair": ["--where", "status:exception", "patch"],
    "startinstance": ["x", "--csv", "x.csv"],
    "wsql": ["-c", "show flows"],
    "importbpmn": ["x.bpmn", "--flow", "x"],
    "importpdl": ["x.pdl", "--flow", "x"],
    "importgraph": ["x.json", "--flow", "x"],
    "makeflowmigrations": [],
}


def test_each_command_that_can_only_try_says_what_it_reads_then() -> None:
    trying = {
        name: {action.dest for action in arguments(command)} & {*TRYING} for name, command in COMMANDS.items()
    }
    found = {name: names for name, names in trying.items() if names}
    assert found == {name: tried for name, command in COMMANDS.items() if (tried := _tries(command))}
    assert found.keys() == LINES_TO_TRY.keys()


def _tries(command: BaseCommand) -> set[str]:
    return {*command.tries} if isinstance(command, FlowCommand) else set()


@pytest.mark.django_db
@pytest.mark.parametrize("name", LINES_TO_TRY)
def test_what_matters_only_where_something_is_done_is_rejected_where_it_is_tried(name: str) -> None:
    command = COMMANDS[name]
    assert isinstance(command, FlowCommand)
    for option, read in command.tries.items():
        said = f"--{option.replace('_', '-')}"
        for action in arguments(command):
            if action.option_strings and action.dest not in {option, *read.split()}:
                text = refused(name, *LINES_TO_TRY[name], said, *given(action), code=2)
                assert text == f"“{said}” does not read {action.option_strings[0]}."


@pytest.mark.django_db
def test_the_shell_of_wsql_does_not_only_try(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, other_end = os.openpty()
    with os.fdopen(terminal, "rb"), os.fdopen(other_end) as standard_input:
        monkeypatch.setattr("sys.stdin", standard_input)
        said = refused("wsql", "--dry-run", code=2)
    assert said.endswith("or a pipe, not the shell.")
