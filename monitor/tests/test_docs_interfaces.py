"""The page of interfaces: each way that it names is one, and each operation of the dissertation has one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.management import get_commands
from django.test import Client
from django.urls import resolve

from flows.access import PERMISSIONS
from flows.capabilities.tasks.command import Command as Tasks
from flows.management import verbs
from monitor.tests.server.programs import BASE
from testkit.api_functions import of_topic, topics

PAGE = Path(__file__).resolve().parents[2] / "docs" / "interfaces.md"
MODEL, OPERATIONS = PAGE.read_text(encoding="utf-8").split("## The operations of WorkToDo")
NONE = "\N{EN DASH}"
WHO = {*PERMISSIONS, "administrator", "role of the task", "responsible person", "own"}
# The operations of appendices B and C, as the dissertation names them.
NAMED = """
addWorkflowType removeWorkflowType listWorkflowTypes getWorkflowTypeInfo getWorkflowTypeDefinition
addTaskModel removeTaskModel listTaskModels getTaskModelInfo getTaskModelDefinition
addApplication removeApplication listApplications getApplicationInfo getApplicationDefinition
readFile writeFile copyFile createProcess removeProcess listProcesses listProcessesByType
listTerminatedProcesses getHostName getHostAddress processTerminated addRole removeRole listRoles
addUser addUserToRole removeUser removeUserFromRole listUsers listUsersByRole listActiveUsers userRoles
userInRole userActive getUserInfo connectUser disconnectUser addMessage removeMessage removeAllMessages
getMessages init retrieveState newTaskState selectTask unselectTask createProcessManager
deleteProcessManager connect disconnect addWorkitem removeWorkitem listWorkitems getWorkitemID
selectWorkitem unselectWorkitem lockWorkitem unlockWorkitem executionCompleted prefetch changePolicy
exchangeWorkitems createWorklistManager deleteWorklistManager initiate execute remove createTaskManager
deleteTaskManager getDiskSpace getBandwidth fileExists applicationInstalled
""".split()


def rows(text: str) -> list[list[str]]:
    found = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return found[1:]


@pytest.fixture(scope="module")
def offered() -> set[str]:
    """What the document of the HTTP API has, as "GET /tasks/{task}"."""
    paths = Client().get(f"{BASE}/openapi.json").json()["paths"].items()
    return {
        f"{verb.upper()} {path.removeprefix(BASE)}"
        for path, verbs in paths
        for verb in verbs
        if verb.islower()
    }


def wrong_ways(ways: str, offered: set[str]) -> list[str]:
    """Return which of the ways in a cell are none."""
    pages = re.findall(r"page `([^`]+)`", ways)
    http = re.findall(r"`([A-Z]+ [^`]+)`", ways)
    commands = re.findall(r"(?<!page )`([a-z]+)`", ways)
    found = [each for each in http if each not in offered]
    found += [each for each in commands if each not in get_commands()]
    for each in pages:
        resolve(each.replace("{id}", "1"))  # raises Resolver404
    return found


def test_each_interface_names_what_there_is(offered: set[str]) -> None:
    table = rows(MODEL)
    assert [each[0].partition(":")[0] for each in table[1:]] == [f"interface {n}" for n in range(1, 6)]
    for part, _here, ways in table[1:]:
        assert "`" in ways and wrong_ways(ways, offered) == [], part


def _offered(call: str) -> bool:
    """Return whether the API has a function by its topic and name."""
    topic, _, name = call.partition(".")
    return name in of_topic(topics()[topic])


def test_each_operation_has_its_ways(offered: set[str]) -> None:
    table = rows(OPERATIONS)
    assert {each[0] for each in table} == {f"T-{n}" for n in range(310, 324)}
    for _row, operation, ways, call, command, who in table:
        assert wrong_ways(ways, offered) == [] and "`" in ways, operation
        assert call == NONE or _offered(call.strip("`")), operation
        name, *verb = command.strip("`").split(" ", 1)
        assert command == NONE or name in get_commands(), operation
        assert (name == "flow") == bool(verb) and {*verb} <= {*verbs.VERBS}, operation
        assert who in WHO, operation


def test_no_operation_of_the_dissertation_is_left_out() -> None:
    named = set(re.findall(r"\w+", " ".join(each[1] for each in rows(OPERATIONS))))
    assert [each for each in NAMED if each not in named] == []


def test_each_verb_of_tasks_over_http_is_one_of_the_command(offered: set[str]) -> None:
    verbs = {each.rpartition("/")[2] for each in offered if each.startswith("POST /tasks/{task}/")}
    assert verbs - {"deadline", "late"} <= set(Tasks.reads)
