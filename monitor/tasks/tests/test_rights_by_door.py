"""Who may do what with a task, by every door: the page, the list, HTTP, the command, and a device.

The table has a row for each kind of person and a column for each verb; each door has to answer as it says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.management import CommandError
from django.test import Client

from flows import api
from flows.tests.commands import run
from flows.tests.pages import unique
from monitor.tasks.tests.test_tasks_pages import DEFINITION, person
from monitor.tasks.tests.test_tasks_pages import flow as flow
from monitor.tests.server.programs import Program, program

pytestmark = pytest.mark.django_db(transaction=True)

NOON = "2026-05-01T12:00:00Z"
KEY = "device-of-some-person"
VERBS = ("see", "take", "lock", "start", "complete", "fail", "release", "give", "aside", "extend")
# A letter for each of VERBS. The task is held by the holder, except for taking and locking.
TABLE = {
    "stranger":    "- -- --- -- - -",
    "viewer":      "y -- --- -- - -",
    "other role":  "- -- --- -- - -",
    "of the role": "y yy --- -- - -",
    "holder":      "y yy yyy yy y -",
    "supervisor":  "y -- --- yy - y",
    "responsible": "y -- --- -- - y",
    "handler":     "y -- --- -- - -",
}  # fmt: skip
# Who acts at which door; a command has no signed-in user, and shows every task.
DOORS: dict[str, tuple[str, ...]] = {
    "page": ("see", "take", "lock", "complete", "fail", "release", "give", "aside", "extend"),
    "list": ("take", "release", "give"),
    "http": VERBS,
    "command": ("take", "lock", "start", "complete", "fail", "release", "give", "aside"),
    "device": ("complete", "fail"),
}


@dataclass
class Office:
    """The persons of a flow, and a task of it at a time."""

    flow: str
    persons: dict[str, Client] = field(default_factory=dict)
    programs: dict[str, Program] = field(default_factory=dict)
    wid: int = 0
    task: int = 0

    def __post_init__(self) -> None:
        groups = {
            "viewer": f"flow:{self.flow}",
            "other role": "role:Clerk",
            "of the role": "role:Expert",
            "holder": "role:Expert",
            "supervisor": f"flow:{self.flow}:operate",
            "handler": f"flow:{self.flow}:handle",
        }
        for kind in TABLE:
            self.persons[kind] = person(*filter(None, [groups.get(kind)]))
            self.programs[kind] = program(self.user(kind), "perform", "operate")

    def user(self, kind: str) -> Any:
        return self.persons[kind].user  # type: ignore[attr-defined]

    def name(self, kind: str) -> str:
        return str(self.user(kind).username)

    def begin(self, held: bool) -> None:
        """Start an instance, whose task the holder takes."""
        chosen = {"responsible": self.name("responsible")}
        self.wid = api.persons.start_with_settings(self.flow, {"policy": "P-1"}, chosen, actor="x")
        (task,) = api.tasks.of_instance(self.wid)
        self.task = task.job_id
        if held:
            api.tasks.take(self.task, self.name("holder"), ["r:Expert"], lock=True)

    def facts(self) -> Any:
        """Return what each verb changes in the task."""
        (one,) = (each for each in api.tasks.of_instance(self.wid) if each.job_id == self.task)
        return (one.state, one.owner, one.audience, one.due_at, one.hidden_until, one.ended_by, one.outcome)

    def allows(self, door: str, kind: str, verb: str) -> bool:
        """Return whether the task is another one after a person has asked for it by a door."""
        self.begin(held=verb not in ("take", "lock"))
        before = self.facts()
        seen = getattr(self, f"_{door}")(kind, verb)
        if verb == "see":
            return bool(seen)
        return bool(self.facts() != before)

    def _page(self, kind: str, verb: str) -> bool:
        browser, address = self.persons[kind], f"/tasks/{self.task}/"
        if verb == "see":
            return browser.get(address).status_code == 200
        if verb == "complete":
            answer = browser.post(address, {"value-amount": "1", "value-note": ""})
        else:
            given = {"reason": "no paper", "to": self.name("of the role"), "time": "2h"}
            answer = browser.post(f"{address}{verb}/", given)
        assert answer.status_code in (200, 302, 403, 404), (kind, verb, answer.status_code)
        return True

    def _list(self, kind: str, verb: str) -> None:
        given = {"task": [self.task], "to": self.name("of the role")}
        answer = self.persons[kind].post(f"/tasks/{verb}/", given, follow=True)
        said = answer.content.decode()
        assert answer.status_code == 200 and "Mark the tasks first" not in said
        if TABLE[kind][0] == "-":  # of a task that the person may not see nothing is said
            assert f"There is no task {self.task}." in said and "Expert" not in said
            assert self.name("holder") not in said

    def _http(self, kind: str, verb: str) -> bool:
        caller, address = self.programs[kind], f"/tasks/{self.task}"
        if verb == "see":
            return caller.get(address).status_code == 200
        until = (datetime.now(UTC) + timedelta(days=9)).isoformat()
        bodies: dict[str, dict[str, Any]] = {
            "lock": {"lock": True},
            "complete": {"data": {"amount": "1"}},
            "fail": {"reason": "no paper"},
            "give": {"to": self.name("of the role"), "held_by": self.name("holder")},
            "release": {"held_by": self.name("holder")},
            "aside": {"until": until},
            "extend": {"until": until},
        }
        word = {"lock": "take", "extend": "deadline"}.get(verb, verb)
        answer = caller.post(f"{address}/{word}", bodies.get(verb, {}))
        seen = TABLE[kind][0] == "y"
        assert answer.status_code in ((200, 403, 409) if seen else (404,)), (kind, verb, answer.content)
        return True

    def _command(self, kind: str, verb: str) -> None:
        """A person of a command acts as a supervisor only with --force, which its page has no need of."""
        more = {
            "complete": ["amount=1"],
            "fail": ["--reason", "no paper"],
            "give": ["--to", self.name("of the role")],
            "aside": ["--minutes", "5"],
        }.get(verb, [])
        supervises = kind == "supervisor" and verb in ("release", "give")
        forced = ["--force", "--held-by", self.name("holder")] if supervises else []
        try:
            run("tasks", verb, str(self.task), *more, *forced, "--person", self.name(kind))
        except CommandError:
            return

    def _device(self, kind: str, verb: str) -> None:
        device = f"{KEY}-{self.task}"
        owner = self.programs["holder"]
        owner.post("/offline/devices", {"device": f"{device}-own"})
        package = owner.get(f"/offline/packages/{self.task}?device={device}-own").json()
        made = {"number": 1, "made_at": NOON, "data": {"amount": "1"}}
        made |= {name: package[name] for name in ("task", "claim", "seq")}
        made |= {"reason": "no paper", "data": {}} if verb == "fail" else {}
        sender = self.programs[kind]
        sender.post("/offline/devices", {"device": device})
        (found,) = sender.post(
            "/offline/results", {"device": device, "sent_at": NOON, "results": [made]}
        ).json()["results"]
        assert (found["state"] == "accepted") == (kind == "holder"), found
        given = sender.get(f"/offline/packages/{self.task}?device={device}")
        assert given.status_code != 200 or kind == "holder"


@pytest.mark.parametrize("door", DOORS)
def test_every_door_answers_as_the_table_says(flow: str, door: str) -> None:
    office, found = Office(flow), {}
    for kind, row in TABLE.items():
        letters = row.replace(" ", "")
        assert len(letters) == len(VERBS)
        expected = dict(zip(VERBS, letters, strict=True))
        for verb in DOORS[door]:
            letter = "y" if office.allows(door, kind, verb) else "-"
            if letter != expected[verb]:
                found[f"{kind}: {verb}"] = f"{letter}, not {expected[verb]}"
    assert found == {}


def test_every_verb_of_a_door_is_a_column_of_the_table() -> None:
    """A new verb of the page, the list, HTTP or the command fails here until the table has it."""
    from flows.capabilities.tasks import command
    from monitor.tasks import endpoints, list_actions, message_endpoints, views

    assert set(DOORS["page"]) == {"see", "complete", *views.VERBS}
    assert set(DOORS["list"]) == set(list_actions.MANY)
    assert set(DOORS["command"]) == set(command.VERBS) - {"list"}
    router = endpoints.router
    assert message_endpoints.router is router
    paths = [str(path).rpartition("/")[2] for path in router.path_operations if "tasks/{int:task}/" in path]
    words = {"take", "start", "complete", "fail", "release", "give", "aside", "deadline"}
    assert set(paths) - {"late", ""} == words


def test_a_token_that_may_only_perform_does_nothing_with_the_tasks_of_others(flow: str) -> None:
    office = Office(flow)
    until = (datetime.now(UTC) + timedelta(days=9)).isoformat()
    only = program(office.user("supervisor"), "perform")
    for word, body in (
        ("release", {}),
        ("give", {"to": office.name("of the role")}),
        ("deadline", {"until": until}),
    ):
        office.begin(held=True)
        before = office.facts()
        answer = only.post(f"/tasks/{office.task}/{word}", body)
        assert (answer.status_code, office.facts()) == (403, before), word


def test_masked_values_do_not_decide_who_may_take_a_task(flow: str) -> None:
    """Who handles the cases of a flow takes its tasks without a role by each door."""
    handler = person(f"flow:{flow}:handle")
    name, caller = handler.user.username, program(handler.user, "perform")  # type: ignore[attr-defined]
    takes = {
        "page": lambda task: handler.post(f"/tasks/{task}/take/"),
        "list": lambda task: handler.post("/tasks/take/", {"task": [task]}),
        "http": lambda task: caller.post(f"/tasks/{task}/take", {}),
        "command": lambda task: run("tasks", "take", str(task), "--person", name),
    }
    for door, take in takes.items():
        wid = api.instances.start(flow, {"policy": "P-1", "amount": "1", "secret": "unspeakable"})
        (task,) = [one for one in api.tasks.of_instance(wid) if one.transition == "decide"]
        take(task.job_id)
        (task,) = [one for one in api.tasks.of_instance(wid) if one.transition == "decide"]
        assert task.owner == name, door
    assert "unspeakable" not in handler.get(f"/tasks/{task.job_id}/").content.decode()


def test_a_place_in_the_list_says_nothing_of_tasks_that_one_may_not_see(flow: str) -> None:
    office = Office(flow)
    office.begin(held=True)
    mine = unique("claims")
    api.flows.create(mine)
    api.flows.publish(mine, {**DEFINITION, "triggers": [{**DEFINITION["triggers"][0], "role": "Clerk"}]})
    wid = api.instances.start(mine, {"policy": "P-2"})
    (own,) = api.tasks.of_instance(wid)
    ask = {"Accept": "application/json"}
    for move in (
        f"{office.task}:{own.job_id}:",
        f"{own.job_id}:{office.task}:",
        f"{own.job_id}::{office.task}",
    ):
        answer = office.persons["other role"].post("/tasks/place/", {"move": move}, headers=ask)
        said = answer.json()["error"]
        assert f"There is no task {office.task}." in said and "Expert" not in said
    api.flows.drop(mine, force=True)
