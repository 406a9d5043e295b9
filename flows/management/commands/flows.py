"""manage.py flow list: lists the flows of this database with their instances by status."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Count

from flows.management.base import FlowCommand
from flows.models import Attribute, Flow, Instance, Job, Status, Trigger

HEADERS = ("flow", "version", "attributes", "triggers", "running", "exception", "final", "other", "jobs")
SHOWN = {Status.RUNNING: "running", Status.EXCEPTION: "exception", Status.FINAL: "final"}


class Command(FlowCommand):
    help = "Lists the flows with the number of their attributes, triggers, instances and jobs."

    def run(self, **options: Any) -> None:
        rows = list(_rows())
        if options["json"]:
            self.write_json(rows)
        else:
            self.write_table(
                HEADERS,
                [[row[header] for header in HEADERS] for row in rows],
                "There is no flow yet. Create one with: manage.py flow create NAME",
            )


def _rows() -> Iterator[dict[str, Any]]:
    jobs = dict(Job.objects.order_by().values_list("flow_id").annotate(n=Count("*")))
    standing = Instance.objects.order_by().values_list("flow_id", "status").annotate(n=Count("*"))
    counts: dict[int, dict[str, int]] = {}
    for flow_id, status, n in standing:
        found = counts.setdefault(flow_id, {"running": 0, "exception": 0, "final": 0, "other": 0})
        found[SHOWN.get(status, "other")] += n
    # Two joins in one query would multiply attributes by triggers.
    attributes, triggers = (
        dict(part.objects.order_by().values_list("flow_id").annotate(n=Count("*")))
        for part in (Attribute, Trigger)
    )
    for flow in Flow.objects.all():
        yield {
            "flow": flow.name,
            "version": flow.version,
            "attributes": attributes.get(flow.pk, 0),
            "triggers": triggers.get(flow.pk, 0),
            **counts.get(flow.pk, {"running": 0, "exception": 0, "final": 0, "other": 0}),
            "jobs": jobs.get(flow.pk, 0),
        }
