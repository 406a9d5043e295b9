"""manage.py jobs [FLOW]: lists the jobs of the pool."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from flows.management.base import FlowCommand, get_flow, number
from flows.models import Job


class Command(FlowCommand):
    help = "Lists the pending, leased and parked jobs, the oldest first."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("flow", nargs="?", help="only this flow")
        parser.add_argument(
            "--limit", type=number(1), default=200, help="maximum number of jobs (default: 200)"
        )

    def run(self, **options: Any) -> None:
        found = Job.objects.select_related("flow").order_by("id")
        if options["flow"]:
            found = found.filter(flow=get_flow(options["flow"]))
        jobs = list(found[: options["limit"]])
        if options["json"]:
            self.write_json([_facts(job) for job in jobs])
            return
        headers = (
            "job",
            "flow",
            "instance",
            "transition",
            "state",
            "attempts",
            "fired",
            "holder",
            "last error",
        )
        self.write_table(headers, [_row(job) for job in jobs], "No job is pending.")


def _row(job: Job) -> tuple[Any, ...]:
    state = Job.State(job.state).name.lower()
    return (
        *(job.id, job.flow.name, job.wid, job.transition, state, job.attempts, job.fired_at),
        *(job.holder, job.last_error),
    )


def _facts(job: Job) -> dict[str, Any]:
    names = ("id", "wid", "tgid", "transition", "state", "attempts", "priority", "holder")
    later = ("assigned_to", "fired_at", "not_before", "lease_until", "timeout", "last_error", "last_sqlstate")
    return {"flow": job.flow.name, **{name: getattr(job, name) for name in (*names, *later, "payload")}}
