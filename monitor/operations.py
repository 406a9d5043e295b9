"""What an operator may do to an instance or one of its jobs: titles, effects, calls of the kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from flows import api
from flows.capabilities.approvals.api import Proposal
from flows.capabilities.reasons.api import InstanceReasons
from flows.queries.jobs import OpenJob

Text = str | Promise
Detail = float | str | None


@dataclass(frozen=True)
class Operation:
    """One operation; `of_job`: it is about one job. `effect` says what will happen."""

    title: Text
    button: Text
    effect: Text
    call: Callable[..., None]
    of_job: bool = True
    done: Text = ""


OPERATIONS: dict[str, Operation] = {
    "suspend": Operation(
        _("Suspend"),
        _("Suspend the instance"),
        _(
            "No job of it is offered, what workers have taken is given back, and results of jobs that run now"
            " are rejected. Timers,"
            " back-off and deadlines stop until it is resumed."
        ),
        api.suspend,
        False,
        _("The instance is suspended."),
    ),
    "resume": Operation(
        _("Resume"),
        _("Resume the instance"),
        _(
            "Its jobs are offered again, and timers, back-off and deadlines go on with the time that"
            " was left."
        ),
        api.resume,
        False,
        _("The instance is resumed."),
    ),
    "retry": Operation(
        _("Retry now"),
        _("Retry the job now"),
        _(
            "The job is offered at once and has all its attempts again. If no other job has failed, the"
            " instance runs again."
        ),
        api.retry_job,
        done=_("The job is offered."),
    ),
    "release": Operation(
        _("Release"),
        _("Release the job"),
        _("The lease ends: other workers may take the job, and the result of its holder will be rejected."),
        api.release_job,
        done=_("The job is released."),
    ),
    "withdraw": Operation(
        _("Withdraw"),
        _("Withdraw the job"),
        _("The job is removed and will not be performed."),
        api.withdraw_job,
        done=_("The job is withdrawn."),
    ),
    "priority": Operation(
        _("Priority"),
        _("Change the priority"),
        _("Among the ready jobs of a transition, those with the highest priority are taken first."),
        api.prioritize_job,
        done=_("The priority is changed."),
    ),
    "extend": Operation(
        _("More time"),
        _("Prolong the time limit"),
        _(
            "The time limit of this job grows, also while a worker performs it; a lease lasts longer by the"
            " same time."
        ),
        api.extend_job,
        done=_("The time limit is prolonged."),
    ),
    "reassign": Operation(
        _("Assign"),
        _("Assign the job"),
        _(
            "From now on only the workers of this name take the job, also when it is tried again. An empty"
            " name gives it back to all workers."
        ),
        api.reassign_job,
        done=_("The job is assigned."),
    ),
}
# The argument of an operation, besides its job, for a proposal.
ARGUMENT = {"extend": "seconds", "reassign": "worker"}
STAYS: Text = _("Its condition no longer holds: the instance stays as it is, unless nothing else is pending.")
EXCEPTION: Text = _("Its condition still holds: the instance becomes an exception, for people to repair.")


def consequence(job: OpenJob, found: InstanceReasons) -> Text:
    """Return what follows from withdrawing a job, by the kernel's own evaluation of its condition."""
    holds = any(rule.id == job.tgid and rule.holds for rule in found.rules)
    return EXCEPTION if holds and found.status == "R" else STAYS


def perform(name: str, wid: int, job: int | None, detail: Detail, reason: str, actor: str) -> None:
    """Perform an operation; `detail`: new priority, seconds of more time, or worker. Raises WedError."""
    operation = OPERATIONS[name]
    given: list[Any] = [wid, job] if operation.of_job else [wid]
    if name in ("priority", "extend", "reassign"):
        given.append(detail)
    operation.call(*given, reason, actor=actor)


def propose(name: str, wid: int, job: int | None, detail: Detail, reason: str, actor: str) -> Proposal:
    """Propose an operation that needs approvals, with what `perform` takes. Raises WedError."""
    arguments: dict[str, Any] = {"job": job} if OPERATIONS[name].of_job else {}
    if name in ARGUMENT:
        arguments[ARGUMENT[name]] = detail
    return api.propose_repair(wid, name, arguments, reason, actor=actor)
