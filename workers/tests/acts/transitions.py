"""Honest, slow, hanging and deadly handlers; each writes to the outside ledger first."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from typing import Any

from workers import Changes, Context, transition

State = Mapping[str, Any]


def note(ctx: Context) -> None:
    """One line in a file that several processes append to: job, instance, transition, process."""
    line = f"{ctx.job_id} {ctx.wid} {ctx.transition} {os.getpid()}\n"
    handle = os.open(os.environ["WEDSQL_TEST_LEDGER"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, line.encode())
    finally:
        os.close(handle)


@transition("act_mark")
def mark(state: State, ctx: Context) -> Changes:
    note(ctx)
    return {"a": "marked"}


@transition("act_tell")
def tell(state: State, ctx: Context) -> Changes:
    """Says something and fails with what is in the state."""
    ctx.logger.info("about to fail")
    raise ValueError(f"cannot read {state['kind']}")


@transition("act_again")
def again(state: State, ctx: Context) -> Changes:
    note(ctx)
    return {"n": int(state["n"]) + 1}


@transition("act_slow", batch=1)
def slow(state: State, ctx: Context) -> Changes:
    """Waits for a file of its own instance, so that a test decides when it is done."""
    note(ctx)
    go = f"{os.environ['WEDSQL_TEST_LEDGER']}.go"
    while not os.path.exists(go):
        time.sleep(0.02)
    return {"a": "slow"}


class TimeoutException(Exception):
    """As a browser's driver calls its own; Django-Q's has the same name."""


@transition("act_driver", batch=1)
def drive(state: State, ctx: Context) -> Changes:
    note(ctx)
    raise TimeoutException("the page did not load")


@transition("act_poison", batch=1)
def poison(state: State, ctx: Context) -> Changes:
    note(ctx)
    os.abort()


@transition("act_kill", batch=1)
def kill(state: State, ctx: Context) -> Changes:
    note(ctx)
    os.kill(os.getpid(), signal.SIGKILL)
    return None


@transition("act_hang", batch=1)
def hang(state: State, ctx: Context) -> Changes:
    """Hangs where no Python code runs and every polite signal is ignored."""
    note(ctx)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(60)


@transition("act_exit", batch=1)
def leave(state: State, ctx: Context) -> Changes:
    note(ctx)
    os._exit(0)


@transition("act_close", batch=1)
def close(state: State, ctx: Context) -> Changes:
    """Closes whatever is open, as a careless daemon does."""
    note(ctx)
    os.closerange(3, 1024)
    return {"a": "closed"}


@transition("act_stop", batch=1)
def stop(state: State, ctx: Context) -> Changes:
    """Stops its own process: no signal but SIGKILL and SIGCONT is heard."""
    note(ctx)
    os.kill(os.getpid(), signal.SIGSTOP)
    return {"a": "stopped"}


@transition("act_swallow", batch=1)
def swallow(state: State, ctx: Context) -> Changes:
    """Swallows the end of its time again and again."""
    note(ctx)
    while True:
        try:
            time.sleep(60)
        except BaseException:  # noqa: BLE001, S110  # as careless handlers do
            pass
