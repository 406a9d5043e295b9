"""The faults, each a function from a run to one row of the table; docs/reliability.md has its numbers."""

from __future__ import annotations

from collections.abc import Callable

from chaos.faults.definitions import definitions
from chaos.faults.f2_processes import processes
from chaos.faults.f3_network import network
from chaos.faults.f4_server import server
from chaos.faults.f6_poison import poison
from chaos.faults.f7_time import clock
from chaos.faults.f8_listener import listener
from chaos.faults.f9_idle_transaction import idle_transaction
from chaos.faults.f11_connections import connections
from chaos.faults.f12_disk import disk
from chaos.faults.f13_cluster import cluster
from chaos.faults.hostile_input import inputs
from chaos.faults.persons import persons
from chaos.run import Row, Run

FAULTS: dict[str, tuple[str, Callable[[Run, Row], None]]] = {
    "f2": ("F2 processes killed", processes),
    "f3": ("F3 network cut", network),
    "f4": ("F4 PostgreSQL killed", server),
    "f6": ("F6 poison", poison),
    "f7": ("F7 clock jumps", clock),
    "f8": ("F8 listener cut off", listener),
    "f9": ("F9 transaction left open", idle_transaction),
    "f11": ("F11 connections exhausted", connections),
    "f12": ("F12 disk full", disk),
    "f13": ("F13 Django-Q stopped", cluster),
    "persons": ("Persons at work", persons),
    "defs": ("Definitions changed", definitions),
    "inputs": ("Hostile inputs", inputs),
}
