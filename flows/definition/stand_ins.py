"""Stand-ins of handlers: what a transition may write, invented for trials and scenarios.

A stand-in is declared beside its handler, in the package that performs transitions; that package says here
how to find it. It is a function of the state that returns a result, or a list of the possible results, the
usual one first. It runs in the process that asks, with a time limit; the real handler is never called.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from django.utils.translation import gettext as _

from flows import json_text
from flows.engine.connection import to_json
from flows.errors import Refused

Result: TypeAlias = Mapping[str, Any]
StandIn: TypeAlias = Callable[[Mapping[str, Any]], "Result | Sequence[Result]"]
Finder: TypeAlias = Callable[[str, str], StandIn | None]

SECONDS = 2.0
MOST_RESULTS = 20
# Stand-ins that did not end at their limit; with more, no other is started.
MOST_RUNNING = 8


class StandInFailed(Refused):
    """A stand-in raised an error, did not end in time, or returned something else than results."""


class _TimeLimit(BaseException):
    """Raised in the thread of a stand-in at its time limit; not an Exception, so that it is not caught."""


_finders: list[Finder] = []
_calls: list[_Call] = []
_lock = threading.Lock()


def provide(finder: Finder) -> None:
    """Register how the stand-in of a transition in a flow is found."""
    if finder not in _finders:
        _finders.append(finder)


def stand_in(flow: str, transition: str) -> StandIn | None:
    """Return the declared stand-in of a transition in a flow, or None."""
    found = (finder(flow, transition) for finder in _finders)
    return next((each for each in found if each is not None), None)


def results(flow: str, transition: str, state: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the results of a transition's stand-in on a state, the usual one first.

    Raises StandInFailed.
    """
    function = stand_in(flow, transition)
    if function is None:
        raise StandInFailed(_("Transition %(name)s has no stand-in.") % {"name": transition})
    # As a handler gets it: numbers with a fraction are Decimal, and the original cannot be changed.
    given = json_text.decode(json_text.encode(state))
    returned = _within_limit(transition, function, given)
    found = [returned] if isinstance(returned, Mapping) else returned
    if not isinstance(found, list | tuple) or not all(isinstance(each, Mapping) for each in found):
        raise StandInFailed(
            _("The stand-in of %(name)s returned %(type)s instead of a dict or a list of dicts.")
            % {"name": transition, "type": type(returned).__name__}
        )
    if not 0 < len(found) <= MOST_RESULTS:
        raise StandInFailed(
            _("The stand-in of %(name)s returned %(n)s results; it returns 1 to %(most)s.")
            % {"name": transition, "n": len(found), "most": MOST_RESULTS}
        )
    return [_plain(transition, each) for each in found]


def _plain(transition: str, result: Result) -> dict[str, Any]:
    try:
        plain: dict[str, Any] = json_text.decode(to_json(dict(result)))
    except Refused as error:
        raise StandInFailed(_message(transition, error)) from error
    return plain


def _message(transition: str, error: BaseException) -> str:
    text = " ".join(str(error).split())[:500]
    return _("The stand-in of %(name)s failed: %(error)s.") % {
        "name": transition,
        "error": f"{type(error).__name__}: {text}" if text else type(error).__name__,
    }


class _Call(threading.Thread):
    """One call of a stand-in. A thread of its own: that of a page cannot be interrupted."""

    def __init__(self, function: StandIn, state: Mapping[str, Any]) -> None:
        super().__init__(name="stand-in", daemon=True)
        self._function, self._state = function, state
        self.returned: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.returned = self._function(self._state)
        except BaseException as error:  # noqa: BLE001  # a stand-in may raise anything
            self.error = error
        finally:
            _close_connections()

    def interrupt(self) -> None:
        """Raise _TimeLimit in the thread at its next step of Python; a call that waits returns first."""
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(self.ident or 0), ctypes.py_object(_TimeLimit)
        )


def _close_connections() -> None:
    """Close what the thread opened; other threads have other connections."""
    from django.db import connections

    connections.close_all()


def _within_limit(transition: str, function: StandIn, state: Mapping[str, Any]) -> Any:
    with _lock:
        _calls[:] = [call for call in _calls if call.is_alive()]
        if len(_calls) >= MOST_RUNNING:
            raise StandInFailed(_("Too many stand-ins are running or did not end. Try again later."))
        call = _Call(function, state)
        _calls.append(call)
        call.start()
    call.join(SECONDS)
    if call.is_alive():
        call.interrupt()
        raise StandInFailed(
            _("The stand-in of %(name)s did not end within %(seconds)s seconds.")
            % {"name": transition, "seconds": f"{SECONDS:g}"}
        )
    if call.error is not None:
        raise StandInFailed(_message(transition, call.error)) from call.error
    return call.returned
