"""F3: the network between workers and server is cut; both sides live on without contact."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from chaos.run import Row, Run
from chaos.system import System
from testkit.server import SETTINGS, Server

TIMEOUT = 40.0
_SHORT = "update chaos.wed_trig set timeout = '3 seconds' where trname in ('tr_left', 'tr_right', 'tr_turn')"
_HELD = """
    select j.id, l.pid from pg_stat_activity a
    join pg_locks l on l.pid = a.pid and l.locktype = 'advisory' and l.objsubid = 2
    join wedsql.job_pool j on j.wid = l.classid::integer and j.tgid = l.objid::integer
    where a.client_addr is not null
"""


@dataclass
class Cable:
    """A network namespace for the workers, and the veth pair that connects it."""

    name: str
    subnet: str

    @property
    def host(self) -> str:
        return f"{self.subnet}.1"

    def plug(self, *, up: bool) -> None:
        """Set the link up or down."""
        _ip("link", "set", f"{self.name}a", "up" if up else "down")


def network(run: Run, row: Row) -> None:
    """Cut the network: other workers take over the jobs, and late results are rejected when it is back."""
    with _cable(row) as cable:
        if cable is None:
            return
        server = Server(run.new_directory(), SETTINGS | {"listen_addresses": cable.host})
        server.copy_from(run.template)
        with (server.cluster.data / "pg_hba.conf").open("a") as rules:
            rules.write(f"\nhost all all {cable.subnet}.0/24 trust\n")
        options = {
            "server": server, "dsns": {"worker": f"postgresql://wed_worker@{cable.host}/wedsql"},
            "prefix": ("ip", "netns", "exec", cable.name), "programs": ("pool", "reaper", "cluster"),
            "designer": 0,
        }  # fmt: skip
        with run.system(row, **options) as system:
            system.rows(_SHORT + " returning 1")
            for _ in range(run.number(5, least=2)):
                row.injection(lambda: _cut(system, cable), "network cut")
                row.injection(lambda: _mend(system, cable), "network back")


def _cut(system: System, cable: Cable) -> float:
    """Cut while a worker holds a job; return the seconds until other workers have done its jobs."""
    held: dict[int, int] = {}

    def holding() -> bool:
        held.update(dict(system.rows(_HELD)))
        return bool(held)

    system.until(holding, TIMEOUT, "no worker holds a job")
    cable.plug(up=False)
    held.update(dict(system.rows(_HELD)))
    query = "select count(*) from wedsql.job_pool where id = any (%s) and state <> 'K'"
    what = f"jobs {held} stayed with the unreachable"
    try:
        return system.until(lambda: system.one(query, (list(held),)) == 0, TIMEOUT, what)
    except TimeoutError:
        cable.plug(up=True)
        raise


def _mend(system: System, cable: Cable) -> float:
    """Connect again; return the seconds until the workers behind the cable complete a job."""
    last = system.one("select max(job_id) from wedsql.wed_trace")
    cable.plug(up=True)
    query = "select count(*) from wedsql.wed_trace where job_id > %s and actor like 'wedworker%%'"
    what = "the workers behind the cable did not come back"
    return system.until(lambda: system.one(query, (last,)) > 0, TIMEOUT, what)


@contextmanager
def _cable(row: Row) -> Iterator[Cable | None]:
    number = os.getpid() % 200 + 20
    cable = Cable(f"wc{os.getpid()}", f"10.213.{number}")
    try:
        _lay(cable)
    except (OSError, subprocess.CalledProcessError) as error:
        _ip("netns", "del", cable.name, check=False)
        row.skipped = f"network namespaces need root and iproute2 ({type(error).__name__})"
        yield None
        return
    try:
        yield cable
    finally:
        _ip("link", "del", f"{cable.name}a", check=False)
        _ip("netns", "del", cable.name, check=False)


def _lay(cable: Cable) -> None:
    inside = ("netns", "exec", cable.name, "ip")
    _ip("netns", "add", cable.name)
    _ip("link", "add", f"{cable.name}a", "type", "veth", "peer", "name", f"{cable.name}b")
    _ip("link", "set", f"{cable.name}b", "netns", cable.name)
    _ip("addr", "add", f"{cable.host}/24", "dev", f"{cable.name}a")
    _ip("link", "set", f"{cable.name}a", "up")
    _ip(*inside, "addr", "add", f"{cable.subnet}.2/24", "dev", f"{cable.name}b")
    _ip(*inside, "link", "set", f"{cable.name}b", "up")
    _ip(*inside, "link", "set", "lo", "up")


def _ip(*words: str, check: bool = True) -> None:
    subprocess.run(["ip", *words], check=check, capture_output=True)
