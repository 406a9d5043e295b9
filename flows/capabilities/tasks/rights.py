"""Which tasks a user may see, and what the user may do with one."""

from __future__ import annotations

from django.http import Http404

from flows import access, api
from flows.access import AnyUser, may_operate, may_see, shown_to, task_keys
from flows.capabilities.tasks.api import TaskSheet
from flows.errors import UnknownTask
from flows.queries.definitions import FlowInfo, flow_by_name

# What who operates the flow does with the tasks of others.
SUPERVISED = frozenset({"release", "give"})
# What the person responsible decides, and what the earlier holder of a task that was transferred still sends.
DECIDED = frozenset({"extend", "deadline"})
LATE = frozenset({"complete", "late"})
_KEYS = "_task_audiences"


def task_or_404(user: AnyUser, task: int) -> tuple[TaskSheet, FlowInfo]:
    """Return a task that the user may see, with the attributes of its flow that the user may see.

    That is one that the user holds or ended, one that is open to the user, one that the user is responsible
    for or lost to who is, and each of a flow that the user sees. Raises Http404.
    """
    person = user.get_username()
    if task >= 2**63:
        raise Http404
    try:
        sheet = api.tasks.read(task, person)
    except UnknownTask as error:
        raise Http404 from error
    flow = flow_by_name(sheet.flow)
    if flow is None or not (
        is_theirs(user, sheet)
        or may_see(user, sheet.flow)
        or is_responsible(user, sheet)
        or api.tasks.lost(task, person)
    ):
        raise Http404
    return sheet, shown_to(user, flow, sheet.wid)


def claim_of(text: str) -> int | None:
    """Return the claim that a form or a program sends; None without one, 0 for a text that is none."""
    if not text:
        return None
    found = int(text) if text.isascii() and text.isdigit() and len(text) <= 19 else 0
    return found if found < 2**63 else 0


def is_theirs(user: AnyUser, sheet: TaskSheet) -> bool:
    """Return whether the user holds or ended the task, or belongs to those for whom it is."""
    return user.get_username() in (sheet.owner, sheet.ended_by) or sheet.audience in _keys(user)


def _keys(user: AnyUser) -> frozenset[str]:
    """Return the audiences of a user, read once for the user of a request."""
    found: frozenset[str] | None = getattr(user, _KEYS, None)
    if found is None:
        found = frozenset([*task_keys(user), *api.persons.keys(user.get_username())])
        setattr(user, _KEYS, found)
    return found


def is_responsible(user: AnyUser, sheet: TaskSheet) -> bool:
    """Return whether the user is the person responsible for the instance of the task."""
    return access.is_responsible(user, sheet.wid)


def may_do(user: AnyUser, sheet: TaskSheet, verb: str, operates: bool | None = None) -> bool:
    """Return whether the user may do this with the task; the kernel checks the rest.

    `operates`: whether the user operates the flow, where a token grants less than the user may.
    """
    if is_theirs(user, sheet) or (verb in SUPERVISED and is_forced(user, sheet, operates)):
        return True
    if verb in DECIDED:
        return _operates(user, sheet, operates) or is_responsible(user, sheet)
    return verb in LATE and api.tasks.lost(sheet.job_id, user.get_username())


def is_forced(user: AnyUser, sheet: TaskSheet, operates: bool | None = None) -> bool:
    """Return whether the user acts as a supervisor: who operates the flow, on the task of another person."""
    return sheet.owner != user.get_username() and _operates(user, sheet, operates)


def _operates(user: AnyUser, sheet: TaskSheet, operates: bool | None) -> bool:
    return may_operate(user, sheet.flow) if operates is None else operates
