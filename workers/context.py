"""The context that a handler gets beside the state."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from workers import messages
from workers.logs import log_fields

if TYPE_CHECKING:
    from psycopg import Connection

    from flows.types import ClaimedJob
    from workers.client.claims import Taken

log = logging.getLogger("workers.handler")


class Abort(Exception):
    """Raised by a handler to end its attempt; the attempt is counted and the reason recorded."""


class WrongMode(RuntimeError):
    """Not available in this mode: `connection` needs transaction mode, `extend` lease mode."""


class JobLost(Exception):
    """The job is no longer this worker's: withdrawn, suspended with its instance, or given to another."""


class HandlerServices(Protocol):
    """What a runner provides to a context while a handler runs."""

    actor: str

    def step_connection(self) -> Connection[Any]: ...

    def extend(self, taken: Taken, duration: timedelta) -> datetime: ...

    def host(self, flow: str, taken: Taken) -> str | None: ...

    def is_lost(self, taken: Taken) -> bool: ...


class Context:
    """One job from the view of its handler; valid only while the handler runs."""

    __slots__ = ("_services", "_until", "flow", "taken")

    def __init__(self, flow: str, taken: Taken, services: HandlerServices, until: float | None) -> None:
        self.flow = flow
        self.taken = taken
        self._services = services
        self._until = until

    @property
    def wid(self) -> int:
        """The number of the instance."""
        return self.taken.wid

    @property
    def job_id(self) -> int:
        """The id of the job: never reused, so it serves as an idempotency key for other systems."""
        return self.taken.job_id

    @property
    def transition(self) -> str:
        """The name of the transition."""
        return self.taken.trname

    @property
    def attempt(self) -> int:
        """The number of this attempt, from 1."""
        return self.taken.attempts + 1

    @property
    def host(self) -> str | None:
        """The host of this attempt: the first of the task's application, after a failure the next one.

        Where the application chooses by load, the one that runs the fewest jobs.

        None where the definition names none. It is read from the database each time.
        """
        return self._services.host(self.flow, self.taken)

    @property
    def payload(self) -> Mapping[str, Any]:
        """The state that fired the job; the handler is called with the current one."""
        return self.taken.payload()

    @property
    def state(self) -> Mapping[str, Any]:
        """The instance's state when the job was taken."""
        return self.taken.state()

    @property
    def matched(self) -> list[int]:
        """The top-level alternatives of the condition that held at firing, from 1."""
        return self.taken.matched or []

    @property
    def deadline(self) -> datetime | None:
        """When the kernel stops accepting the result, by the database's clock; None: never."""
        return self.taken.deadline

    @property
    def actor(self) -> str:
        """The name under which the step is recorded."""
        return self._services.actor

    @property
    def job(self) -> ClaimedJob:
        """The job as an object of flows.api."""
        return self.taken.job(self.flow)

    @property
    def logger(self) -> logging.LoggerAdapter[logging.Logger]:
        """A logger whose records have the flow, instance, job and worker (docs/operating.md)."""
        return logging.LoggerAdapter(log, log_fields(self.flow, self.taken, self.actor))

    @property
    def connection(self) -> Connection[Any]:
        """The psycopg connection of the step's transaction: what is written here commits with the state.

        The first use opens a savepoint for this job. WrongMode in lease mode, where no transaction is open.
        """
        if self.taken.claim is not None:
            raise WrongMode(messages.NO_TRANSACTION)
        return self._services.step_connection()

    def remaining(self) -> timedelta | None:
        """Return how long the handler may still run; None: without limit."""
        if self._until is None:
            return None
        return timedelta(seconds=max(0.0, self._until - time.monotonic()))

    @property
    def lost(self) -> bool:
        """Whether the job is no longer this worker's, as the last renewal of its lease has shown.

        Its result will be rejected, and kept as a late one. Always False in transaction mode.
        """
        return self._services.is_lost(self.taken)

    def check(self) -> None:
        """Raise JobLost if the job is no longer this worker's; call it between parts of a long handler."""
        if self.lost:
            raise JobLost(messages.LOST)

    def extend(self, duration: timedelta) -> datetime:
        """Extend the lease from now on and return the new deadline; lease mode only (WrongMode)."""
        if self.taken.claim is None:
            raise WrongMode(messages.NO_LEASE)
        deadline = self._services.extend(self.taken, duration)
        self._until = time.monotonic() + duration.total_seconds()
        return deadline

    def abort(self, reason: str) -> NoReturn:
        """End this attempt with a reason (never returns)."""
        raise Abort(reason)
