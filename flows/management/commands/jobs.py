"""manage.py jobs [FLOW]: lists the jobs of the pool."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.db.models import OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from flows.management.base import FlowCommand, get_flow
from flows.management.values import number
from flows.models import Job, TraceEntry, Trigger


class Command(FlowCommand):
    help = "Lists the pending, leased and parked jobs, the oldest first."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("flow", nargs="?", help="only this flow")
        parser.add_argument("--role", default="", help="only jobs that this role performs")
        parser.add_argument(
            "--limit", type=number(1), default=200, help="maximum number of jobs (default: 200)"
        )

    def run(self, **options: Any) -> None:
        found = _with_roles().select_related("flow").order_by("id")
        if options["flow"]:
            found = found.filter(flow=get_flow(options["flow"]))
        if options["role"]:
            found = found.filter(role=options["role"])
        jobs = list(found[: options["limit"]])
        if options["json"]:
            self.write_json([_facts(job) for job in jobs])
            return
        headers = (
            "job",
            "flow",
            "instance",
            "transition",
            "role",
            "state",
            "attempts",
            "fired",
            "holder",
            "last error",
        )
        self.write_table(headers, [_row(job) for job in jobs], "No job is pending.")


def _with_roles() -> QuerySet[Any]:
    """Return the jobs with the state and the role of the trigger that fired each; a compensation has no role.

    A large state is only in the history, in the step that fired the job.
    """
    fired_by = Trigger.objects.filter(tgid=OuterRef("tgid"), transition=OuterRef("transition"))
    step = TraceEntry.objects.filter(wid=OuterRef("wid"), seq=OuterRef("cause_seq"))
    return Job.objects.annotate(
        role=Coalesce(Subquery(fired_by.values("role")), Value("")),
        fired_state=Coalesce("payload", Subquery(step.values("state")[:1])),
    )


def _row(job: Any) -> tuple[Any, ...]:
    state = Job.State(job.state).name.lower()
    return (
        *(job.id, job.flow.name, job.wid, job.transition, job.role, state, job.attempts, job.fired_at),
        *(job.holder, job.last_error),
    )


def _facts(job: Any) -> dict[str, Any]:
    names = ("id", "wid", "tgid", "transition", "role", "state", "attempts", "priority", "holder")
    later = ("assigned_to", "fired_at", "not_before", "lease_until", "timeout", "last_error", "last_sqlstate")
    facts = {name: getattr(job, name) for name in (*names, *later)}
    return {"flow": job.flow.name, **facts, "payload": job.fired_state}
