"""F7: the database's clock jumps, an hour on, an hour back, ninety days on."""

from __future__ import annotations

import os
import subprocess
import time
from datetime import timedelta
from pathlib import Path

from chaos.run import Row, Run
from chaos.server import Server
from chaos.world import World
from flows import api
from flows.errors import WedError
from flows.types import Job
from wedsql_site import postgres
from wedsql_site.postgres import account, binaries

HOUR, DAY = 3600, 86400
# The right time in the end is the latest one, so that nothing was planned for a time that never comes.
JUMPS = [HOUR, 0, HOUR, HOUR + 90 * DAY]
PATIENCE = 30.0


class FakeTimeServer(Server):
    """A cluster whose processes believe what a file says about the time."""

    library: Path

    @property
    def clock(self) -> Path:
        return self.cluster.home / "clock"

    def start(self) -> None:
        if postgres.is_running(self.cluster):
            return
        user = account.current()
        super().start()  # writes the configuration, too
        postgres.stop(self.cluster)
        self.jump(0)
        told = {
            "LD_PRELOAD": str(self.library), "FAKETIME_TIMESTAMP_FILE": str(self.clock),
            "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1",
            "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "PATH": os.environ["PATH"],
        }  # fmt: skip
        programs = binaries.reachable(binaries.find(), user)
        options = {"user": user.uid, "group": user.gid, "extra_groups": []} if user.switch else {}
        subprocess.run(
            [programs / "pg_ctl", "-D", self.cluster.data, "-w", "-l", self.cluster.log, "start"],
            env=told, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, check=True, **options,  # type: ignore[call-overload]
        )  # fmt: skip

    def jump(self, seconds: int) -> None:
        """From now on it is so many seconds later than it is."""
        scratch = self.clock.with_name("clock.new")
        scratch.write_text(f"{seconds:+d}\n")
        scratch.chmod(0o644)
        scratch.rename(self.clock)


def clock(run: Run, row: Row) -> None:
    """Leases that a jump ends go to others, their late results are refused, nothing stays behind."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    if not found:
        row.skipped = "libfaketime is not installed (Debian: apt-get install libfaketime)"
        return
    place = run.place()
    place.mkdir(mode=0o711)
    FakeTimeServer.library = found[0]
    server = FakeTimeServer(place)
    server.copy_from(run.template)
    with run.world(row, server=server, programs=("pool", "reaper"), designer=0) as world:
        for offset in JUMPS:
            row.injection(lambda offset=offset: _jump(world, row, server, offset), f"jump to {offset:+d} s")  # type: ignore[misc]
            time.sleep(run.seconds(8))
        shown = world.one("select round(extract(epoch from wedsql.now()) - %s)::integer", (time.time(),))
        if abs(shown - JUMPS[-1]) > 5:
            row.fail(f"the clock did not move: {shown}")
        beyond = world.one("select count(*) from wedsql.wed_trace_default")
        row.notes.append(f"{beyond} rows of the history beyond the prepared months")


def _jump(world: World, row: Row, server: FakeTimeServer, offset: int) -> float:
    """Hoard leases, jump; seconds until work goes on and, after a jump ahead, the hoard is in other hands."""
    before = world.one("select wedsql.now()")
    with world.connect("worker") as conn:
        hoard = api.lease_many(
            "chaos", ["tr_desk", "tr_lease"], 20, "hoarder", duration=timedelta(minutes=10), conn=conn
        )
        server.jump(offset)
        begun = time.monotonic()
        ahead = world.one("select wedsql.now()") - before > timedelta(minutes=10)
        if ahead:
            query = "select count(*) from wedsql.job_pool where claim = any (%s)"
            claims = [job.claim for job in hoard]
            world.until(lambda: world.one(query, (claims,)) == 0, PATIENCE, "expired leases stay")
            _late(world, row, hoard)
        else:
            for job in hoard:
                api.release(job, conn=conn)
    world.moves_again(PATIENCE)
    return time.monotonic() - begun


def _late(world: World, row: Row, hoard: list[Job]) -> None:
    with world.connect("worker") as conn:
        for job in hoard:
            try:
                api.complete(
                    job, {"desk": "late"} if job.transition == "tr_desk" else {"leased": "late"}, conn=conn
                )
            except WedError as refused:
                if refused.code not in ("WD203", "WD204", "WD205", "WD102"):
                    row.fail(f"a late result was refused with {refused.code}")
                continue
            row.fail(f"the late result of job {job.id} was accepted")
