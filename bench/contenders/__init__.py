"""The contenders that are measured, one module each."""

from __future__ import annotations

from bench.contenders.absurd import AbsurdContender
from bench.contenders.base import Contender
from bench.contenders.dbos import DbosContender
from bench.contenders.djangoq import DjangoQContender
from bench.contenders.pgqueuer import PgQueuerContender
from bench.contenders.procrastinate import ProcrastinateContender
from bench.contenders.wedsql import (
    BatchContender,
    ClusterBatchContender,
    ClusterStepContender,
    DefaultContender,
    PaperContender,
    StepContender,
)

ALL: tuple[type[Contender], ...] = (
    StepContender,
    BatchContender,
    DefaultContender,
    ClusterStepContender,
    ClusterBatchContender,
    PaperContender,
    PgQueuerContender,
    ProcrastinateContender,
    DbosContender,
    AbsurdContender,
    DjangoQContender,
)
