"""manage.py operate OPERATION WID | --filter TEXT: operates on one instance, or on those of a filter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, get_args

from django.core.management.base import CommandParser

from flows import api
from flows.capabilities.bulk import queries as bulk
from flows.capabilities.bulk.api import BulkRequest
from flows.capabilities.recovery.api import OperatingName
from flows.filters import parse
from flows.management.base import FlowCommand, Usage
from flows.management.values import span
from flows.queries.definitions import flow_by_name

OF_FILTER = ("flow", "transition", "expect", "digest", "dry_run")
# An instance is handed over by "moves send", which names where it goes.
CHOICES = tuple(name for name in get_args(OperatingName) if name != "hand_over")


class Command(FlowCommand):
    any_flow = True
    help = (
        "Suspends, resumes, cancels or matches an instance again; retries, releases, withdraws, prioritizes,"
        " extends or reassigns a job. With --filter, requests the operation on many instances, which the"
        " reaper performs."
    )
    records_actor = True
    tries: ClassVar[Mapping[str, str]] = {"dry_run": "filter flow to transition reason"}

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("operation", choices=CHOICES)
        parser.add_argument("wid", type=int, nargs="?", help="number of the instance")
        parser.add_argument("--job", type=int, help="number of the job, as `trace WID` and the pages show it")
        parser.add_argument("--to", help="the new priority, or the worker (empty: all workers)")
        parser.add_argument("--by", type=span, help="seconds by which “extend” prolongs the time limit")
        parser.add_argument("--reason", help="kept in the history")
        parser.add_argument("--filter", help="operate on the instances of this filter")
        parser.add_argument("--flow", help="with --filter: those of this flow")
        parser.add_argument("--transition", default="", help="with --filter: only jobs of this transition")
        parser.add_argument("--expect", type=int, help="with --filter: reject another number of instances")
        parser.add_argument("--digest", help="with --filter: reject other instances than --dry-run printed")
        parser.add_argument("--dry-run", action="store_true", help="with --filter: only count the instances")

    def run(self, **options: Any) -> None:
        name, one = options["operation"], options["wid"] is not None
        if one == (options["filter"] is not None):
            raise Usage("Give the number of an instance, or --filter.")
        if not options["reason"] and not options["dry_run"]:
            raise Usage("--reason is required; the history keeps it.")
        options["to"] = _destination(name, options["to"])
        if (options["by"] is None) != (name != "extend"):
            raise Usage("--by is the time in seconds, for “extend” only.")
        if one:
            self._one(name, options["wid"], options["job"], options)
        else:
            self._many(name, options)

    def _one(self, name: str, wid: int, job: int | None, options: dict[str, Any]) -> None:
        reason, actor = options["reason"], options["actor"]
        if any(options[each] for each in OF_FILTER):
            raise Usage("--flow, --transition, --expect, --digest and --dry-run need --filter.")
        if (job is not None) != api.operations.table()[name].of_job:
            raise Usage(f"“{name}” is about {'an instance' if job is not None else 'a job: give --job'}.")
        api.repairs.repair(wid, name, self._arguments(name, job, options), reason, actor=actor)
        if options["json"]:
            self.write_json({"wid": wid, "job": job, "operation": name})
        else:
            self.stdout.write(f"Instance {wid}: {name} done." if job is None else f"Job {job}: {name} done.")

    def _arguments(self, name: str, job: int | None, options: dict[str, Any]) -> dict[str, Any]:
        given = {"job": job, "seconds": options["by"], "worker": options["to"], "priority": options["to"]}
        return {kind: given[kind] for kind in api.operations.table()[name].arguments}

    def _many(self, name: str, options: dict[str, Any]) -> None:
        if api.operations.table()[name].many is None or options["job"] is not None:
            raise Usage(f"With --filter use one of: {', '.join(of_many())}; it is not about a single job.")
        flow = flow_by_name(options["flow"]) if options["flow"] else None
        if options["flow"] and flow is None:
            raise Usage(
                f"There is no flow {options['flow']}. “manage.py flow list” lists those that there are."
            )
        chosen = parse(options["filter"], flow)
        found = bulk.selected(bulk.over(chosen, None))
        if options["dry_run"]:
            applies = len(bulk.applicable(name).among(found, options["transition"]))
            self._preview(name, found, applies, options["json"])
            return
        query = " ".join(filter(None, [f"flow:{flow.name}" if flow else "", chosen.text()]))
        to = {"assignee" if name == "reassign" else "priority": options["to"]}
        request = BulkRequest(name, options["reason"], transition=options["transition"], query=query, **to)
        expected = len(found.wids) if options["expect"] is None else options["expect"]
        confirmed: dict[str, Any] = {"expected": expected, "digest": options["digest"]}
        made = api.bulk.request(request, found.wids, **confirmed, actor=options["actor"])
        if options["json"]:
            self.write_json({"bulk": made.id, "operation": name, "total": made.total})
        else:
            text = f"Bulk operation {made.id}: {name} of {made.total} instances is requested."
            self.stdout.write(f"{text} “manage.py bulk {made.id}” shows its progress.")

    def _preview(self, name: str, found: bulk.Chosen, applies: int, json: bool) -> None:
        if json:
            groups = [
                {"flow": g.flow, "status": g.status, "count": g.count, "sample": g.wids} for g in found.groups
            ]
            total = {"total": len(found.wids), "applies": applies}
            self.write_json(total | {"digest": found.digest, "groups": groups})
            return
        lines = [[g.flow, g.status, g.count, list(g.wids[:5])] for g in found.groups]
        self.write_table(["flow", "status", "instances", "newest"], lines, "No instance matches.")
        if found.wids:
            self.stdout.write(f"“{name}” applies to {applies} of {len(found.wids)} instances.")
            self.stdout.write(f"--expect {len(found.wids)} --digest {found.digest} confirms these instances.")


def of_many() -> list[str]:
    """Return the operations that this command performs on many instances."""
    return [name for name, one in api.operations.table().items() if name in CHOICES and one.many is not None]


def _destination(name: str, to: str | None) -> Any:
    """Return the new priority, or the worker of “reassign”. Raises Usage."""
    if (to is None) != (name not in ("priority", "reassign")):
        raise Usage("--to is the new priority for “priority”, or the worker for “reassign”; no other has it.")
    if to is None or name == "reassign":
        return to
    try:
        return int(to)
    except ValueError:
        raise Usage("A priority is a whole number.") from None
