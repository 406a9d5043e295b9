"""What an operator may do to an instance or one of its jobs on the page of an operation."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from flows import api
from flows.capabilities.approvals.api import Proposal
from flows.capabilities.reasons.api import InstanceReasons
from flows.queries.jobs import OpenJob
from monitor.operation_words import WORDS, Text, Words

Detail = float | str | None
# Those that this page offers; to cancel and to match again have pages of their own.
OPERATIONS: dict[str, Words] = {name: one for name, one in WORDS.items() if one.done}
STAYS: Text = _("Its condition no longer holds: the instance stays as it is, unless nothing else is pending.")
EXCEPTION: Text = _("Its condition still holds: the instance becomes an exception, for people to repair.")


def consequence(job: OpenJob, found: InstanceReasons) -> Text:
    """Return the consequence of withdrawing a job, by the kernel's own evaluation of its condition."""
    holds = any(rule.id == job.tgid and rule.holds for rule in found.rules)
    return EXCEPTION if holds and found.status == "R" else STAYS


def arguments(name: str, job: int | None, detail: Detail = None) -> dict[str, Any]:
    """Return the arguments of an operation: its job, and what else it takes (`detail`)."""
    kinds = api.operations.table()[name].arguments
    found: dict[str, Any] = {"job": job} if "job" in kinds and job is not None else {}
    return found | {kind: detail for kind in kinds if kind != "job"}


def perform(name: str, wid: int, job: int | None, detail: Detail, reason: str, actor: str) -> None:
    """Perform an operation; `detail`: new priority, seconds of more time, or worker. Raises WedError."""
    api.repairs.repair(wid, name, arguments(name, job, detail), reason, actor=actor)


def propose(name: str, wid: int, job: int | None, detail: Detail, reason: str, actor: str) -> Proposal:
    """Propose an operation that needs approvals, with what `perform` takes. Raises WedError."""
    return api.approvals.propose(wid, name, arguments(name, job, detail), reason, actor=actor)
