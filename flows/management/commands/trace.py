"""manage.py trace WID: prints the history of one instance."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from flows.errors import UnknownInstance
from flows.management.base import FlowCommand
from flows.models import Instance, Status, TraceEntry

FIELDS = (
    *(
        "seq",
        "at",
        "written_by",
        "status",
        "fired",
        "state",
        "before",
        "job_id",
        "cause_seq",
        "actor",
        "reason",
    ),
    *("version", "errors"),
)


class Command(FlowCommand):
    help = "Shows what happened to an instance, step by step."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("wid", type=int, help="number of the instance")

    def run(self, **options: Any) -> None:
        wid = options["wid"]
        instance = (
            Instance.objects.filter(wid=wid).select_related("flow").first() if 0 <= wid < 2**31 else None
        )
        if instance is None:
            raise UnknownInstance(f"There is no instance {wid}.")
        steps = list(TraceEntry.objects.filter(wid=wid).order_by("seq"))
        status = Status(instance.status)
        if options["json"]:
            history = [{field: getattr(step, field) for field in FIELDS} for step in steps]
            self.write_json(
                {"wid": wid, "flow": instance.flow.name, "status": status.value, "trace": history}
            )
            return
        self.stdout.write(f"Instance {wid} of flow {instance.flow.name}: {status.name.lower()}")
        headers = ("step", "at", "written by", "status", "fired", "changed", "actor", "reason")
        self.write_table(headers, [_row(step) for step in steps], "It has no history.")


def _row(step: TraceEntry) -> tuple[Any, ...]:
    names = sorted(step.state if step.before is None else step.before)
    changed = ", ".join(f"{name}={step.state.get(name)}" for name in names)
    reason = step.reason or ""
    return step.seq, step.at, step.written_by, step.status, step.fired, changed, step.actor, reason
