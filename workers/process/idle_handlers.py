"""Handlers of which a worker gets no job, such as those of a misspelled transition, or for want of a key."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import psycopg
from psycopg import pq

from workers.client import registration
from workers.client.registration import never_offered
from workers.client.wire import Wire
from workers.logs import summarize
from workers.registry import Registry

log = logging.getLogger("workers.presence")
_NO_KEY = (
    'Flow "%s" gives the jobs of %s to workers with a key, and this one has none.'
    " Set WEDSQL_WORKER_KEY_FILE or WEDSQL_WORKER_KEY."
)
_OTHER_KEY = (
    'Flow "%s" gives the jobs of %s to workers with a key, and the key of this one is not for them.'
    " Use one that is: “manage.py workerkey list” shows what each is for."
)


@dataclass(frozen=True)
class Unmatched:
    """A name that is served in vain, and why; `expected`: its flow is not there, and nothing is similar."""

    name: str
    text: str
    expected: bool


class UnmatchedHandlers:
    """Asks the database which handlers of a process get no jobs, and logs them."""

    def __init__(self, registry: Registry, flows: Collection[str] | None, actor: str) -> None:
        self._registry = registry
        self._flows = flows or ()
        self._actor = actor
        self._logged: set[Unmatched] = set()
        self._found: list[Unmatched] = []

    def ask(self, wire: Wire, served: Sequence[str]) -> None:
        """Ask for the handlers, and for the flows that the process is limited to."""
        try:
            answer = wire.round(never_offered([*served, *self._asked()]))[0]
            without_key = self._without_key(wire)
        except psycopg.Error as error:  # an older kernel without the function: not fatal
            log.info("Unmatched handlers are not known: %s", summarize(error), extra=self._about)
            return
        self._found = [self._row(answer, row) for row in range(answer.ntuples)] + without_key

    def _without_key(self, wire: Wire) -> list[Unmatched]:
        """Return the flows that require another key than that of this session. Raises psycopg.Error."""
        served = [f"{entry.flow or ''}:{entry.transition}" for entry in self._registry]
        answer = wire.round(registration.without_key(served, tuple(self._flows)))[0]
        found = []
        for row in range(answer.ntuples):
            flow, names, logged_in = (answer.get_value(row, column) or b"" for column in range(3))
            text = _OTHER_KEY if logged_in == b"t" else _NO_KEY
            said = text % (flow.decode(), names.decode())
            found.append(Unmatched(f"{flow.decode()}:", said, expected=False))
        return found

    def names(self) -> list[str]:
        """Return the names that the page of the workers is to show."""
        return [one.name for one in self._found if not one.expected and not one.name.endswith(":")]

    def log(self, *, again: bool) -> None:
        """Log what was not logged, or all of it again; flows that are not there yet once, in one line."""
        new = [one for one in self._found if again or one not in self._logged]
        for one in new:
            if not one.expected:
                log.warning("%s %s", self._actor, one.text, extra=self._about)
        waiting = [one.name.lstrip(":") for one in new if one.expected and one not in self._logged]
        if waiting:
            log.info("%s No flow has: %s", self._actor, ", ".join(waiting), extra=self._about)
        self._logged.update(new)

    @property
    def _about(self) -> dict[str, str]:
        return {"worker": self._actor}

    def _asked(self) -> list[str]:
        flows = self._flows
        named = [f"{e.flow or ''}:{e.transition}" for e in self._registry if not flows or e.flow in flows]
        return [*named, *(f"{flow}:" for flow in flows)]

    def _row(self, answer: pq.abc.PGresult, row: int) -> Unmatched:
        name, flow, near, message, hint = (answer.get_value(row, column) for column in range(5))
        text = b" ".join(filter(None, (message, hint))).decode()
        limited = (name or b"").decode().partition(":")[0] in self._flows
        return Unmatched((name or b"").decode(), text, flow is None and near is None and not limited)
