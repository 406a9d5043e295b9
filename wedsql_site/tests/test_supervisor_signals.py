"""A signal ends the supervisor's loop, whatever line of it runs at that moment."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

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
