"""The path of a trial: the first state and what was done since; replayed for each page.

Nothing is stored on the server. The browser sends the path back with the next action, so that any earlier
step can be returned to, and several continuations can be tried.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from django.db import connection, transaction
from django.utils.translation import gettext as _

from flows import api, json_text
from flows.errors import Refused, TooSlow, WedError
from flows.queries.base import PAGE_TIMEOUT_MS
from flows.types import REPAIR, Situation

LONGEST_PATH = 100
LARGEST_PATH = 200_000
LARGEST_STATE = 10_000

Kind = Literal["start", "complete", "due"]


class BadPath(ValueError):
    """The path that the browser sent is not one."""


@dataclass(frozen=True)
class Step:
    """One action: start, complete the transition of a rule, or let the time come for which it waits.

    `rule` is the place of the rule in the definition; REPAIR completes the exception. `changes` is the first
    state, or what the transition changes.
    """

    kind: Kind
    rule: int = 0
    changes: dict[str, Any] | None = None


@dataclass(frozen=True)
class Played:
    """A path that was played: one situation per accepted step, and the error of the step after them."""

    steps: tuple[Step, ...]
    situations: tuple[Situation, ...]
    error: WedError | None = None

    @property
    def last(self) -> Situation | None:
        return self.situations[-1] if self.situations else None


def read_path(text: str) -> list[Step]:
    """Return the path that the browser sent back. Raises BadPath."""
    found = read_steps(text)
    if len(found) > LONGEST_PATH or any(not _valid(n, step) for n, step in enumerate(found)):
        raise BadPath(_("The trial could not be read. Start a new one."))
    return found


def read_state(text: str, names: Collection[str]) -> dict[str, Any]:
    """Return the values that an address gives these attributes; nothing of one that is not an object."""
    try:
        found = (
            json_text.decode_typed(text) if 0 < len(text) <= LARGEST_STATE and "\\u0000" not in text else {}
        )
    except (ValueError, RecursionError):
        return {}
    return {name: found[name] for name in names if name in found} if isinstance(found, dict) else {}


def read_steps(text: str) -> list[Step]:
    """Return the steps of a text, which need not begin with the start. Raises BadPath."""
    if len(text) > LARGEST_PATH:
        raise BadPath(_("This trial has become too long. Start a new one."))
    try:
        return [
            Step(kind, _whole(rule), changes) for kind, rule, changes in json_text.decode_typed(text or "[]")
        ]
    except (ValueError, TypeError, RecursionError) as error:
        raise BadPath(_("The trial could not be read. Start a new one.")) from error


def _whole(number: object) -> int:
    """Return a whole number as JSON has it. Raises ValueError for anything else."""
    if type(number) is not int:
        raise ValueError
    return number


def _valid(n: int, step: Step) -> bool:
    right_kind = step.kind == "start" if n == 0 else step.kind in ("complete", "due")
    return right_kind and (step.changes is None or isinstance(step.changes, dict))


def write_path(steps: Sequence[Step]) -> str:
    """Return the path as the text that the browser sends back."""
    return json_text.encode([(step.kind, step.rule, step.changes) for step in steps], separators=(",", ":"))


def joined(steps: Sequence[Step], text: str) -> str:
    """Return the text of a path with the steps after it that the browser sent. Raises BadPath."""
    return write_path([*steps, *read_steps(text)])


def play(flow: str, definition: dict[str, Any], steps: Sequence[Step]) -> Played:
    """Perform the steps of a path on an invented instance, up to the first that is refused."""
    situations: list[Situation] = []
    for n, step in enumerate(steps):
        if not REPAIR <= step.rule < len(definition["triggers"]):
            return Played(tuple(steps[:n]), tuple(situations), Refused(_("The definition has no such rule.")))
        try:
            with limited():
                situations.append(perform(flow, definition, step, situations[-1] if situations else None))
        except (Refused, TooSlow) as error:
            return Played(tuple(steps[:n]), tuple(situations), error)
    return Played(tuple(steps), tuple(situations))


@contextmanager
def limited() -> Iterator[None]:
    """Run the block in a transaction of its own with a page's time limit; an error undoes only it."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"set local statement_timeout = {PAGE_TIMEOUT_MS:d}")
        yield


def perform(flow: str, definition: dict[str, Any], step: Step, now: Situation | None) -> Situation:
    """Perform one step on a situation. Raises WedError."""
    if now is None:
        return api.trials.try_start(definition, step.changes or {}, flow=flow)
    if step.kind == "due":
        return api.trials.try_due(definition, now, step.rule, flow=flow)
    return api.trials.try_complete(definition, now, step.rule, step.changes or {}, flow=flow)


__all__ = ["REPAIR", "BadPath", "Played", "Step", "play", "read_path", "write_path"]
