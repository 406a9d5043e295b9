"""The interfaces of the product, each tested with hostile input; wrong answers are collected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import psycopg

from chaos.dashboard import Browser
from chaos.interfaces.psql import SqlAttacks
from chaos.interfaces.python import ApiAttacks
from chaos.interfaces.refusals import leak, wrong_code
from chaos.interfaces.site import SiteAttacks
from chaos.interfaces.target import FLOW, Connection, Draw, Target
from flows.errors import WedError

__all__ = ["FLOW", "InterfaceAttacks"]


class InterfaceAttacks:
    """Attacks the interfaces one at a time; `wrong` lists what should not have happened."""

    def __init__(self, conn: Connection, psql: Connection, browser: Browser) -> None:
        self.target = Target(conn)
        api, site = ApiAttacks(self.target), SiteAttacks(self.target, browser)
        self.attacks: dict[str, Callable[[], str]] = {
            "start": api.start, "complete": api.complete, "publish": api.publish, "predicate": api.predicate,
            "calls": api.calls, "sql": SqlAttacks(self.target, psql).attack, "pages": site.pages,
            "posts": site.posts, "admin": site.admin, "live": site.live,
        }  # fmt: skip
        self.prepare: dict[str, Callable[[], None]] = {"complete": api.ensure_job, "admin": site.open_form}
        self.answers: Counter[str] = Counter()
        self.findings = 0

    @property
    def wrong(self) -> list[str]:
        return self.target.wrong

    def attack(self, interface: str, draw: Draw) -> None:
        """Send one input, made by `draw`, to one interface; if it is rejected, the data must be unchanged."""
        self.target.draw = draw
        self.prepare.get(interface, lambda: None)()
        before, findings = self.target.mark(), self.target.findings
        accepted = self.target.accepted, self.target.completed
        try:
            answer = self.attacks[interface]()
        except WedError as refused:
            answer = self._refused(interface, refused.code or type(refused).__name__, refused.sentence)
        except psycopg.Error as refused:
            answer = self._refused(interface, refused.sqlstate or type(refused).__name__, str(refused))
        except UnicodeError as refused:
            answer = self._refused(interface, type(refused).__name__, str(refused))
        if (self.target.accepted, self.target.completed) == accepted and answer not in ("accepted", "302"):
            self._check_unchanged(interface, before, answer)
        self.answers[f"{interface} {answer}"] += 1
        self.findings += self.target.findings > findings

    def _refused(self, interface: str, code: str, text: str) -> str:
        if wrong_code(interface, code):
            self.target.report(interface, f"answered with {code}: {text[:200]}")
        elif interface != "sql" and leak(text):
            self.target.report(interface, f"{code} shows {leak(text)!r}")
        return code

    def _check_unchanged(self, interface: str, before: tuple[Any, ...], answer: str) -> None:
        after = self.target.mark()
        if after != before:
            self.target.report(interface, f"was answered with {answer}, but {before} became {after}")
