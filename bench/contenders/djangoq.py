"""django-q2 on its own ORM broker: the usual choice of a Django project without WED-SQL."""

from __future__ import annotations

import sys

import psycopg

from bench import site
from bench.cluster import Cluster
from bench.contenders.base import ModuleContender
from bench.contenders.rows import SCHEMA, QueueContender

SETTINGS = "bench.peers.djangoq_settings"
_ENQUEUE = """
import django, sys
django.setup()
from django.db import connection, transaction
from django_q.tasks import async_task
with transaction.atomic(), connection.cursor() as cursor:
    cursor.execute("insert into bench.instance (a1) select 'ready' from generate_series(1, %s) returning wid",
                   [int(sys.argv[1])])
    for (wid,) in cursor.fetchall():
        for step in ("tr_a2", "tr_a3"):
            async_task("bench.peers.djangoq.perform", step, wid)
"""


class DjangoQContender(QueueContender, ModuleContender):
    """One function, called for each of the three steps, in a cluster of `workers` processes."""

    name = "django-q2"
    label = "django-q2, ORM broker"
    kind = "peer"
    distributions = ("django-q2", "Django", "psycopg")
    module = "bench.peers.djangoq"
    note = "cluster of `workers` processes, bulk 20, queue_limit 50, persistent connections"
    starts_when_ready = True

    def prepare(self, cluster: Cluster) -> str:
        dsn = cluster.create_database("tpl_djangoq")
        with psycopg.connect(dsn) as conn:
            conn.execute(SCHEMA)
        self._django(dsn, "-m", "django", "migrate", "-v", "0")
        return "tpl_djangoq"

    def commands(self, dsn: str, workers: int) -> list[list[str]]:
        return [[sys.executable, "-m", self.module]]

    def environment(self, dsn: str, workers: int) -> dict[str, str]:
        return {"BENCH_DSN": dsn, "DJANGO_SETTINGS_MODULE": SETTINGS, "BENCH_WORKERS": str(workers)}

    def start(self, dsn: str, count: int) -> None:
        self._django(dsn, "-c", _ENQUEUE, str(count))

    def _django(self, dsn: str, *arguments: str) -> None:
        site.output([sys.executable, *arguments], self.environment(dsn, 1))
