"""F4: PostgreSQL is killed, the server or one backend, and restarted or replaced, under load."""

from __future__ import annotations

import time

from chaos.rng import rng
from chaos.run import Row, Run
from chaos.standby import Standby
from chaos.system import System


def server(run: Run, row: Row) -> None:
    """Kill the whole server and one backend alternately (the server then resets all backends)."""
    with run.system(row) as system:
        for turn in range(run.number(8, least=2)):
            if turn % 2:
                row.injection(lambda: kill_backend(system), "kill -9 of a backend")
            else:
                row.injection(lambda: kill_and_start(system), "kill -9 of the server")
            time.sleep(rng("f4", turn).uniform(1, 4))
    _replace(run, row)
    row.notes.append(
        f"{row.unknown} calls lost their answer, {row.resolved} of them were resolved by repeating"
    )


def _replace(run: Run, row: Row) -> None:
    """Kill the server for good, and promote a standby that replicated it."""
    with run.system(row) as system:
        standby = Standby(run.new_directory(), system.server)
        standby.follow()
        system.moves_again()
        row.injection(lambda: _promote(system, standby), "a standby promoted")


def _promote(system: System, standby: Standby) -> None:
    system.server.kill()
    system.server = standby
    standby.take_over()
    system.moves_again()


def kill_and_start(system: System) -> None:
    """Kill the whole server and start it again; wait until a step is committed."""
    system.server.kill()
    system.server.start()
    system.moves_again()


def kill_backend(system: System) -> float:
    """Kill one session of the product; return the seconds until a step is committed."""
    backends = system.rows(
        "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
        " and usename in ('wed_worker', 'wed_web') order by state = 'active' desc, pid limit 1"
    )
    system.server.kill_child(backends[0][0])
    return system.moves_again()
