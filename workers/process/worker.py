"""A worker process of `manage.py wedworker`: one connection, one thread, all registered transitions."""

from __future__ import annotations

import gc
import os
import signal
import socket
from collections.abc import Collection
from dataclasses import dataclass
from types import FrameType

from workers.client.connect import worker_opener
from workers.client.wire import Wire
from workers.jobs.handler_calls import HELD
from workers.jobs.process_state import SavedState
from workers.jobs.runner import Runner
from workers.process.presence import Presence
from workers.process.service import Service
from workers.recovery.journal import Journal, journal_dir
from workers.registry import Registry


@dataclass(frozen=True)
class WorkerProcess:
    """What each process of the pool runs: flows (none: all), jobs per commit, whether to end when idle."""

    registry: Registry
    flows: Collection[str] = ()
    size: int = 1
    once: bool = False
    held: int = HELD
    adaptive: bool = False

    def __call__(self, number: int) -> None:
        """Serve until SIGTERM or SIGINT; a handler that runs then is finished first."""
        gc.freeze()  # exempts what is loaded by now from garbage collection
        name = f"wedworker#{number}@{socket.gethostname()}:{os.getpid()}"
        journals = journal_dir()
        journal = Journal(journals)
        runner = Runner(Wire(worker_opener(name)), self.registry, name, journal)
        runner.most_held = self.held
        runner.adaptive = self.adaptive
        wake = _on_signal(runner)
        runner.saved_state = SavedState()
        presence = Presence(
            runner.wire,
            self.registry,
            kind="process",
            actor=name,
            size=self.size,
            flows=self.flows,
            journals=journals,
        )
        Service(runner, presence).run(once=self.once, wake=wake)
        journal.close()


def _on_signal(runner: Runner) -> int:
    """Stop the runner on SIGTERM and SIGINT; return the descriptor that ends its sleep."""
    read, write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)

    def stop(_number: int, _frame: FrameType | None) -> None:
        runner.stopping = True

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    return read
