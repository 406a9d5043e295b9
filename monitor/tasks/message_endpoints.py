"""Endpoints of messages, of what is chosen for an instance, and of deadlines."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Schema
from pydantic import Field

from flows import api as kernel
from flows.capabilities.tasks.deadlines import ChosenSettings, Message
from flows.capabilities.tasks.people import is_person
from flows.capabilities.tasks.rights import task_or_404
from monitor.api import inputs
from monitor.api.problems import Problem
from monitor.api.routing import READ_SHOWN, call_of, number_of, router
from monitor.tasks.endpoints import PERFORM
from monitor.tasks.schemas import (
    KIND,
    LateTaskOut,
    MessagesOut,
    ReadOut,
    TaskDeadlineOut,
    TaskSettingsOut,
)
from monitor.tasks.sentences import sentence

KindName = Literal["start", "end", "failure", "deadline", "overtaken"]


class ListedMessages(Schema):
    """Which messages: of a kind, or those that are not read."""

    kind: KindName | None = None
    unread: Literal["true", "false"] = "false"
    cursor: Annotated[str, Field(max_length=18, pattern=r"^[0-9]*$")] = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 50


@router.get("/messages", response=MessagesOut, auth=PERFORM, summary="Messages of the caller")
def messages(request: HttpRequest, given: Query[ListedMessages]) -> Any:
    """Return the messages of the caller about instances and tasks, the last first."""
    person, before = call_of(request).caller.name, int(given.cursor) if given.cursor else None
    kind = next((code for code, name in KIND.items() if name == given.kind), None)
    found = kernel.persons.messages(person, before, given.limit + 1, kind, given.unread == "true")
    following = str(found[given.limit - 1].id) if len(found) > given.limit else None
    shown = [_message(one) for one in found[: given.limit] if _is_in_scope(request, one.flow)]
    return {"items": shown, "next": following, "unread": kernel.persons.unread_messages(person)}


@router.post("/messages/read", response=ReadOut, auth=PERFORM, summary="Mark messages as read")
def read_messages(request: HttpRequest, given: inputs.ReadMessagesIn) -> Any:
    """Mark messages of the caller as read."""
    return {
        "read": kernel.persons.mark_messages_read(call_of(request).caller.name, given.messages, given.until)
    }


@router.get(
    "/instances/{int:wid}/task-settings",
    response=TaskSettingsOut,
    auth=READ_SHOWN,
    summary="Responsible person and deadlines",
)
def task_settings(request: HttpRequest, wid: int) -> Any:
    """Return the settings for the tasks of an instance."""
    return vars(_settings(wid))


@router.put(
    "/instances/{int:wid}/task-settings",
    response=TaskSettingsOut,
    auth=PERFORM,
    summary="Change responsible person and deadlines",
)
def change_task_settings(request: HttpRequest, wid: int, given: inputs.TaskSettingsIn) -> Any:
    """Change what is chosen for an instance: who operates the flow, or the person responsible."""
    caller, flow = call_of(request).caller, call_of(request).flow
    changed = given.model_dump(exclude_unset=True)
    if changed.get("responsible") and not is_person(changed["responsible"]):
        raise Problem(404, "There is no such user who may log in.", "Give the name of a user.")
    operates = flow is not None and caller.may("operate", flow.name)
    return vars(kernel.persons.set_settings(wid, changed, caller.name, operates))


@router.post("/tasks/{int:task}/deadline", response=TaskDeadlineOut, auth=PERFORM, summary="Set a deadline")
def set_task_deadline(request: HttpRequest, task: int, given: inputs.TaskDeadlineIn) -> Any:
    """Give a task another deadline: who operates its flow, or the person responsible for its instance."""
    caller = call_of(request).caller
    sheet, _flow = task_or_404(caller.user, number_of(task))
    if not _is_in_scope(request, sheet.flow):
        raise Problem(404)
    until = given.until if given.until.tzinfo else timezone.make_aware(given.until)
    kernel.tasks.extend_deadline(task, caller.name, until, caller.may("operate", sheet.flow))
    return {"task": task, "due_at": kernel.tasks.read(task, caller.name).due_at}


@router.post("/tasks/{int:task}/late", response=LateTaskOut, auth=PERFORM, summary="Hand over a late result")
def keep_late_task(request: HttpRequest, task: int, given: inputs.LateTaskIn) -> Any:
    """Keep the result of a task that went from the caller to the person responsible, for people to decide."""
    caller = call_of(request).caller
    sheet, _flow = task_or_404(caller.user, number_of(task))
    if not _is_in_scope(request, sheet.flow):
        raise Problem(404)
    return {"late": kernel.tasks.keep_late(task, caller.name, given.data, given.outcome)}


def _settings(wid: int) -> ChosenSettings:
    found = kernel.persons.settings(wid)
    if found is None:
        raise Problem(404)
    return found


def _is_in_scope(request: HttpRequest, flow: str) -> bool:
    """Return whether the token of the caller, if there is one, is for this flow."""
    token = call_of(request).caller.token
    return token is None or not token.flows or flow in token.flows


def _message(found: Message) -> dict[str, Any]:
    """Return a message as endpoints return it: its text is in the language of the request."""
    return {
        "number": found.id,
        "kind": KIND[found.kind],
        "at": found.at,
        "flow": found.flow,
        "instance": found.wid or None,
        "task": found.job_id,
        "text": sentence(found),
        "facts": found.facts,
        "read_at": found.read_at,
    }
