"""Who may undo a repair: whoever may do the operation that it was."""

from __future__ import annotations

from flows import api
from flows.access import Action, right_for


def right_to_repair(operation: str, wid: int) -> Action:
    """Return what a user must be allowed to do this operation on an instance."""
    last = api.last_repair(wid) if operation == "undo" else None
    return right_for(operation, last.operation if last else "")
