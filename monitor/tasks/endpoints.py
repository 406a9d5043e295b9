"""Endpoints of tasks: the lists of the caller, and what is done with a task."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query
from pydantic import Field

from flows import api as kernel
from flows import json_text
from flows.access import task_keys
from flows.capabilities.tasks.api import HeldTask, Order, Task, TaskSheet
from flows.capabilities.tasks.people import check_people, is_person
from flows.capabilities.tasks.rights import claim_of, is_forced, may_do, task_or_404
from monitor.api import inputs
from monitor.api.caller import Call, Caller, Needs
from monitor.api.problems import Problem
from monitor.api.routing import OPERATE_SHOWN, READ_SHOWN, call_of, flow_of, number_of, router
from monitor.tasks import schemas
from pages.once import once_as

OFFERED = 100


class Performs(Needs):
    """The authentication of what a person does with tasks: a token needs the right to perform."""

    def __init__(self) -> None:
        super().__init__("see", masks=True)

    def __call__(self, request: HttpRequest) -> Call:
        found = super().__call__(request)
        token = found.caller.token
        if token is not None and "perform" not in token.rights:
            raise Problem(403, "The token may not perform tasks.", "Make one with the right “perform”.")
        given = request.resolver_match.kwargs if request.resolver_match else {}
        if "task" in given:
            self._check(request, found, int(given["task"]))
        return found

    @staticmethod
    def _check(request: HttpRequest, found: Call, task: int) -> None:
        """Check the right to the task of the address, before the body is parsed."""
        sheet, _flow = task_or_404(found.caller.user, number_of(task))
        if not _in_scope(found, sheet.flow):
            raise Problem(404)
        verb = request.path.rstrip("/").rpartition("/")[2]
        operates = found.caller.may("operate", sheet.flow)
        if request.method == "POST" and not may_do(found.caller.user, sheet, verb, operates):
            raise Problem(403, "You may see this task, but not perform it.")


PERFORM = Performs()


class Listed(schemas.Schema):
    list: Literal["open", "mine", "aside", "done"] = "open"
    order: Order = "arrival"
    flow: inputs.QueryText = ""
    cursor: Annotated[str, Field(max_length=18, pattern=r"^[0-9]*$")] = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class Paged(schemas.Schema):
    cursor: Annotated[str, Field(max_length=18, pattern=r"^[0-9]*$")] = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 50


@router.get("/tasks", response=schemas.TasksOut, auth=PERFORM, summary="Tasks of the caller")
def tasks(request: HttpRequest, given: Query[Listed]) -> Any:
    """Return a list of the caller: what is open to them, theirs, put aside by them, or done by them.

    Order and flow are those of the open tasks.
    """
    caller, after = call_of(request).caller, int(given.cursor) if given.cursor else None
    if given.list in ("mine", "aside"):
        return {"items": _rows(request, kernel.tasks.own(caller.name, given.list == "aside"))}
    if given.list == "done":
        found = kernel.tasks.done(caller.name, after, given.limit + 1)
    else:
        keys = task_keys(caller.user)
        flows = _flows(call_of(request), given.flow)
        found = kernel.tasks.open(caller.name, keys, given.order, after, given.limit + 1, flows)
    return _page(request, found, given.limit)


@router.post("/tasks/next", response=schemas.NextTaskOut, auth=PERFORM, summary="Take the next task")
def take_next_task(request: HttpRequest, given: inputs.NextTaskIn) -> Any:
    """Take the first open task in an order: of the flows of the token, if it is only for some."""
    with once_as(call_of(request).caller.user, given.request) as sent:
        if sent.again and not sent.answer:
            raise Problem(409, "This request is being answered.", "Send it again in some seconds.")
        if not sent.again:
            held = _taken(call_of(request), given)
            sent.answer = json_text.encode(_held(held), str) if held else ""
        return {"task": json_text.decode(sent.answer) if sent.answer else None}


def _taken(call: Call, given: inputs.NextTaskIn) -> HeldTask | None:
    """Take the first open task, and return it; None if there is none."""
    keys, flows = task_keys(call.caller.user), _flows(call, given.flow)

    def offered(after: int | None) -> list[int]:
        found = kernel.tasks.open(call.caller.name, keys, given.order, after, OFFERED, flows)
        return [one.job_id for one in found]

    return kernel.tasks.take_next(offered, call.caller.name, keys)


@router.get("/tasks/{int:task}", response=schemas.TaskSheetOut, auth=PERFORM, summary="One task")
def one_task(request: HttpRequest, task: int) -> Any:
    """Return a task with what is needed to perform it."""
    sheet, flow = task_or_404(call_of(request).caller.user, task)
    values = {name: each for name, each in sheet.state_of.items() if flow.shows(name)}
    names = ("description", "reads", "writes", "outcomes", "application", "claim")
    return row_of(sheet) | {name: getattr(sheet, name) for name in names} | {"values": values}


@router.post("/tasks/{int:task}/take", response=schemas.HeldTaskOut, auth=PERFORM, summary="Take a task")
def take_task(request: HttpRequest, task: int, given: inputs.TakeTaskIn) -> Any:
    """Take a task, or lock it for work without a connection; who has it already gets the same answer."""
    caller = call_of(request).caller
    return _held(kernel.tasks.take(task, caller.name, task_keys(caller.user), given.lock))


@router.post("/tasks/{int:task}/start", response=schemas.TaskOut, auth=PERFORM, summary="Begin a task")
def start_task(request: HttpRequest, task: int) -> Any:
    """Note that the caller has begun the task."""
    kernel.tasks.start(task, call_of(request).caller.name)
    return row_of(kernel.tasks.read(task, call_of(request).caller.name))


@router.post(
    "/tasks/{int:task}/complete", response=schemas.TaskDoneOut, auth=PERFORM, summary="Complete a task"
)
def complete_task(request: HttpRequest, task: int, given: inputs.CompleteTaskIn) -> Any:
    """Complete a task that the caller holds. Sent again it has the same answer."""
    claim = claim_of(given.claim or "")
    sheet = kernel.tasks.read(task, call_of(request).caller.name)
    check_people(sheet.form, given.data, sheet.state_of)
    return vars(kernel.tasks.complete(task, call_of(request).caller.name, given.data, given.outcome, claim))


@router.post(
    "/tasks/{int:task}/fail", response=schemas.TaskFailedOut, auth=PERFORM, summary="Report a failure"
)
def fail_task(request: HttpRequest, task: int, given: inputs.FailTaskIn) -> Any:
    """End a task that could not be done."""
    claim = claim_of(given.claim or "")
    return {"became": kernel.tasks.fail(task, call_of(request).caller.name, given.reason, claim)}


@router.post("/tasks/{int:task}/release", response=schemas.TaskOut, auth=PERFORM, summary="Give a task back")
def release_task(request: HttpRequest, task: int, given: inputs.ReleaseTaskIn) -> Any:
    """Give a task back to those who may take it; who operates the flow also one of another person."""
    sheet, _flow = task_or_404(call_of(request).caller.user, task)
    caller = call_of(request).caller
    kernel.tasks.release(task, caller.name, _is_forced(caller, sheet), owner=given.held_by)
    return row_of(kernel.tasks.read(task, call_of(request).caller.name))


@router.post(
    "/tasks/{int:task}/give", response=schemas.TaskOut, auth=PERFORM, summary="Give a task to a person"
)
def give_task(request: HttpRequest, task: int, given: inputs.GiveTaskIn) -> Any:
    """Give a task to another person; who operates the flow also one that they do not hold."""
    sheet, _flow = task_or_404(call_of(request).caller.user, task)
    if not is_person(given.to):
        raise Problem(404, "There is no such user who may log in.", "Give the name of a user.")
    caller = call_of(request).caller
    forced, owner = _is_forced(caller, sheet), given.held_by
    kernel.tasks.give(task, caller.name, given.to, given.reason, forced, owner=owner)
    return row_of(kernel.tasks.read(task, call_of(request).caller.name))


@router.post("/tasks/{int:task}/aside", response=schemas.TaskOut, auth=PERFORM, summary="Put a task aside")
def put_task_aside(request: HttpRequest, task: int, given: inputs.AsideTaskIn) -> Any:
    """Hide a task from the list of what is to be done until a time; null shows it again."""
    until = given.until
    if until is not None and not until.tzinfo:
        until = timezone.make_aware(until)
    kernel.tasks.put_aside(task, call_of(request).caller.name, until)
    return row_of(kernel.tasks.read(task, call_of(request).caller.name))


@router.get(
    "/flows/{slug:name}/tasks", response=schemas.TasksOut, auth=READ_SHOWN, summary="Open tasks of a flow"
)
def flow_tasks(request: HttpRequest, name: str, given: Query[Paged]) -> Any:
    """Return the open tasks of a flow by their numbers, whoever may take them."""
    after = number_of(int(given.cursor)) if given.cursor else 0
    return _page(request, kernel.tasks.of_flow(flow_of(request).name, after, given.limit + 1), given.limit)


@router.get(
    "/flows/{slug:name}/tasks/load",
    response=schemas.TaskLoadsOut,
    auth=OPERATE_SHOWN,
    summary="Who holds how many tasks",
)
def task_load(request: HttpRequest, name: str) -> Any:
    """Return who holds how many tasks of a flow, and how many of these are late."""
    return {"items": [vars(each) for each in kernel.tasks.load(flow_of(request).name)]}


def _is_forced(caller: Caller, sheet: TaskSheet) -> bool:
    """Return whether the caller acts as a supervisor; a token needs the right to operate for it."""
    return is_forced(caller.user, sheet, caller.may("operate", sheet.flow))


def _in_scope(found: Call, flow: str) -> bool:
    """Return whether the token of the caller, if there is one, is for this flow."""
    token = found.caller.token
    return token is None or not token.flows or flow in token.flows


def _flows(found: Call, flow: str) -> list[str] | None:
    """Return the flows of which the caller gets tasks: the given one, or those of the token; None for all."""
    token = found.caller.token
    if flow:
        return [flow] if _in_scope(found, flow) else []
    return list(token.flows) if token is not None and token.flows else None


def _rows(request: HttpRequest, found: list[Task]) -> list[dict[str, Any]]:
    return [row_of(each) for each in found if _in_scope(call_of(request), each.flow)]


def _page(request: HttpRequest, found: list[Task], limit: int) -> dict[str, Any]:
    following = str(found[limit - 1].job_id) if len(found) > limit else None
    return {"items": _rows(request, found[:limit]), "next": following}


def row_of(found: Task) -> dict[str, Any]:
    """Return a task as the endpoints return it."""
    kind, _colon, audience = found.audience.partition(":")
    if kind == "n":  # offered to some of a role
        kind, audience = "r", audience.partition(":")[2]
    names = ("flow", "transition", "label", "owner", "priority", "arrived_at", "due_at", "owned_at",
             "hidden_until", "given_by", "offline", "ended_at", "ended_by", "outcome")  # fmt: skip
    return {name: getattr(found, name) for name in names} | {
        "task": found.job_id,
        "instance": found.wid,
        "state": schemas.STATE[found.state],
        "role": audience if kind == "r" else None,
        "person": audience if kind == "p" else None,
    }


def _held(found: HeldTask) -> dict[str, Any]:
    """Return a task that was taken; its claim is a text, as numbers of JSON are not exact everywhere."""
    return {
        "task": found.job_id,
        "instance": found.wid,
        "flow": found.flow,
        "transition": found.transition,
        "state": schemas.STATE[found.state],
        "owner": found.owner,
        "claim": str(found.claim),
        "due_at": found.due_at,
    }
