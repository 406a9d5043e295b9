"""The process: five tasks of people, one after the other."""

from __future__ import annotations

from viewflow import this
from viewflow.workflow import flow, lock
from viewflow.workflow.models import Process


class Office(flow.Flow):
    """Five tasks of people, behind the lock that viewflow's documentation recommends for PostgreSQL."""

    process_class = Process
    lock_impl = lock.SelectForUpdateLock()

    start = flow.StartHandle().Next(this.task1)
    task1 = flow.View(None).Next(this.task2)
    task2 = flow.View(None).Next(this.task3)
    task3 = flow.View(None).Next(this.task4)
    task4 = flow.View(None).Next(this.task5)
    task5 = flow.View(None).Next(this.end)
    end = flow.End()
