"""Starts Django-Q clusters and kills them while they start.

Run as `python -m workers.tests.processes.kill_during_start`.
It adopts processes that outlive their cluster, so that orphans become its children. Each line of its output
names a start and how many processes outlived it; the last one is "done".
"""

from __future__ import annotations

import ctypes
import os
import random
import signal
import sys
import time
from typing import NoReturn

_PR_SET_CHILD_SUBREAPER = 36
_WAIT_SECONDS = 5.0
_SPAN = 0.5  # a start takes about a third of that on an idle machine


def main(kills: int, seed: int) -> None:
    """Kill a parent once in each of its forks, then clusters at `kills` random moments."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for generation, number in [(1, 1), (2, 1), (2, 2), (2, 3), (2, 4)]:
        pid = _start(generation, number)
        _report(f"fork {number} of generation {generation}", _left(pid, kill_after=_WAIT_SECONDS))
    dice = random.Random(seed)  # noqa: S311  # not a secret
    for number in range(kills):
        moment = dice.uniform(0, _SPAN)
        _report(f"kill {number} after {moment:.4f} s", _left(_start(0, 0), kill_after=moment))
    print("done", flush=True)


def _start(generation: int, number: int) -> int:
    """Fork a main process that runs a cluster; its fork `number` of `generation` first kills its parent."""
    pid = os.fork()
    if pid == 0:
        _run(generation, number)
    return pid


def _run(generation: int, number: int) -> NoReturn:
    from django_q.cluster import Cluster

    from workers.djangoq import fork_hooks

    try:
        if generation:
            _kill_the_parent_in(generation, number)
        fork_hooks.install(cluster=True)
        Cluster().start()
        time.sleep(60)
    finally:
        os._exit(1)


def _kill_the_parent_in(generation: int, number: int) -> None:
    """Register the hooks that kill before any others, so that they run before any other hook of the fork."""
    here = forks = 0

    def count() -> None:
        nonlocal forks
        forks += 1

    def kill_parent() -> None:
        nonlocal here, forks
        here += 1
        if (here, forks) == (generation, number):
            parent = os.getppid()
            os.kill(parent, signal.SIGKILL)
            while os.getppid() == parent:
                time.sleep(0.001)
        forks = 0

    os.register_at_fork(before=count, after_in_child=kill_parent)


def _left(pid: int, kill_after: float) -> int:
    """Kill the main process after so long, or when it ends; return how many processes are left later."""
    end = time.monotonic() + kill_after
    while time.monotonic() < end and os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        time.sleep(0.001)
    os.kill(pid, signal.SIGKILL)
    end = time.monotonic() + _WAIT_SECONDS
    while _reap() and time.monotonic() < end:
        time.sleep(0.002)
    left = _children()
    for child in left:
        os.kill(child, signal.SIGKILL)
    while _reap():
        time.sleep(0.002)
    return len(left)


def _reap() -> bool:
    """Reap the dead; return whether a child is alive."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _children() -> list[int]:
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return [int(child) for child in file.read().split()]


def _report(what: str, left: int) -> None:
    if left:
        print(f"{what}: {left} left", flush=True)


if __name__ == "__main__":
    import django

    django.setup()
    os.environ["WEDSQL_PROCESS"] = "worker"
    main(int(sys.argv[1]), int(sys.argv[2]))
