"""A forked process opens its own connections, and a cluster's sentinel dies with its main process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from testkit.web import environ_for
from wedsql_site import environment

FORK_WITH_POOL = """
import os, django
django.setup()
from django.db import connection
def pid():
    with connection.cursor() as cursor:
        cursor.execute("select pg_backend_pid()")
        return cursor.fetchone()[0]
mine = pid()
reader, writer = os.pipe()
child = os.fork()
if child == 0:
    os.write(writer, str(pid()).encode())
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
theirs = int(os.read(reader, 20))
assert theirs != mine, "the child used its parent's connection"
assert pid() == mine, "the parent lost its connection"
print("apart")
"""

FORK_AND_WAIT = """
import os, time, django
django.setup()
if os.fork() == 0:
    time.sleep(60)
    os._exit(0)
print("forked", flush=True)
time.sleep(60)
"""

FORK_AND_COLLECT = """
import gc, os, django
django.setup()
def own():
    with open("/proc/self/smaps_rollup") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty"))
child = os.fork()
if child == 0:
    before = own()
    gc.collect()
    print(own() - before, flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""


def python(code: str, dsn: str, role: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=environment.CHECKOUT,
        env=environ_for(dsn) | {"WEDSQL_PROCESS": role},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize("role", ["web", "worker"])
def test_a_fork_has_connections_of_its_own(dsn: str, role: str) -> None:
    with python(FORK_WITH_POOL, dsn, role) as process:
        output, _nothing = process.communicate(timeout=60)
    assert output.strip().endswith("apart"), output


def test_a_fork_of_a_cluster_dies_with_it(dsn: str, until: Callable[..., None]) -> None:
    with python(FORK_AND_WAIT, dsn, "worker") as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == "forked"
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            assert len(children) == 1
            process.kill()
            process.wait()
            until(lambda: not _alive(children[0]), "the fork is gone")
        finally:
            _end_group(process.pid)


def test_a_fork_of_a_cluster_keeps_the_memory_that_it_shares(dsn: str) -> None:
    with python(FORK_AND_COLLECT, dsn, "worker") as process:
        output, _nothing = process.communicate(timeout=60)
    assert int(output.split()[-1]) < 5_000, "kB that a garbage collection copied"


def _alive(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _end_group(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        return
