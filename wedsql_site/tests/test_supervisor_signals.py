"""A signal ends the supervisor's loop, whatever line of it runs at that moment; `stop` waits for its end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from testkit.processes import alive, manage
from wedsql_site import environment

# One child for each line of the loop and its wait; it signals itself there, and has ten seconds to end.
SCRIPT = """
import os, signal, sys
import django

django.setup()
from wedsql_site.supervisor.loop import Supervisor
from wedsql_site.supervisor.programs import Address
from wedsql_site.supervisor.record import Running

def child(number, at):
    signal.alarm(10)
    supervisor = Supervisor([], Address("127.0.0.1", 1), Running(), print)
    supervisor.catch_signals()
    lines = 0

    def trace(frame, event, _argument):
        nonlocal lines
        if not frame.f_code.co_filename.endswith(("/loop.py", "/stop.py", "/threading.py")):
            return None
        lines += event == "line"
        if event == "line" and lines == at:
            os.kill(os.getpid(), number)
        return trace

    sys.settrace(trace)
    supervisor.run()
    os._exit(0)

number = signal.Signals(int(sys.argv[1]))
children = {}
for at in range(1, 61):
    pid = os.fork()
    if not pid:
        child(number, at)
    children[pid] = at
codes = {at: os.waitpid(pid, 0)[1] for pid, at in children.items()}
print(sorted(at for at, code in codes.items() if code))
"""


@pytest.mark.slow
@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize("number", [1, 2, 15])
def test_a_signal_at_any_line_ends_the_loop(number: int, dsn: str) -> None:
    env = os.environ | {"DATABASE_URL": dsn, "WEDSQL_PROCESS": "admin"}
    command = [sys.executable, "-c", SCRIPT, str(number)]
    done = subprocess.run(
        command, env=env, cwd=environment.CHECKOUT, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "[]", f"it hangs or fails at these lines: {done.stdout}{done.stderr}"


# A supervisor that ends long after its lock is free, like one on a busy machine.
SLOW = """
import signal, time
from wedsql_site.supervisor.record import Running

running = Running()

def end(*_):
    running.release()
    time.sleep(3)
    raise SystemExit

signal.signal(signal.SIGTERM, end)
running.take()
running.write()
print("up", flush=True)
while True:
    signal.pause()
"""


def test_stop_returns_when_the_supervisor_has_ended(tmp_path: Path) -> None:
    env = os.environ | {"WEDSQL_STATE_DIR": str(tmp_path / "var")}
    with subprocess.Popen(
        [sys.executable, "-c", SLOW], env=env, cwd=environment.CHECKOUT, stdout=subprocess.PIPE
    ) as supervisor:
        assert supervisor.stdout is not None and supervisor.stdout.readline() == b"up\n"
        stopped = subprocess.run(
            manage("wedsql", "stop"), env=env, capture_output=True, text=True, check=False
        )
        assert (stopped.returncode, alive(supervisor.pid)) == (0, False), stopped.stderr
