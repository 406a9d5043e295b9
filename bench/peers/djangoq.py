"""django-q2's cluster on its ORM broker; a step's rows and the next task commit in one transaction."""

from __future__ import annotations

import signal
import threading

import django

from bench.contenders.rows import move
from bench.peers.gate import wait_for_go


def perform(step: str, wid: int) -> None:
    """Run one step: update the instance, add its history, queue the last one when both others are done."""
    from django.db import connection, transaction
    from django_q.tasks import async_task

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(move(step, "%s"), [wid])
        row = cursor.fetchone()
        if row and row[0] and step != "tr_final":
            async_task("bench.peers.djangoq.perform", "tr_final", wid)


def main() -> None:
    """Run the cluster until SIGTERM."""
    django.setup()
    from django_q.cluster import Cluster

    cluster = Cluster()
    cluster.start()
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda number, frame: stop.set())
    wait_for_go()
    stop.wait()
    cluster.stop()


if __name__ == "__main__":
    main()
