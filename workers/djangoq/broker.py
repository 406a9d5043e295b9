"""The Django-Q broker of the transition workers: job_pool is the queue, there is no other."""

from __future__ import annotations

import logging
import os
import time
from typing import Any, NoReturn

from django.conf import settings
from django.utils.translation import gettext
from django_q.brokers import Broker
from django_q.conf import Conf

from workers import messages
from workers.client.connect import worker_opener
from workers.client.wire import Wire
from workers.discovery import autodiscover, log_problems
from workers.djangoq.feed import Feed, Sizes, pusher_name
from workers.djangoq.packages import Task
from workers.djangoq.patches import harden_sentinel
from workers.logs import summarize
from workers.process.presence import Presence
from workers.recovery.journal import journal_dir

log = logging.getLogger("workers.broker")

# When a broker raises, its pusher stops for ten seconds or more, so these brokers never raise.
BACK_OFF = 0.3


class RefusedTask(Exception):
    """A task was queued for a cluster, which performs jobs of the pool only."""

    def __str__(self) -> str:
        return gettext(messages.REFUSED_TASK)


class RobustBroker(Broker):
    """A broker that stores no tasks and survives every error."""

    def __init__(self, list_key: str | None = None) -> None:
        if harden_sentinel():
            self.before_children()
        super().__init__(list_key)

    def before_children(self) -> None:
        """Run once in the sentinel, before it forks its children."""

    def enqueue(self, task: Any) -> NoReturn:
        """Raise RefusedTask: async_task and schedules could run any dotted path in a worker."""
        raise RefusedTask

    def dequeue(self) -> list[Task] | None:
        """Return the next tasks, or None after an error."""
        try:
            return self.next_tasks()
        except Exception as error:  # noqa: BLE001  # the database may be gone for a while, or a definition broken
            log.warning("No tasks: %s", summarize(error))
            self.reset()
            time.sleep(BACK_OFF)
            return None

    def next_tasks(self) -> list[Task]:
        """Return the next tasks; implemented by subclasses, may raise anything."""
        raise NotImplementedError

    def reset(self) -> None:
        """Reset the broker after an error."""

    def ping(self) -> bool:
        """Return True: there is no broker server that could be down."""
        return True

    def queue_size(self) -> int:
        """Return 0: no task is ever queued."""
        return 0

    def lock_size(self) -> int:
        """Return 0: no task waits for an acknowledgement."""
        return 0


class JobPoolBroker(RobustBroker):
    """A broker whose tasks name the jobs that are ready in job_pool."""

    _feed: Feed | None = None
    _pid = 0

    def before_children(self) -> None:
        """Import the handlers once, so that their problems are logged once."""
        autodiscover()
        log_problems()

    def info(self) -> str:
        """Return the text for the monitor of Django-Q."""
        return "WED-SQL job_pool"

    def next_tasks(self) -> list[Task]:
        """Return tasks with the ids of ready jobs."""
        if self._feed is None or self._pid != os.getpid():
            self._feed, self._pid = _feed(), os.getpid()
        return self._feed.next()

    def reset(self) -> None:
        """Close the connection; the next look opens one."""
        if self._feed is not None:
            self._feed.wire.close()


def _feed() -> Feed:
    conf = settings.Q_CLUSTER
    task = int(conf.get("jobs_per_task", 100))
    commit = task if conf.get("job_mode", "batch") == "batch" else 1
    sizes = Sizes(int(Conf.WORKERS), task, commit, int(Conf.QUEUE_LIMIT or Conf.WORKERS))
    registry = autodiscover()
    log_problems()
    wire = Wire(worker_opener(pusher_name()))
    presence = Presence(
        wire, registry, kind="cluster", actor=pusher_name(), size=commit, journals=journal_dir()
    )
    return Feed(wire, registry, sizes, presence)
