"""Who may do what with drafts, files, queries and late results of a task; what substitutes may, by door."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import pytest
from django.test import Client

from flows import api
from flows.tests.commands import run
from flows.tests.pages import unique
from monitor.tasks.tests.test_messages_pages import reaped
from monitor.tasks.tests.test_tasks_pages import person
from monitor.tests.server.programs import Program, program

pytestmark = pytest.mark.django_db(transaction=True)

PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 40
PHOTO = {"attribute": "photo", "kind": "file"}
DEFINITION: dict[str, Any] = {
    "attributes": [
        {"name": "note"},
        {"name": "shop"},
        {"name": "clerk"},
        {"name": "photo", "type": "jsonb"},
        {"name": "done", "type": "boolean"},
    ],
    "triggers": [
        {
            "transition": "shoot",
            "predicate": "photo is null",
            "performer": "person",
            "role": "Expert",
            "writes": ["photo", "note"],
            "form": {"sections": [{"fields": [PHOTO, {"attribute": "note"}]}]},
        },
        {
            "transition": "check",
            "predicate": "photo is not null and done is null",
            "performer": "person",
            "role": "Expert",
            "candidate": "clerk",
            "offline": True,
            "deadline": "2 days",
            "writes": ["photo", "note", "shop", "done"],
            "form": {
                "sections": [
                    {
                        "fields": [
                            PHOTO,
                            {"attribute": "note"},
                            {"attribute": "shop", "kind": "query", "query": {"value": "note"}},
                            {"attribute": "done"},
                        ]
                    }
                ]
            },
        },
        {"predicate": "done", "final": True},
    ],
}  # fmt: skip
VERBS = ("draft", "discard", "letters", "choices", "send", "fetch", "read", "state", "late", "decide")
# A letter for each of VERBS. The task is held by the holder; for `late` it was taken from "lost" at its
# deadline, and for `decide` that one has handed over a late result.
TABLE = {
    "stranger":       "--- - --- - - -",
    "viewer":         "--- - --y y - -",
    "other role":     "--- - --- - - -",
    "of the role":    "--- - --y - - -",
    "holder":         "yyy - yyy - - -",
    "seeing holder":  "yyy y yyy y - -",
    "supervisor":     "--- - --y y - -",
    "responsible":    "--- - --y y - y",
    "handler":        "--- - --y y - y",
    "lost":           "--- - --y - y -",
}  # fmt: skip
GROUPS = {
    "viewer": ["flow:{flow}"],
    "other role": ["role:Clerk"],
    "of the role": ["role:Expert"],
    "holder": ["role:Expert"],
    "seeing holder": ["role:Expert", "flow:{flow}"],
    "supervisor": ["flow:{flow}:operate"],
    "handler": ["flow:{flow}:handle"],
    "lost": ["role:Expert"],
}


@pytest.fixture
def flow() -> Any:
    name = unique("photos")
    api.flows.create(name)
    api.flows.publish(name, DEFINITION)
    yield name
    api.flows.drop(name, force=True)


@dataclass
class Office:
    """The persons of a flow, and a task of it at a time."""

    flow: str
    persons: dict[str, Client] = field(default_factory=dict)
    programs: dict[str, Program] = field(default_factory=dict)
    wid: int = 0
    task: int = 0
    holder: str = ""
    late: int = 0

    def __post_init__(self) -> None:
        for kind in TABLE:
            self.persons[kind] = person(*(each.format(flow=self.flow) for each in GROUPS.get(kind, ())))
            self.programs[kind] = program(self.user(kind), "perform", "operate", "repair")

    def user(self, kind: str) -> Any:
        return self.persons[kind].user  # type: ignore[attr-defined]

    def name(self, kind: str) -> str:
        return str(self.user(kind).username)

    def begin(self, kind: str, verb: str) -> None:
        """Have an instance whose first task gave it a file; the second one is held, or was taken away."""
        chosen = {"responsible": self.name("responsible"), "warnings": ["6 transfer"]}
        self.wid = api.persons.start_with_settings(self.flow, {"note": "A"}, chosen, actor="x")
        (first,) = api.tasks.of_instance(self.wid)
        self.hold(first.job_id, "of the role")
        self.attach(self.persons["of the role"], PNG)
        photo = self.attach(self.persons["of the role"], PNG)
        api.tasks.complete(self.task, self.name("of the role"), {"photo": photo})
        (second,) = (one for one in api.tasks.of_instance(self.wid) if one.ended_at is None)
        lost = verb in ("late", "decide") or kind == "lost"
        self.hold(second.job_id, "lost" if lost else kind if kind.endswith("holder") else "holder")
        if lost:
            reaped("43 hours")
            assert api.tasks.read(self.task, "x").owner == self.name("responsible")
        if verb == "decide":
            self.late = api.tasks.keep_late(self.task, self.name("lost"), {"note": "late"}) or 0
            api.repairs.decide_late()

    def hold(self, task: int, kind: str) -> None:
        self.task, self.holder = task, kind
        api.tasks.take(task, self.name(kind), ["r:Expert"])

    def attach(self, browser: Client, content: bytes) -> Any:
        sent = browser.post(f"/tasks/{self.task}/files/photo/", {"file": BytesIO(content)})
        assert sent.status_code in (200, 403, 404, 409), sent.content
        return sent.json().get("file") if sent.status_code == 200 else None

    def allows(self, kind: str, verb: str) -> bool:
        self.begin(kind, verb)
        browser = self.persons[kind]
        form = {"value-note": f"by {kind}", "touched": "note", "of": "shop"}
        if verb == "discard":
            api.task_forms.keep_draft(self.task, self.holder_name, {"value-note": ["typed", ""]})
        if verb == "fetch":
            content = PNG + b"unsent"
            made = self.attach(self.persons[self.holder], content) if kind != "lost" else None
            if made is None:
                return False
            return browser.get(f"/tasks/{self.task}/files/photo/?sha256={made['sha256']}").status_code == 200
        return bool(getattr(self, f"_{verb}")(browser, kind, form))

    @property
    def holder_name(self) -> str:
        return str(api.tasks.read(self.task, "x").owner)

    def _draft(self, browser: Client, kind: str, form: dict[str, str]) -> bool:
        browser.post(f"/tasks/{self.task}/draft/", form)
        return api.task_forms.read_draft(self.task, self.name(kind)) is not None

    def _discard(self, browser: Client, kind: str, form: dict[str, str]) -> bool:
        browser.post(f"/tasks/{self.task}/discard/")
        return api.task_forms.read_draft(self.task, self.holder_name) is None

    def _letters(self, browser: Client, kind: str, form: dict[str, str]) -> bool:
        return "note" in browser.post(f"/tasks/{self.task}/letters/", form).content.decode()

    def _choices(self, browser: Client, kind: str, form: dict[str, str]) -> bool:
        return browser.post(f"/tasks/{self.task}/choices/", form).status_code == 200

    def _send(self, browser: Client, kind: str, form: dict[str, str]) -> bool:
        return self.attach(browser, PNG + kind.encode()) is not None

    def _read(self, browser: Client, kind: str, form: dict[str, str]) -> bool:
        return browser.get(f"/tasks/{self.task}/files/photo/").status_code == 200

    def _state(self, browser: Client, kind: str, form: dict[str, str]) -> bool:
        return browser.get(f"/instances/{self.wid}/files/photo/").status_code == 200

    def _late(self, browser: Client, kind: str, form: dict[str, str]) -> bool:
        """Hand over a late result, by the page of the task or, which has to be the same, by HTTP."""
        sent = self.programs[kind].post(f"/tasks/{self.task}/late", {"data": {"note": "mine"}})
        by_page = browser.post(f"/tasks/{self.task}/", {"value-note": "mine too"}, follow=True)
        kept = len(api.repairs.late_results(self.wid))
        if kind != "responsible":  # who has the task now completes it
            assert (sent.status_code == 200) == ("late result" in by_page.content.decode())
        return sent.status_code == 200 and kept > 0

    def _decide(self, browser: Client, kind: str, form: dict[str, str]) -> bool:
        """Discard a late result by HTTP; its page is there for the same persons."""
        address = f"/instances/{self.wid}/repair"
        page = browser.get(f"{address}/?operation=discard_late&late={self.late}").status_code
        sent = {"operation": "discard_late", "arguments": {"late": self.late}, "reason": "too late"}
        answer = self.programs[kind].post(address, sent)
        assert (page == 200) == (answer.status_code in (200, 409)), (kind, page, answer.content)
        return page == 200  # 409: that another person has the task is to be confirmed


@pytest.mark.parametrize("verb", VERBS)
def test_what_belongs_to_a_task_is_for_those_whom_the_table_names(flow: str, verb: str) -> None:
    office, found = Office(flow), {}
    for kind, row in TABLE.items():
        letters = row.replace(" ", "")
        assert len(letters) == len(VERBS)
        letter = "y" if office.allows(kind, verb) else "-"
        if letter != (expected := letters[VERBS.index(verb)]):
            found[kind] = f"{letter}, not {expected}"
    assert found == {}


def test_everything_that_a_page_does_with_a_form_is_in_the_table() -> None:
    from monitor.tasks import views

    assert set(views.OF_FORM) <= set(VERBS)


# Whether a person may take a task that is for the clerk by name, and whom the list shows it to.
SUBSTITUTES = {
    "clerk": "y",
    "substitute": "y",
    "substitute of the substitute": "y",
    "substitute before": "-",
    "substitute after": "-",
    "of the role": "-",
    "stranger": "-",
}


def absent(of: str, to: str, begin: timedelta, end: timedelta) -> None:
    now = datetime.now(UTC)
    api.persons.set_absence(of, to, now + begin, now + end)


DAY = timedelta(days=1)


def caller(browser: Client) -> Program:
    return program(browser.user, "perform")  # type: ignore[attr-defined]


TAKING: dict[str, Callable[[Client, int], Any]] = {
    "page": lambda browser, task: browser.post(f"/tasks/{task}/take/"),
    "list": lambda browser, task: browser.post("/tasks/take/", {"task": [task]}),
    "next": lambda browser, task: browser.post("/tasks/next/"),
    "http": lambda browser, task: caller(browser).post(f"/tasks/{task}/take", {}),
    "http next": lambda browser, task: caller(browser).post("/tasks/next", {}),
    "device": lambda browser, task: caller(browser).post(f"/tasks/{task}/take", {"lock": True}),
}


@pytest.mark.parametrize("door", [*TAKING, "command"])
def test_a_substitute_has_the_tasks_of_whom_is_away_and_only_meanwhile(flow: str, door: str) -> None:
    found = {}
    for kind, expected in SUBSTITUTES.items():
        clerk, middle, one = person(), person(), person(*(["role:Expert"] if kind == "of the role" else []))
        names = {"clerk": clerk, "middle": middle, "one": one}
        of = {name: each.user.username for name, each in names.items()}  # type: ignore[attr-defined]
        if kind == "substitute":
            absent(of["clerk"], of["one"], -DAY, DAY)
        elif kind == "substitute of the substitute":
            absent(of["clerk"], of["middle"], -DAY, DAY)
            absent(of["middle"], of["one"], -DAY, DAY)
        elif kind == "substitute before":
            absent(of["clerk"], of["one"], DAY, 2 * DAY)
        elif kind == "substitute after":
            absent(of["clerk"], of["one"], -DAY, timedelta(seconds=1))
            _forget(of["clerk"])
        who = "clerk" if kind == "clerk" else "one"
        wid = api.instances.start(flow, {"photo": {"name": "x"}, "clerk": of["clerk"]})
        (task,) = api.tasks.of_instance(wid)
        listed = f"/tasks/{task.job_id}/" in names[who].get("/tasks/").content.decode()
        if door == "command":
            _command(task.job_id, of[who])
        else:
            TAKING[door](names[who], task.job_id)
        taken = api.tasks.read(task.job_id, "x").owner == of[who]
        api.instances.cancel(wid, "over", actor="x")
        if (letter := "y" if taken else "-") != expected or listed != taken:
            found[kind] = f"{letter}, not {expected}; listed: {listed}"
    assert found == {}


def _forget(clerk: str) -> None:
    """Let the absences of a person be over."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "update wedsql.absence set until_at = now() - interval '1 minute' where person = %s", [clerk]
        )


def _command(task: int, name: str) -> None:
    from django.core.management import CommandError

    try:
        run("tasks", "take", str(task), "--person", name)
    except CommandError:
        return
