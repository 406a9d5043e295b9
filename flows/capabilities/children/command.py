"""manage.py children WID: lists the children of an instance, by the job that started them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.errors import UnknownInstance
from flows.management.base import FlowCommand
from flows.management.values import number
from flows.models import Instance, Status


class Command(FlowCommand):
    help = "Lists the jobs of an instance that start children, and the children of one of them."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("wid", type=number(0), help="number of the instance")
        parser.add_argument("--job", type=number(1), help="children of this job (default: the newest)")
        parser.add_argument("--after", type=number(0), default=0, metavar="N", help="children after number N")
        parser.add_argument(
            "--limit",
            type=number(1, 500),
            default=50,
            help="list so many children (default: 50, at most 500)",
        )

    def run(self, **options: Any) -> None:
        wid = options["wid"]
        if not Instance.objects.filter(wid=wid).exists():
            raise UnknownInstance(f"There is no instance {wid}.")
        jobs = api.children.jobs(wid)
        found = api.children.list(wid, options["job"], after=options["after"], limit=options["limit"])
        if options["json"]:
            listed = {"jobs": [asdict(job) for job in jobs], "children": [asdict(child) for child in found]}
            return self.write_json({"wid": wid} | listed)
        self.write_table(
            ["job", "transition", "flow", "children", "started", "final", "failed", "pending"],
            [
                [
                    j.job_id,
                    j.transition,
                    j.flow,
                    j.total,
                    j.started,
                    j.done,
                    j.failed,
                    "yes" if j.open else "no",
                ]
                for j in jobs
            ],
            "No job of the instance starts children.",
        )
        if jobs:
            self.stdout.write("")
            self.write_table(
                ["number", "instance", "flow", "status", "key", "started", "ended"],
                [
                    [
                        c.number,
                        c.wid,
                        c.flow,
                        Status(c.status).name.lower(),
                        c.key,
                        c.started_at,
                        c.finished_at,
                    ]
                    for c in found
                ],
                "There are no such children.",
            )
