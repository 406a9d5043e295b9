"""F2: every process of the product is killed or terminated while it works."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass

from chaos.rng import rng
from chaos.run import Row, Run
from chaos.system import System
from testkit.processes import descendants
from testkit.programs import Program

KILL, TERM = signal.SIGKILL, signal.SIGTERM
TIMEOUT = 60.0
VICTIMS = [
    ("pool", "child", KILL), ("pool", "child", TERM), ("pool", "main", KILL), ("pool", "main", TERM),
    ("cluster", "worker", KILL), ("cluster", "pusher", KILL), ("cluster", "sentinel", KILL),
    ("cluster", "main", KILL), ("cluster", "main", TERM), ("reaper", "sentinel", KILL),
    ("reaper", "main", KILL), ("web", "main", KILL), ("web", "main", TERM),
]  # fmt: skip


@dataclass
class HeldJobs:
    """The jobs that a process holds, and the sessions that hold them."""

    jobs: list[int]
    backends: list[int]


def processes(run: Run, row: Row) -> None:
    """Strike processes in the order of the seed, repeatedly, until the time is over."""
    order = list(VICTIMS)
    rng("f2").shuffle(order)
    with run.system(row) as system:
        until = time.monotonic() + run.seconds(150)
        turn = 0
        while time.monotonic() < until:
            name, part, number = order[turn % len(order)]
            turn += 1
            strike(system, row, name, part, number)
            time.sleep(rng("f2", turn).uniform(0.2, 1.0))
        row.notes.append(f"daphne served {system.page().connects} live connections")
    with run.system(row, programs=("supervisor", "pool"), designer=0) as system:
        for number in (KILL, TERM) * run.number(2):
            strike(system, row, "supervisor", "main", number)


def strike(system: System, row: Row, name: str, part: str, number: int) -> None:
    """Signal one process; measure the time until its jobs are taken over and it is replaced."""
    program = system.programs[name]
    pid = _victim(system, program, part)
    if pid is None:
        return
    gone = [pid, *descendants(pid)]
    held = _held(system, gone)
    begun = time.monotonic()
    with suppress(ProcessLookupError):
        os.kill(pid, number)
    what = f"{signal.Signals(number).name} to the {part} of {name}"
    row.injection(lambda: _recover(system, name, gone, held, begun), what)


def _victim(system: System, program: Program, part: str) -> int | None:
    if part == "main":
        return program.pid
    children = program.children()
    if part in ("child", "sentinel"):
        return children[0] if children else None
    found = system.rows("select pid from wedsql.worker where kind = 'cluster' order by seen_at desc limit 1")
    pusher = found[0][0] if found else None
    if part == "pusher":
        return pusher if pusher in children else None
    workers = [pid for pid in children[1:] if pid != pusher]
    return rng("victim", program.name, program.starts).choice(workers) if workers else None


def _held(system: System, pids: list[int]) -> HeldJobs:
    """Return the jobs these processes hold now, by the advisory locks of their sessions, and the sessions."""
    found = system.rows(
        "select a.pid, j.id from pg_stat_activity a"
        " left join pg_locks l on l.pid = a.pid and l.locktype = 'advisory' and l.objsubid = 2"
        " left join wedsql.job_pool j on j.wid = l.classid::integer and j.tgid = l.objid::integer"
        " where substring(a.application_name from ':(\\d+)')::integer = any (%s)",
        (pids,),
    )
    return HeldJobs([job for _, job in found if job], [backend for backend, _ in found])


def _recover(system: System, name: str, gone: list[int], held: HeldJobs, begun: float) -> float:
    """Wait until its jobs are done or held by other sessions, and until it is replaced."""
    system.until(lambda: not _still_held(system, held), TIMEOUT, f"jobs {held.jobs} stayed with the dead")
    handed = time.monotonic() - begun
    system.until(lambda: _replaced(system, name, gone), TIMEOUT, f"{name} did not come back")
    return handed if held.jobs else time.monotonic() - begun


def _still_held(system: System, held: HeldJobs) -> bool:
    if not held.jobs:
        return False
    return bool(system.one(
        "select count(*) from wedsql.job_pool j join pg_locks l on l.locktype = 'advisory' and l.objsubid = 2"
        " and l.classid::integer = j.wid and l.objid::integer = j.tgid"
        " where j.id = any (%s) and l.pid = any (%s)",
        (held.jobs, held.backends),
    ))  # fmt: skip


def _replaced(system: System, name: str, gone: list[int]) -> bool:
    if name == "web":
        return system.programs["web"].pid not in gone and system.page().live
    if name in ("reaper", "supervisor"):
        if name == "supervisor" and not system.page().live:
            return False
        beat = system.one(
            "select extract(epoch from wedsql.now() - seen_at)::float8 from wedsql.beat where name = 'reaper'"
        )
        return beat is not None and beat < 1.5 and _all_ended(gone)
    kind = {"pool": "process", "cluster": "cluster"}[name]
    pids = {pid for (pid,) in system.rows("select pid from wedsql.worker where kind = %s", (kind,))}
    return bool(pids & set(system.programs[name].children()) - set(gone)) and _all_ended(gone)


def _all_ended(gone: list[int]) -> bool:
    """Return whether all struck processes are gone: children of a killed parent must end, too."""
    return not any(os.path.exists(f"/proc/{pid}/exe") for pid in gone)
