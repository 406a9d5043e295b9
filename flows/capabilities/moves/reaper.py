"""Sends the messages of moves that are due to installations with an address, and reads their answers."""

from __future__ import annotations

import logging
import time

from django.db import DatabaseError, connection

from flows import api
from flows.capabilities.alerts.receivers import NotTaken, allowed, post
from flows.capabilities.moves.api import DueMove
from flows.error_text import summarize
from flows.errors import WedError

log = logging.getLogger("workers.alerts")

ADDRESS = "/api/v1/moves"
SENDER = "X-WEDSQL-Installation"
BUDGET = 10.0
LIMIT = 60.0
MOST_ANSWER = 65_536


def beside_rounds(budget: float = BUDGET) -> int:
    """Send what is due, for `budget` seconds; return how many messages were sent."""
    until, sent = time.monotonic() + budget, 0
    while time.monotonic() < until and (due := api.moves.due()):
        for each in due:
            sent += _exchanged(each)
    return sent


def _exchanged(move: DueMove) -> bool:
    """Send the message of a move and read the answer; what fails is due again later, and stops no other."""
    try:
        return _sent(move)
    except (NotTaken, WedError) as error:
        problem = " ".join(str(error).split())
    except DatabaseError as error:
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
        problem = summarize(error)
    log.warning("the message of a move was not sent: %s", problem, extra={"flow": move.flow})
    api.moves.not_sent(move.id, problem)
    return False


def _sent(move: DueMove) -> bool:
    """Send the message of a move, if one is due, and read the answer. Raises NotTaken, WedError."""
    message, own = api.moves.message(move.id), api.moves.identity()
    if message is None or own is None:
        return False
    headers = {"Content-Type": "application/json", "User-Agent": "WED-SQL", SENDER: own.id}
    url = move.url.rstrip("/") + ADDRESS
    answer = post(url, message, headers, allowed(), limit=LIMIT, most=MOST_ANSWER)
    api.moves.receive(answer)
    return True
