"""`python -m chaos.mutate`: takes the kernel's guards away, one at a time, and shows that it is noticed.

A guard that nothing misses when it is gone is not proved. Every mutation changes the text of an installed
function (or removes an object) in a scratch database; the check that speaks of that guard must then fail, and
it must pass on the kernel as it is. With --machine there is one check for all: the state machine.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import psycopg

from chaos import machine, mutations, mutations_care, mutations_machine
from chaos.guarded import Bench, Check
from chaos.mutation import Change, Mutation
from chaos.run import say
from chaos.scratch import drop_template, make_template, scratch
from chaos.server import Server

MUTATIONS = [*mutations.MUTATIONS, *mutations_care.MUTATIONS]


def main() -> int:
    """Exit code 1 when a mutation survives, 2 when a guard is not where the mutation looks for it."""
    parser = argparse.ArgumentParser(prog="chaos.mutate", description=__doc__)
    parser.add_argument("--only", default="", help="mutations whose name has this word")
    parser.add_argument("--machine", action="store_true", help="mendings that the state machine must miss")
    parser.add_argument("--seed", type=int, default=0, help="of the state machine")
    asked = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, _end)
    home = Path(tempfile.mkdtemp(prefix="wedsql-mutate-"))
    home.chmod(0o711)
    server = Server(home, {"fsync": "off"})
    try:
        server.start()
        if asked.machine:
            mendings = [m for m in mutations_machine.MUTATIONS if asked.only in m.mending]
            return machine.run(server.dsn(), mendings, asked.seed)
        return run(server.dsn(), [m for m in MUTATIONS if asked.only in m.guard])
    finally:
        server.remove()
        shutil.rmtree(home, ignore_errors=True)


def _end(number: int, _frame: FrameType | None) -> None:
    """Leave by way of every `finally`: the server ends with this process."""
    sys.exit(128 + number)


def run(dsn: str, mutations: Sequence[Mutation]) -> int:
    """Every mutation on a database of its own on this server; prints the table."""
    begun = time.monotonic()
    with psycopg.connect(dsn, autocommit=True) as admin:
        make_template(admin, dsn)
    results = [(m.guard, *verdict(dsn, m)) for m in mutations]
    width = max(len(guard) for guard, _, _ in results)
    for guard, word, why in results:
        say(f"{guard.ljust(width)}  {word.ljust(9)} {why}")
    killed = sum(word == "killed" for _, word, _ in results)
    say(f"\n{killed} of {len(results)} killed, {time.monotonic() - begun:.0f} s")
    with psycopg.connect(dsn, autocommit=True) as admin:
        drop_template(admin)
    words = {word for _, word, _ in results}
    return 2 if "not found" in words or "red anyway" in words else int("survived" in words)


def verdict(dsn: str, mutation: Mutation) -> tuple[str, str]:
    """What the check says of the mutated kernel: killed, survived, not found, red anyway (unmutated)."""
    with scratch(dsn) as whole:
        failure = _check(whole, mutation.check)
        if failure:
            return "red anyway", failure
    with scratch(dsn) as copy:
        with psycopg.connect(copy, autocommit=True) as conn:
            if not mutate(conn, mutation.change):
                return "not found", mutation.old
        failure = _check(copy, mutation.check)
    return ("killed", failure) if failure else ("survived", mutation.check.__doc__ or "")


def mutate(conn: psycopg.Connection[Any], change: Change) -> bool:
    """Take the guard away; False when it is not where it should be."""
    if change.statement:
        conn.execute(change.statement)
        return True
    found = conn.execute(
        "select pg_get_functiondef(p.oid) from pg_proc p where p.pronamespace = 'wedsql'::regnamespace"
        " and p.proname = any (%s)", (list(change.functions),)
    ).fetchall()  # fmt: skip
    for (source,) in found:
        body = source.index("AS $")
        if change.old not in source[body:]:
            return False
        conn.execute(source[:body] + source[body:].replace(change.old, change.new, 1))
    return len(found) >= len(change.functions)


def _check(dsn: str, check: Check) -> str:
    """Why the check fails; nothing when it passes."""
    bench: Bench | None = None
    try:
        bench = Bench(dsn)
        check(bench)
    except Exception as error:  # noqa: BLE001 - whatever stops the check is the answer
        return f"{type(error).__name__}: {str(error).splitlines()[0][:110]}"
    finally:
        if bench is not None:
            bench.close()
    return ""


if __name__ == "__main__":
    sys.exit(main())
