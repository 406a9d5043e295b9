"""F7: the database's clock is wrong, by an hour either way and by ninety days, and is corrected again."""

from __future__ import annotations

import os
import subprocess
import time
from collections import Counter
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import psycopg

from chaos.faults.f7_timers import Timers
from chaos.run import Row, Run
from chaos.system import System
from flows import api
from flows.types import ClaimedJob, Completion
from testkit.server import Server
from testkit.waiting import until
from wedsql_site import postgres
from wedsql_site.postgres import account, binaries
from workers.reaper.limits import REAP_LIMIT

HOUR, DAY = 3600, 86400
# Each error is corrected again: what was scheduled by the wrong clock must not wait for that time.
JUMPS = [HOUR, 0, -HOUR, 0, 90 * DAY, 0]
# The right time of this server is ahead of the machine's: libfaketime has no effect in signal handlers, where
# PostgreSQL checks whether a timeout has expired, and a clock in the future there would end every session.
RIGHT = 2 * HOUR
OPEN_LEASES = 500
AHEAD, BACK = (
    timedelta(minutes=10),
    timedelta(seconds=8),
)  # leases that a jump ahead ends, or a jump back prolongs
TIMEOUT, DONE = 60.0, 180.0  # seconds until leases are taken over; until 500 steps are done
_ROUNDS = """
    select count(*), coalesce(max(r.n), 0) from (
      select count(*) as n from wedsql.job_log where outcome = 'expired' group by at) r
"""


class FakeTimeServer(Server):
    """A cluster whose processes take the time offset from a file."""

    library: Path

    @property
    def clock(self) -> Path:
        return self.cluster.home / "clock"

    def start(self) -> None:
        if postgres.is_running(self.cluster):
            return
        user = account.current()
        super().start()  # also writes the configuration
        postgres.stop(self.cluster)
        self.jump(RIGHT)
        environment = {
            "LD_PRELOAD": str(self.library), "FAKETIME_TIMESTAMP_FILE": str(self.clock),
            "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1",
            "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "PATH": os.environ["PATH"],
        }  # fmt: skip
        programs = binaries.reachable(binaries.find(), user)
        options = {"user": user.uid, "group": user.gid, "extra_groups": []} if user.switch else {}
        subprocess.run(
            [programs / "pg_ctl", "-D", self.cluster.data, "-w", "-l", self.cluster.log, "start"],
            env=environment, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, check=True, **options,  # type: ignore[call-overload]
        )  # fmt: skip

    def connect(self, role: str = "", **options: str) -> psycopg.Connection[tuple[object, ...]]:
        """Connect with retries: libfaketime allocates in signal handlers, which may abort a backend."""
        return until(
            lambda: super(FakeTimeServer, self).connect(role, **options),
            TIMEOUT, "the server accepts no connection", ignored=(psycopg.OperationalError,), pause=0.2,
        )  # fmt: skip

    def jump(self, seconds: int) -> None:
        """Set the offset of the clock from the machine's, in seconds."""
        scratch = self.clock.with_name("clock.new")
        scratch.write_text(f"{seconds:+d}\n")
        scratch.chmod(0o644)
        scratch.rename(self.clock)


def clock(run: Run, row: Row) -> None:
    """Jump: leases that end or are prolonged are taken over in time, and late results are rejected."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    if not found:
        row.skipped = "libfaketime is not installed (Debian: apt-get install libfaketime)"
        return
    FakeTimeServer.library = found[0]
    server = FakeTimeServer(run.new_directory())
    server.copy_from(run.template)
    with run.system(row, server=server, programs=("pool", "reaper"), designer=0) as system:
        system.until(lambda: bool(system.rows("select from wedsql.beat")), TIMEOUT, "no round of the reaper")
        timers = Timers(system, row)
        for before, offset in pairwise([0, *JUMPS]):
            if before >= 0:  # a clock that is behind would set timers that are due as soon as it is corrected
                timers.set(right=before == 0)
            row.injection(
                lambda before=before, offset=offset: _jump(timers, server, before, offset),  # type: ignore[misc]
                f"jump from {before:+d} to {offset:+d} s",
            )
            time.sleep(run.seconds(8))
        _check(system, row, server)


def _check(system: System, row: Row, server: FakeTimeServer) -> None:
    shown = system.one("select round(extract(epoch from wedsql.now()) - %s)::integer", (time.time(),))
    if abs(shown - RIGHT - JUMPS[-1]) > 5:
        row.fail(f"the clock did not move: {shown}")
    log = server.cluster.log.read_text(errors="replace")
    logged = log.count("the clock of the database went back")
    back = sum(b < a for a, b in pairwise([0, *JUMPS]))
    if logged != back:
        row.fail(f"the server's log has {logged} of {back} jumps back")
    if aborted := log.count("was terminated by signal 6"):
        row.notes.append(f"{aborted} backends aborted inside libfaketime; the server recovered")
    beyond = system.one("select count(*) from wedsql.wed_trace_default")
    row.notes.append(f"{beyond} rows of the history beyond the prepared months")
    rounds, most = system.rows(_ROUNDS)[0]
    row.notes.append(f"expired leases: {rounds} rounds of the reaper, at most {most} in one")
    if most > REAP_LIMIT:
        row.fail(f"a round of the reaper gave {most} leases back")


def _jump(timers: Timers, server: FakeTimeServer, before: int, offset: int) -> float:
    """Hoard leases and jump; return the seconds until other workers have done them. Then check timers."""
    system, row = timers.system, timers.row
    leased = _lease_many(system, AHEAD if offset > before else BACK)
    server.jump(RIGHT + offset)
    begun = time.monotonic()
    held = "select count(*) from wedsql.job_pool where claim = any (%s)"
    claims = [job.claim for job in leased]
    system.until(lambda: system.one(held, (claims,)) == 0, TIMEOUT, "leases stay with who went away")
    _check_late_results(system, row, leased)
    left = "select count(*) from side.st_status where status = 'R'"
    system.until(lambda: system.one(left) == 0, DONE, "what was leased is not done")
    took = time.monotonic() - begun
    system.moves_again(TIMEOUT)
    if offset == 0:
        timers.back()
    elif offset > before:
        timers.ahead(TIMEOUT)
    return took


def _lease_many(system: System, lasting: timedelta) -> list[ClaimedJob]:
    """Lease five hundred jobs in the transaction that starts them, before a worker can see them."""
    with system.connect("worker") as conn, conn.transaction():
        api.instances.start_many("side", [{"hoard": "0"}] * OPEN_LEASES, conn=conn)
        leased = api.jobs.lease_many(
            "side", ["tr_hoard"], OPEN_LEASES, "hoarder", duration=lasting, conn=conn
        )
    if len(leased) != OPEN_LEASES:
        raise TimeoutError(f"only {len(leased)} leases could be hoarded")
    return leased


def _check_late_results(system: System, row: Row, leased: list[ClaimedJob]) -> None:
    """Send the late results of these jobs: all of them must be rejected."""
    with system.connect("worker") as conn:
        results = api.jobs.complete_many(
            "side", [Completion(job, {"hoard": "late"}) for job in leased], conn=conn
        )
    codes = Counter(result.error.code if result.error else "accepted" for result in results)
    if unexpected := set(codes) - {"WD102", "WD203", "WD204", "WD205"}:
        row.fail(f"late results were answered with {unexpected}")
