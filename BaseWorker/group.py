"""Many workers of one process over few sessions of the database, and one that listens for all of them."""

from __future__ import annotations

import logging
import os
import queue
import socket
import threading
import time
from collections import defaultdict, deque
from collections.abc import Sequence
from functools import partial

import psycopg

from BaseWorker.base import BaseClass
from BaseWorker.server import BadWorker, Server

log = logging.getLogger("BaseWorker")

_BEAT = 10.0
_PAUSE = 0.5


class WorkerGroup:
    """Runs workers with the same `dbs` over `sessions` connections, and one more that listens.

    So many transitions are performed at a time as there are sessions, each in a thread: `wed_trans` must
    allow that. A worker without a job needs no session.
    """

    def __init__(self, workers: Sequence[BaseClass], sessions: int = 4) -> None:
        servers = [worker._server for worker in workers]
        if not servers or len({server.dbs for server in servers}) > 1:
            raise BadWorker("A group needs workers, all with the same dbs.")
        if sessions < 1:
            raise BadWorker("A group needs at least one session.")
        self._interval = min(worker._interval for worker in workers)
        self._listener = Server(servers[0].dbs, servers[0].trname)
        self._sessions = [Server(servers[0].dbs, servers[0].trname) for _ in range(sessions)]
        self._due: queue.SimpleQueue[BaseClass | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._idle: dict[str, deque[BaseClass]] = defaultdict(deque)
        self._again: set[str] = set()
        for number, worker in enumerate(workers, 1):
            name = worker._server.trname
            worker._server.actor = f"{name}#{number}@{socket.gethostname()}:{os.getpid()}"
            worker._on_job = partial(self._wake, name)
            self._idle[name].append(worker)
        self._names = sorted(self._idle)

    def stop(self) -> None:
        """Let `run` return when the transitions that run have ended, within one interval."""
        self._stopping.set()

    def run(self) -> None:
        """Serve until `stop`, or Ctrl-C, which raises KeyboardInterrupt when running transitions have ended.

        Raises BadWorker, and psycopg.Error if the first connection fails; later it reconnects.
        """
        self._listener.connect(self._names)
        threads = [threading.Thread(target=self._serve, args=(one,), daemon=True) for one in self._sessions]
        for thread in threads:
            thread.start()
        try:
            while not self._stopping.is_set():
                self._listen()
        finally:
            for _ in threads:
                self._due.put(None)
            for thread in threads:
                thread.join()
            self._listener.close()

    def _listen(self) -> None:
        """Wake a worker of each transition, then wait for a notification or the end of the interval."""
        try:
            if not self._listener.alive:
                self._listener.connect(self._names)
            self._listener.beat(waiting=True)
            for name in self._names:
                self._wake(name)
            self._listener.wait(min(self._interval, _BEAT))
        except psycopg.OperationalError as error:
            log.warning("The server is out of reach (%s); trying again.", error)
            self._listener.close()
            time.sleep(_PAUSE)

    def _wake(self, name: str) -> None:
        """Give an idle worker of the transition a turn; if all are busy, the first that ends looks again."""
        with self._lock:
            if self._idle[name]:
                self._due.put(self._idle[name].popleft())
            else:
                self._again.add(name)

    def _serve(self, session: Server) -> None:
        """Lend the session to one worker after another."""
        while (worker := self._due.get()) is not None:
            try:
                if not session.alive:
                    session.open()
                worker._server.attach(session)
                worker._step()
            except (psycopg.Error, BadWorker) as error:
                log.warning("%s could not work: %s", worker._server.actor, error)
                session.close()
                time.sleep(_PAUSE)
            finally:
                worker._server.detach()
                self._rest(worker)
        session.close()

    def _rest(self, worker: BaseClass) -> None:
        name = worker._server.trname
        with self._lock:
            self._idle[name].append(worker)
            if name in self._again:
                self._again.discard(name)
                self._due.put(self._idle[name].popleft())
