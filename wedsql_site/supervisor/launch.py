"""Turns a fork of the supervisor into one of its programs."""

from __future__ import annotations

import importlib
import os
import runpy
import sys

from flows import project
from wedsql_site.supervisor import processes, title
from wedsql_site.supervisor.programs import Program

# The variables by which a process is found.
_MARKS = (processes.VARIABLE, "WEDSQL_STATE_DIR")


class Gate:
    """Holds a fork, which may import what it needs meanwhile, until it is opened."""

    def __init__(self) -> None:
        self.receiver, self._sender = os.pipe()

    def open(self) -> None:
        """Let the fork run on; call this in the supervisor, once."""
        try:
            os.write(self._sender, b"!")
        except BrokenPipeError:
            pass  # it has ended; the supervisor starts it again
        finally:
            self.close()

    def close(self) -> None:
        """Close the supervisor's ends; a fork that waits ends."""
        os.close(self._sender)
        os.close(self.receiver)

    def passed(self) -> bool:
        """Wait in the fork; False if the gate is closed without being opened."""
        return os.read(self.receiver, 1) != b""


def become(program: Program, log: int, gate: Gate | None = None) -> None:
    """Run a program in this fork, with a session, files and an environment of its own."""
    os.setsid()
    os.chdir(project.directory())
    _redirect(log, gate)
    environ = program.environ()
    os.environ.clear()
    os.environ.update(environ)
    if title.replace(("wedsql", program.name), environ, _MARKS):
        _run(program, gate)
    elif gate is None or gate.passed():
        # The environment of the supervisor is too small for what the process is found by.
        os.execve(sys.executable, program.command, environ)  # noqa: S606 - the interpreter itself


def _run(program: Program, gate: Gate | None) -> None:
    sys.path[0] = str(project.directory())
    sys.argv = [program.module, *program.arguments]
    if program.imports:
        importlib.import_module(program.imports)
    if gate is not None and not gate.passed():
        return
    runpy.run_module(program.module, run_name="__main__", alter_sys=True)


def _redirect(log: int, gate: Gate | None) -> None:
    """Write to the log, read nothing, and close all other files of the supervisor, its lock included."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for here, standard in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(here, standard)
    kept = gate.receiver if gate else -1
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) != kept:
            try:
                os.close(int(name))
            except OSError:
                continue  # that of the listing
    sys.stdout = open(1, "w", encoding="utf-8", buffering=1, closefd=False)
