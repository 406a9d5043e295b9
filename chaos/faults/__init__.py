"""The faults, each a function from a run to one row of the table, under the numbers of docs/reliability.md."""

from __future__ import annotations

from collections.abc import Callable

from chaos.faults.f2_processes import processes
from chaos.faults.f4_server import server
from chaos.run import Row, Run

FAULTS: dict[str, tuple[str, Callable[[Run, Row], None]]] = {
    "f2": ("F2 processes killed", processes),
    "f4": ("F4 PostgreSQL killed", server),
}
