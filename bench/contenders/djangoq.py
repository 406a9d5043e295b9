"""django-q2 on its own ORM broker: the usual choice of a Django project without WED-SQL."""

from __future__ import annotations

import sys

from bench import site
from bench.cluster import Cluster
from bench.contenders.rows import QueuePeer

SETTINGS = "bench.peers.djangoq_settings"
_ENQUEUE = """
import django, sys
django.setup()
from django.db import transaction
from django_q.tasks import async_task
with transaction.atomic():
    for wid in sys.argv[1].split(","):
        for step in ("tr_a2", "tr_a3"):
            async_task("bench.peers.djangoq.perform", step, int(wid))
"""


class DjangoQ(QueuePeer):
    """One function, called for each of the three steps, in a cluster of `workers` processes."""

    name = "django-q2"
    label = "django-q2, ORM broker"
    distributions = ("django-q2", "Django", "psycopg")
    module = "djangoq"
    starts_when_ready = True

    def install(self, cluster: Cluster, dsn: str) -> None:
        super().install(cluster, dsn)
        self._django(dsn, "-m", "django", "migrate", "-v", "0")

    def environment(self, dsn: str, workers: int) -> dict[str, str]:
        return {"BENCH_DSN": dsn, "DJANGO_SETTINGS_MODULE": SETTINGS, "BENCH_WORKERS": str(workers)}

    def enqueue(self, dsn: str, wids: list[int]) -> None:
        self._django(dsn, "-c", _ENQUEUE, ",".join(map(str, wids)))

    def _django(self, dsn: str, *arguments: str) -> None:
        site.output([sys.executable, *arguments], self.environment(dsn, 1))
