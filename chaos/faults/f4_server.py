"""F4: PostgreSQL is killed, whole or one backend, and started again or replaced, while everybody works."""

from __future__ import annotations

import time

from chaos.dice import dice
from chaos.run import Row, Run
from chaos.standby import Standby
from chaos.world import World


def server(run: Run, row: Row) -> None:
    """Every second strike kills the whole server, the others one backend (the server resets all of them)."""
    with run.world(row) as world:
        for turn in range(run.number(8, least=2)):
            if turn % 2:
                row.injection(lambda: kill_backend(world), "kill -9 of a backend")
            else:
                row.injection(lambda: kill_and_start(world), "kill -9 of the server")
            time.sleep(dice("f4", turn).uniform(1, 4))
    _replace(run, row)
    row.notes.append(
        f"{row.unknown} calls lost their answer, {row.resolved} of them were resolved by repeating"
    )


def _replace(run: Run, row: Row) -> None:
    """The server is killed for good, and a standby that followed it takes its place."""
    place = run.place()
    place.mkdir(mode=0o711)
    with run.world(row) as world:
        standby = Standby(place, world.server)
        standby.follow()
        world.moves_again()
        row.injection(lambda: _promote(world, standby), "a standby promoted")


def _promote(world: World, standby: Standby) -> float:
    begun = time.monotonic()
    world.server.kill()
    world.server = standby
    standby.take_over()
    world.moves_again()
    return time.monotonic() - begun


def kill_and_start(world: World) -> float:
    """SIGKILL for the whole server; seconds until it is back and a step is committed."""
    begun = time.monotonic()
    world.server.kill()
    world.server.start()
    world.moves_again()
    return time.monotonic() - begun


def kill_backend(world: World) -> float:
    """SIGKILL for one session of the product; seconds until a step is committed."""
    backends = world.rows(
        "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
        " and usename in ('wed_worker', 'wed_web') order by state = 'active' desc, pid limit 1"
    )
    begun = time.monotonic()
    world.server.kill_child(backends[0][0])
    world.moves_again()
    return time.monotonic() - begun
