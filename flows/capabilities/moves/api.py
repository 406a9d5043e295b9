"""Moves: an instance is handed to another installation, continued there, and handed back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from flows.capabilities.alerts.receivers import allowed, check_url
from flows.capabilities.moves.envelope import new_keys
from flows.statements import JSON, read_as, rows, value

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Identity:
    """This installation as its peers register it; the public key is in base64."""

    id: str
    name: str
    public_key: str


@dataclass(frozen=True, slots=True)
class Peer:
    """Another installation, of which instances of `flows` are received; "*" is all flows.

    Without `url` messages to it are files. The public key is in base64.
    """

    id: str
    name: str
    public_key: str
    url: str | None = None
    flows: Sequence[str] = ()
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class SavedPeer(Peer):
    """A peer as it is registered; `away`: instances that are there, `waiting`: those on their way."""

    changed_by: str = ""
    changed_at: datetime | None = None
    away: int = 0
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Move:
    """One move of an instance, sent or received.

    `state` of one that is sent: offered, released, done, refused, taken_back; of one that is received: held,
    released, arrived, refused, withdrawn. `problem`: why it was refused or not continued; `last_error`: why
    its message could not be sent. `to_send`: whether there is a message for the other installation.
    """

    id: str
    direction: str
    flow: str
    wid: int | None
    peer: str
    peer_id: str
    origin: str
    origin_wid: int
    counter: int
    state: str
    size: int
    actor: str
    reason: str
    begun_at: datetime
    expires_at: datetime
    settled_at: datetime | None
    sqlstate: str | None
    problem: str | None
    attempts: int
    next_at: datetime | None
    last_error: str | None
    expired: bool
    has_package: bool
    to_send: bool


@dataclass(frozen=True, slots=True)
class Stay:
    """Steps from `first` on were made at an installation; `here`: at this one."""

    first: int
    name: str
    here: bool


@dataclass(frozen=True, slots=True)
class Places:
    """Where an instance is and was; `away`: the installation that it was handed to, `move`: by which move."""

    away: str | None
    since: datetime | None
    counter: int
    move: str | None
    state: str | None
    stays: Sequence[Stay]

    def of_step(self, seq: int) -> Stay | None:
        """Return the stay in which a step was made."""
        return next((each for each in reversed(self.stays) if each.first <= seq), None)


@dataclass(frozen=True, slots=True)
class MoveProblems:
    """Counts of moves that need attention: expired offers, instances not continued, messages not sent."""

    expired: int
    not_continued: int
    not_sent: int


@dataclass(frozen=True, slots=True)
class DueMove:
    """A move whose message is due, and where it is sent."""

    id: str
    flow: str
    url: str


def identity(*, conn: Any = None) -> Identity | None:
    """Return this installation; None before it has an identity."""
    found = value(conn, "select wedsql.installation()", ())
    return Identity(**found) if found else None


def create_identity(name: str, *, replace: bool = False, conn: Any = None) -> Identity:
    """Give this installation a number and a pair of keys, unless it has them, and return it.

    Args:
        name: what its peers call it.
        replace: for a database that was copied from another installation, which becomes one of its own.
        conn: a connection; the site's by default.

    Raises MoveNotOpen to replace it while an instance is on its way, BadDefinition for a bad name.
    """
    public, private = new_keys()
    call = "select wedsql.keep_installation(%s, %s, %s, %s)"
    return Identity(**value(conn, call, (name, public, private, replace)))


def save_peer(peer: Peer, actor: str, *, conn: Any = None) -> SavedPeer:
    """Register another installation.

    Raises UnknownInstallation, BadDefinition, BadAlert for an address that may not be used.
    """
    if peer.url is not None:
        check_url(peer.url, allowed())
    given = {
        "id": peer.id,
        "name": peer.name,
        "public_key": peer.public_key,
        "url": peer.url,
        "flows": list(peer.flows),
        "enabled": peer.enabled,
    }
    return read_as(SavedPeer, value(conn, "select wedsql.save_peer(%s, %s)", (JSON(given), actor)))


def remove_peer(peer: str, actor: str, *, conn: Any = None) -> None:
    """Remove another installation, by number or name. Raises UnknownInstallation, MoveNotOpen."""
    value(conn, "select wedsql.remove_peer(%s, %s)", (peer, actor))


def peers(*, conn: Any = None) -> list[SavedPeer]:
    """Return the registered installations by name, at most 500."""
    return [read_as(SavedPeer, found) for (found,) in rows(conn, "select wedsql.peers()", ())]


def hand_over(
    wid: int, peer: str, reason: str, *, valid: timedelta = DAY, actor: str = "", conn: Any = None
) -> Move:
    """Hand an instance to another installation; it ceases to run here. Return the move.

    Args:
        wid: a running instance of which no worker and no person has a job.
        peer: the number or name of a registered installation.
        reason: why, for the history.
        valid: after which time the package is not accepted any more: 1 minute to 90 days.
        actor: who hands it over, for the history.
        conn: a connection; the site's by default.

    Raises:
        UnknownInstance, NotRunning, UnknownInstallation, NotMovable, NotYourJob for one that a worker or
        person holds, NeedsApproval, BadDefinition for a wrong time or no reason.
    """
    call = "select wedsql.hand_over(%s, %s, %s, %s, %s)"
    return move(str(value(conn, call, (wid, peer, reason, valid, actor))), conn=conn)


def take_back(move_id: str, reason: str, *, actor: str = "", conn: Any = None) -> Move:
    """Take an instance back whose receiver has not confirmed it. Raises UnknownMove, MoveNotOpen."""
    value(conn, "select wedsql.take_back(%s, %s, %s)", (move_id, reason, actor))
    return move(move_id, conn=conn)


def moves(
    *,
    direction: str | None = None,
    flows: Sequence[str] | None = None,
    states: Sequence[str] | None = None,
    wid: int | None = None,
    before: tuple[datetime, str] | None = None,
    limit: int = 50,
    conn: Any = None,
) -> list[Move]:
    """Return moves, the newest first, at most 501, before one (its time and number).

    `direction`: sent or received; `flows`, `states`: only of these; `wid`: only of this instance.
    """
    at, number = before or (None, None)
    given = (
        direction,
        None if flows is None else list(flows),
        None if states is None else list(states),
        wid,
        at,
        number,
        limit,
    )
    call = "select wedsql.moves(%s, %s::text[], %s::text[], %s::integer, %s::timestamptz, %s::uuid, %s)"
    return [read_as(Move, found) for (found,) in rows(conn, call, given)]


def move(move_id: str, *, conn: Any = None) -> Move:
    """Return one move. Raises UnknownMove."""
    return read_as(Move, value(conn, "select wedsql.one_move(%s)", (move_id,)))


def move_definition(move_id: str, *, conn: Any = None) -> dict[str, Any]:
    """Return the definition in the package of a move. Raises UnknownMove, MoveNotOpen."""
    return dict(value(conn, "select wedsql.move_definition(%s)", (move_id,)))


def places(wid: int, *, conn: Any = None) -> Places | None:
    """Return where an instance is and was; None for one that was never elsewhere."""
    found = value(conn, "select wedsql.places_of(%s)", (wid,))
    if not found:
        return None
    since = found["since"] and datetime.fromisoformat(found["since"])
    stays = [Stay(int(each["from"]), each["name"], bool(each["here"])) for each in found["stays"]]
    return Places(found["away"], since, found["counter"], found["move"], found["state"], stays)


def move_problems(flows: Sequence[str] | None = None, *, conn: Any = None) -> MoveProblems:
    """Return the counts of moves that need attention, of these flows or of all."""
    names = None if flows is None else list(flows)
    return MoveProblems(**value(conn, "select wedsql.move_problems(%s::text[])", (names,)))


def due_moves(*, conn: Any = None) -> list[DueMove]:
    """Return moves whose message is due, at most 20, and put each off, for the reaper."""
    return [DueMove(**found) for (found,) in rows(conn, "select wedsql.due_moves()", ())]


def not_sent(move_id: str, problem: str, *, conn: Any = None) -> None:
    """Note why the message of a move could not be sent; it is tried again."""
    value(conn, "select wedsql.move_not_sent(%s, %s)", (move_id, problem))
