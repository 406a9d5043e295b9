"""The interfaces of the product, each tested with hostile input; wrong answers are collected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import psycopg

from chaos.dashboard import Browser
from chaos.doors.door import FLOW, Connection, Stage
from chaos.doors.psql import SqlDoor
from chaos.doors.python import ApiDoor
from chaos.doors.refusals import leak, wrong_code
from chaos.doors.site import SiteDoor
from flows.errors import WedError

__all__ = ["FLOW", "Doors"]


class Doors:
    """Attacks the interfaces one at a time; `wrong` lists what should not have happened."""

    def __init__(self, conn: Connection, psql: Connection, browser: Browser, dice: Random) -> None:
        self.stage = Stage(conn, dice)
        api, site = ApiDoor(self.stage), SiteDoor(self.stage, browser)
        self.doors: dict[str, Callable[[], str]] = {
            "start": api.start, "complete": api.complete, "publish": api.publish, "predicate": api.predicate,
            "calls": api.calls, "sql": SqlDoor(self.stage, psql).attack, "pages": site.pages,
            "posts": site.posts, "admin": site.admin, "live": site.live,
        }  # fmt: skip
        self.prepare: dict[str, Callable[[], None]] = {"complete": api.begin_one, "admin": site.open_form}
        self.answers: Counter[str] = Counter()
        self.findings = 0

    @property
    def wrong(self) -> list[str]:
        return self.stage.wrong

    def attack(self, door: str) -> None:
        """Send one input to one interface; if it is rejected, the data must be unchanged."""
        self.prepare.get(door, lambda: None)()
        before, told = self.stage.mark(), self.stage.findings
        accepted = self.stage.accepted, self.stage.completed
        try:
            answer = self.doors[door]()
        except WedError as refused:
            answer = self._refused(door, refused.code or type(refused).__name__, refused.sentence)
        except psycopg.Error as refused:
            answer = self._refused(door, refused.sqlstate or type(refused).__name__, str(refused))
        except UnicodeError as refused:
            answer = self._refused(door, type(refused).__name__, str(refused))
        if (self.stage.accepted, self.stage.completed) == accepted and answer not in ("accepted", "302"):
            self._untouched(door, before, answer)
        self.answers[f"{door} {answer}"] += 1
        self.findings += self.stage.findings > told

    def _refused(self, door: str, code: str, text: str) -> str:
        if wrong_code(door, code):
            self.stage.tell(door, f"answered with {code}: {text[:200]}")
        elif door != "sql" and leak(text):
            self.stage.tell(door, f"{code} tells {leak(text)!r}")
        return code

    def _untouched(self, door: str, before: tuple[Any, ...], answer: str) -> None:
        after = self.stage.mark()
        if after != before:
            self.stage.tell(door, f"was answered with {answer}, but {before} became {after}")
