"""The contenders that are measured, one module per engine."""

from __future__ import annotations

from bench.contenders import wedsql
from bench.contenders.absurd import Absurd
from bench.contenders.base import Contender
from bench.contenders.dbos import Dbos
from bench.contenders.djangoq import DjangoQ
from bench.contenders.pgqueuer import PgQueuer
from bench.contenders.procrastinate import Procrastinate

ALL: tuple[Contender, ...] = (*wedsql.ALL, PgQueuer(), Procrastinate(), Dbos(), Absurd(), DjangoQ())
