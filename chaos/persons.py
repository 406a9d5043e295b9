"""Twenty persons who perform tasks over HTTP while processes die, and what the site answered them.

A call whose answer was lost is repeated until it has one. A person notes the receipt of a task as its holder,
and that it is let go before the call that lets it go is sent: two holders at once are two hands.
"""

from __future__ import annotations

import http.client
import json
import threading
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from chaos.client import Client
from testkit.browser import Browser

FLOW = "office"
PERSONS = 20
ROLES = (("Clerk", "Boss"), ("Fitter", "Clerk"), ("Fitter", "Boss"))
NAMES = [f"person{number}" for number in range(PERSONS)]
SECRETS = "persons.json"
# Two tasks at once, a job of workers before and after them, and a last task.
DEFINITION = """
insert into wed_attr (aname, adv) values
  ('noted', '0'), ('checked', '0'), ('visited', '0'), ('billed', '0'), ('signed', '0');
insert into wed_trig (trname, cpred, timeout, max_attempts, backoff) values
  ('tr_note', 'noted = ''0''', '30 seconds', 200, '100 milliseconds'),
  ('tr_bill', 'checked <> ''0'' and visited <> ''0'' and billed = ''0''', '30 seconds', 200,
   '100 milliseconds');
insert into wed_trig (trname, cpred, performer, role, outcomes) values
  ('tr_check', 'checked = ''0''', 'person', 'Clerk', array['FAILED: checked = ''no''']),
  ('tr_visit', 'noted = ''1'' and visited = ''0''', 'person', 'Fitter', null),
  ('tr_sign', 'billed = ''1'' and signed = ''0''', 'person', 'Boss', null);
insert into wed_trig (cpred, cfinal) values ('signed <> ''0''', true);
"""
WRITES = {"tr_check": "checked", "tr_visit": "visited", "tr_sign": "signed"}


@dataclass
class Answers:
    """What the persons were answered; `two_hands` and `unexpected` are violations."""

    holders: dict[int, str] = field(default_factory=dict)
    completed: list[tuple[int, int, str, str, str]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    two_hands: list[str] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def received(self, task: int, person: str) -> None:
        """Note that a person was answered to have a task."""
        with self.lock:
            other = self.holders.setdefault(task, person)
            if other != person:
                self.two_hands.append(f"task {task} of {other} was given to {person}")

    def let_go(self, task: int) -> None:
        """Note that a person is about to let a task go."""
        with self.lock:
            self.holders.pop(task, None)

    def count(self, what: str) -> None:
        with self.lock:
            self.counts[what] += 1


class Unknown(Exception):
    """The person stopped before a call had an answer."""


class Person(Client):
    """Takes the next task and completes it, or now and then gives it back, away, or puts it aside."""

    ignored = (Unknown,)

    def __init__(self, name: str, port: int, secret: str, answers: Answers) -> None:
        super().__init__(name, 0.4)
        self.browser = Browser(port)
        self.secret = secret
        self.answers = answers
        self.number = 0

    def act(self) -> None:
        task = self._own() or self._next()
        if task is None:
            return
        self.answers.received(task["task"], self.name)
        chance = self.rng.random()
        if chance < 0.05:
            self._let_go(task, "release", {})
        elif chance < 0.1:
            self._let_go(task, "give", {"to": self.rng.choice(NAMES), "reason": "x"})
        elif chance < 0.13 and task["transition"] == "tr_check":
            self._let_go(task, "fail", {"reason": "No.", "claim": task["claim"]})
        elif chance < 0.2:
            until = datetime.now(UTC) + timedelta(seconds=2)
            self._until_known("POST", f"/tasks/{task['task']}/aside", {"until": until.isoformat()})
            self.answers.count("put aside")
        else:
            self._complete(task)

    def _own(self) -> dict[str, Any] | None:
        """Return a task that the person has, perhaps by an answer that was lost."""
        status, found = self._until_known("GET", "/tasks?list=mine")
        if status != 200 or not found["items"]:
            return None
        status, sheet = self._until_known("GET", f"/tasks/{found['items'][0]['task']}")
        return sheet if status == 200 else None

    def _next(self) -> dict[str, Any] | None:
        status, found = self._until_known("POST", "/tasks/next", {})
        if status != 200:
            self._unexpected("next", status, found)
            return None
        self.answers.count("taken") if found["task"] else None
        return found["task"]

    def _complete(self, task: dict[str, Any]) -> None:
        self.number += 1
        value = f"{self.name}-{self.number}"
        name = WRITES[task["transition"]]
        sent = {"data": {name: value}, "claim": task["claim"]}
        self.answers.let_go(task["task"])
        status, done = self._until_known("POST", f"/tasks/{task['task']}/complete", sent)
        if status != 200:
            self._unexpected("complete", status, done)
            return
        with self.answers.lock:
            self.answers.completed.append((task["task"], done["seq"], self.name, name, value))
        if self.rng.random() < 0.2:
            status, again = self._until_known("POST", f"/tasks/{task['task']}/complete", sent)
            if status != 200 or not again["repeated"] or again["seq"] != done["seq"]:
                self._unexpected("complete again", status, again)

    def _let_go(self, task: dict[str, Any], verb: str, body: dict[str, Any]) -> None:
        self.answers.let_go(task["task"])
        before = self.answers.counts["lost answers"]
        status, found = self._until_known("POST", f"/tasks/{task['task']}/{verb}", body)
        if status == 200:
            self.answers.count(verb)
        elif self.answers.counts["lost answers"] == before:  # else it may have been done before
            self._unexpected(verb, status, found)

    def _unexpected(self, what: str, status: int, found: Any) -> None:
        with self.answers.lock:
            self.answers.unexpected.append(f"{self.name} {what}: {status} {str(found)[:200]}")

    def _until_known(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Return status and answer of a call, which is repeated while its answer is lost."""
        lost = False
        for _ in range(600):
            if (found := self._once(method, path, body)) is not None:
                self.answers.count("lost answers resolved") if lost else None
                return found
            self.answers.count("lost answers") if not lost else None
            lost = True
            self.ended.wait(0.1) and threading.Event().wait(0.1)
        raise Unknown

    def _once(self, method: str, path: str, body: Any) -> tuple[int, Any] | None:
        """Return status and answer; None where there is none, or one that says to try again."""
        headers = {"Authorization": f"Bearer {self.secret}", "Content-Type": "application/json"}
        sent = None if body is None else json.dumps(body).encode()
        try:
            status, text = self.browser.request(method, f"/api/v1{path}", sent, **headers)
            return None if status >= 500 or status == 429 else (status, json.loads(text))
        except (OSError, http.client.HTTPException, ValueError):
            return None
