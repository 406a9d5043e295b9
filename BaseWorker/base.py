"""The abstract worker of the paper's figure 3."""

from __future__ import annotations

import logging
import os
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import psycopg

from BaseWorker.ctrlc import CtrlC, Pressed
from BaseWorker.result import Failure, failure, read
from BaseWorker.server import TRY_AGAIN, BadWorker, PendingJob, Server

log = logging.getLogger("BaseWorker")

_BEAT = 10.0
_SHORTEST_PAUSE = 0.05
_LONGEST_PAUSE = 5.0
_UNCONFIRMED = "committed on the server, but not confirmed by its standby"
_REJECTED_KEY = "WD571"
# Errors about keys, whose texts quote no state, and what to do about the commonest ones.
_ABOUT_KEYS = "WD57"
_KEY_HINTS = {
    "WD570": "Set WEDSQL_WORKER_KEY_FILE or WEDSQL_WORKER_KEY.",
    "WD572": "Use a key that is for it.",
}


def _nothing() -> None:
    pass


def _words(error: psycopg.Error) -> str:
    """Return the loggable part of an error: of most its class alone, as their texts may quote the state."""
    code = error.sqlstate or ""
    if not code.startswith(_ABOUT_KEYS):
        return type(error).__name__
    hint = _KEY_HINTS.get(code, error.diag.message_hint)
    return " ".join(filter(None, (error.diag.message_primary, hint)))


class BaseClass(ABC):
    """A worker for one transition. Subclasses implement `wed_trans`; `run()` serves until Ctrl-C.

    Args:
        trname: the name of the transition in the flow.
        dbs: the connection string; its application_name is the worker's name in the monitor and the history.
        wakeup_interval: seconds after which the worker looks for jobs even without a notification.
    """

    trname = ""
    dbs = ""
    wakeup_interval: float = 5

    def __init__(self, trname: str, dbs: str, wakeup_interval: float = 5) -> None:
        if not isinstance(trname, str) or not trname.strip():
            raise BadWorker(
                f"{type(self).__name__} needs a trname: the name of the transition that it performs."
            )
        if not isinstance(dbs, str) or not dbs.strip():
            raise BadWorker(
                f"{type(self).__name__} needs dbs, such as 'user=orders dbname=wed application_name=ship'."
            )
        if not wakeup_interval > 0:
            raise BadWorker(f"{type(self).__name__}: wakeup_interval is a number of seconds above 0.")
        self._server = Server(dbs, trname.strip())
        self._interval = float(wakeup_interval)
        self._pause = _SHORTEST_PAUSE
        self._on_job: Callable[[], None] = _nothing  # called when a job is taken, before it is performed

    @abstractmethod
    def wed_trans(self, payload: Mapping[str, Any]) -> str | None:
        """Perform the transition for the instance whose state fired it (`payload`, with its wid).

        Return the new values in the syntax of a SET clause, which may use current values:
        "a2='done', a4=(a4::integer+1)::text". None or an empty text aborts the attempt, which is counted.
        """

    def run(self) -> None:
        """Serve until Ctrl-C (the paper's Algorithm 2), which raises KeyboardInterrupt.

        Raises BadWorker, and psycopg.Error if the first connection fails; later it reconnects.
        """
        with CtrlC() as ctrl_c:
            self._server.connect()
            log.info("%s serves %s of flow %s", self._server.actor, self._server.trname, self._server.flow)
            try:
                while True:
                    ctrl_c.check()  # a transition may have caught the exception
                    self._serve()
            finally:
                self._server.close()

    def _serve(self) -> None:
        try:
            while self._step():
                pass
            self._server.beat(waiting=True)  # before the last take: loses no notification
            if not self._step():
                self._sleep()
        except psycopg.Error as error:
            if self._server.alive and not isinstance(error, psycopg.OperationalError):
                log.error("The server refused: %s", _words(error))
            if error.sqlstate == _REJECTED_KEY:
                self._server.connect()  # reads the key again, which raises if it is rejected, too
            elif self._server.alive:
                self._server.rollback()
                self._wait_longer()
            else:
                self._reconnect(error)

    def _sleep(self) -> None:
        """Wait for a notification, for at most one interval and not past the next heartbeat."""
        self._server.wait(min(self._interval, _BEAT))

    def _wait_longer(self) -> None:
        """Pause for a random time, twice as long each time until a job is settled."""
        time.sleep(self._pause * (0.5 + random.random()))  # noqa: S311  # not a secret
        self._pause = min(_LONGEST_PAUSE, self._pause * 2)

    def _step(self) -> bool:
        """Perform one job; return False if none is ready and free."""
        job = self._server.take()
        if job is None:
            return False
        self._on_job()
        pid = os.getpid()
        try:
            result = read(self.wed_trans(job.payload))
        except Pressed:
            self._server.rollback()  # the job stays pending
            raise
        except BaseException as error:  # noqa: BLE001 # any exception of a transition fails its job
            result = failure(error)
        if os.getpid() != pid:
            os._exit(0 if isinstance(result, str) else 1)  # a child that the transition forked
        if self._settle(job, result):
            self._pause = _SHORTEST_PAUSE
        else:
            self._wait_longer()  # no attempt was counted, so the job is offered again at once
        return True

    def _settle(self, job: PendingJob, result: str | Failure) -> bool:
        """Commit the result or count the attempt; return whether the server recorded either.

        A commit that no standby has confirmed is recorded; it is logged, also if the answer was lost.
        """
        try:
            return self._record(job, result)
        finally:
            if self._server.take_unconfirmed():
                words = self._server.trname, job.wid, _UNCONFIRMED
                log.warning("%s of instance %s: %s", *words, extra=self._about(job))

    def _record(self, job: PendingJob, result: str | Failure) -> bool:
        if isinstance(result, Failure):
            # The error's text may quote the state, so it is stored with the job; the log has only its place.
            words = self._server.trname, job.wid, result.short
            log.error("%s of instance %s failed: %s", *words, extra=self._about(job))
            return self._server.fail(job, result.words, result.outcome)
        try:
            refused, settled = self._server.complete(job, result)
        except psycopg.Error as error:
            if not self._server.alive or (error.sqlstate or "").startswith(TRY_AGAIN):
                raise
            refused, settled = "error", self._server.fail_again(job, str(error), error.sqlstate or "")
        if refused:
            log.error("%s of instance %s was refused", self._server.trname, job.wid, extra=self._about(job))
        return settled

    def _about(self, job: PendingJob) -> dict[str, object]:
        server = self._server
        which = {"flow": server.flow, "wid": job.wid, "job": job.id}
        return which | {"transition": server.trname, "worker": server.actor}

    def _reconnect(self, error: Exception) -> None:
        pause = 0.1
        while True:
            log.warning("The server is out of reach (%s); trying again in %.1f s.", error, pause)
            time.sleep(pause * (0.5 + random.random()))  # noqa: S311  # not a secret
            pause = min(_LONGEST_PAUSE, pause * 2)
            try:
                self._server.connect()
            except psycopg.OperationalError as again:
                error = again
            else:
                return
