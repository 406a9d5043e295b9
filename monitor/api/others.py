"""What a request has to say about others who have the case or tasks of an instance."""

from __future__ import annotations

from flows import api as kernel
from monitor.api import inputs
from monitor.api.caller import Caller
from monitor.api.problems import Problem


def check_others(wid: int, caller: Caller, given: inputs.OthersIn) -> None:
    """Raise Problem where others have the case or tasks of the instance, and the request does not say so."""
    claims = [
        one for one in kernel.cases.claims_of_others([wid], caller.name) if one.owner != given.claimed_by
    ]
    tasks = kernel.tasks.of_others([wid], caller.name)
    said = [f"{one.owner} has claimed the case of instance {wid}." for one in claims]
    needed = [f"“claimed_by” “{one.owner}”" for one in claims]
    if given.held != (count := sum(one.tasks for one in tasks)):
        named = ", ".join(one.owner for one in tasks)
        said.append(f"Other persons hold {count} tasks of instance {wid}{f': {named}' if named else ''}.")
        needed.append(f"“held” {count}")
    if said:
        hint = f"Send it again with {' and '.join(needed)}; who loses a claim or a task gets a message."
        raise Problem(409, " ".join(said), hint, code="WD516" if claims else "")
