"""Who is measured: one module a contender."""

from __future__ import annotations

from bench.contenders.absurd import AbsurdContender
from bench.contenders.base import Contender
from bench.contenders.dbos import DbosContender
from bench.contenders.djangoq import DjangoQContender
from bench.contenders.pgqueuer import PgQueuerContender
from bench.contenders.procrastinate import ProcrastinateContender

ALL: tuple[type[Contender], ...] = (
    PgQueuerContender,
    ProcrastinateContender,
    DbosContender,
    AbsurdContender,
    DjangoQContender,
)
