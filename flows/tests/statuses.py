"""Instances of each status, in a flow where `tr_x` has one attempt when a is '1', and 'end' is final."""

from __future__ import annotations

from collections.abc import Callable

from flows import api
from flows.tests.kit import Kit


def running(kit: Kit) -> int:
    return kit.start(a="1", b="7")


def exception(kit: Kit) -> int:
    wid = running(kit)
    kit.fail("tr_x", wid)
    return wid


def suspended(kit: Kit) -> int:
    wid = running(kit)
    api.suspend(wid, "Wait.", conn=kit.conn)
    return wid


def suspended_exception(kit: Kit) -> int:
    wid = exception(kit)
    api.suspend(wid, "Wait.", conn=kit.conn)
    return wid


def compensating(kit: Kit) -> int:
    wid = running(kit)
    kit.run("tr_x", wid, a="2")
    api.abort(wid, "No.", conn=kit.conn)
    return wid


def ended(kit: Kit) -> int:
    return kit.start(a="end", b="7")


def cancelled(kit: Kit) -> int:
    wid = running(kit)
    api.cancel(wid, "No.", conn=kit.conn)
    return wid


def aborted(kit: Kit) -> int:
    wid = running(kit)
    api.abort(wid, "No.", conn=kit.conn)
    return wid


def leased(kit: Kit) -> int:
    wid = running(kit)
    kit.lease("tr_x")
    return wid


STATUSES: dict[str, Callable[[Kit], int]] = {
    "R": running, "E": exception, "S": suspended, "S of an exception": suspended_exception,
    "X": compensating, "F": ended, "C": cancelled, "A": aborted,
}  # fmt: skip
