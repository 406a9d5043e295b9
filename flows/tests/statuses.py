"""Instances of each status, in a flow where `tr_x` has one attempt when a is '1', and 'end' is final."""

from __future__ import annotations

from collections.abc import Callable

from flows import api
from flows.capabilities.moves.api import Peer
from flows.tests.kit import Kit

PUBLIC_KEY = "s55M6qcZBQPgB+smQdBgAF+yah7RRUnFYXSOzCOArBM="


def running(kit: Kit) -> int:
    return kit.start(a="1", b="7")


def exception(kit: Kit) -> int:
    wid = running(kit)
    kit.fail("tr_x", wid)
    return wid


def operated(before: Callable[[Kit], int], operation: Callable[..., object]) -> Callable[[Kit], int]:
    """Return a function that operates on an instance of another status."""

    def make(kit: Kit) -> int:
        wid = before(kit)
        operation(wid, "No.", conn=kit.conn)
        return wid

    return make


def compensatable(kit: Kit) -> int:
    wid = running(kit)
    kit.run("tr_x", wid, a="2")
    return wid


def ended(kit: Kit) -> int:
    return kit.start(a="end", b="7")


def leased(kit: Kit) -> int:
    wid = running(kit)
    kit.lease("tr_x")
    return wid


def away(kit: Kit) -> int:
    """Hand an instance over to another installation, which reads nothing of it."""
    other = Peer("51cd1084-945b-42fc-9bfd-8fca5d9dc300", "elsewhere", PUBLIC_KEY)
    api.moves.create_identity("here", conn=kit.conn)
    api.moves.save_peer(other, "ana", conn=kit.conn)
    wid = running(kit)
    api.moves.hand_over(wid, other.id, "It is done there.", conn=kit.conn)
    return wid


suspended = operated(running, api.operations.suspend)

STATUSES: dict[str, Callable[[Kit], int]] = {
    "R": running,
    "E": exception,
    "S": suspended,
    "S of an exception": operated(exception, api.operations.suspend),
    "X": operated(compensatable, api.compensations.abort),
    "F": ended,
    "C": operated(running, api.instances.cancel),
    "A": operated(running, api.compensations.abort),
    "M": away,
}
