"""manage.py repair WID | --where FILTER, OPERATION [name=value ...] --reason TEXT [--dry-run]: repairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, ClassVar

from django.core.management.base import CommandParser

from flows import api
from flows.capabilities.approvals.verbs import plain, report
from flows.capabilities.bulk import repairs
from flows.capabilities.recovery.api import RepairPreview
from flows.management.base import FlowCommand, Usage, cell, name_and_value
from flows.models import Status, Trigger

KINDS = {"job": int, "seq": int, "whole": int, "seconds": float, "text": str}


def _proposed(number: int) -> str:
    return report(api.approvals.read(number))


class Command(FlowCommand):
    any_flow = True
    help = (
        "Repairs an instance: gives an exception new values (patch), records or skips a job (complete, skip),"
        " retries, accepts, branches and more; --dry-run shows what an operation would do. With --where"
        " instead of the number, requests it for many instances, which the reaper repairs."
    )
    records_actor = True
    tries: ClassVar[Mapping[str, str]] = {"dry_run": "where flow transition reason"}

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "words",
            nargs="+",
            metavar="WID OPERATION name=value",
            help="number of the instance (not with --where); an operation such as patch, complete, skip;"
            " arguments of it, such as job=120, or an attribute with its new value, a text that the database"
            " reads as the attribute's type; name:=json for JSON or null",
        )
        parser.add_argument("--reason", default="", help="kept in the history")
        parser.add_argument("--dry-run", action="store_true", help="only show what the operation would do")
        parser.add_argument(
            "--propose", action="store_true", help="propose a repair that other persons have to approve"
        )
        parser.add_argument(
            "--expect",
            type=int,
            help="refuse if the instance is at another step; with --where, another number of instances",
        )
        parser.add_argument(
            "--where",
            help="repair the instances of this filter: patch, complete, skip, accept, rollback (steps=NUMBER"
            " from the last one) or abort",
        )
        repairs.add_arguments(parser)

    def run(self, **options: Any) -> None:
        if not options["reason"] and not options["dry_run"]:
            raise Usage("--reason is required; the history keeps it.")
        if options["where"] is not None:
            operation, *values = options["words"]
            return repairs.run(self, operation, map(name_and_value, values), options, _proposed)
        if repairs.is_given(options):
            raise Usage("--flow, --transition, --digest and --all-or-nothing need --where.")
        if not options["words"][0].isdigit() or len(options["words"]) < 2:
            raise Usage("Give the number of an instance and an operation, or --where and an operation.")
        wid, operation, *values = options["words"]
        self._one(int(wid), operation, arguments(operation, values), options)

    def _one(self, wid: int, operation: str, given: dict[str, Any], options: dict[str, Any]) -> None:
        if options["dry_run"]:
            shown = api.repairs.preview(wid, operation, given, options["reason"], actor=options["actor"])
            if shown.refusal is not None:
                raise shown.refusal
            self._show(shown, options["json"])
            return
        expected = {"actor": options["actor"], "expected_seq": options["expect"]}
        if options["propose"]:
            made = api.approvals.propose(wid, operation, given, options["reason"], **expected)
            return self.write_json(plain(made)) if options["json"] else self.stdout.write(report(made))
        done = api.repairs.repair(wid, operation, given, options["reason"], **expected)
        if options["json"]:
            self.write_json(asdict(done))
            return
        self.stdout.write(
            f"Instance {wid}: {operation} done; it is {Status(done.status).name.lower()}, step {done.seq}."
        )
        for name, value in done.facts.items():
            self.stdout.write(f"{name}: {cell(value)}")

    def _show(self, shown: RepairPreview, json: bool) -> None:
        if json:
            self.write_json({name: value for name, value in asdict(shown).items() if name != "refusal"})
            return
        self.stdout.write(f"Instance {shown.wid}, step {shown.seq}: {shown.operation} would do this.")
        lines = [
            ["status", *(Status(each).name.lower() for each in (shown.status_before, shown.status_after))]
        ]
        lines += [[name, shown.before[name], value] for name, value in sorted(shown.after.items())]
        self.write_table(["", "before", "after"], lines, "")
        named = names([*shown.became_true, *shown.became_false])
        for text, found in (
            ("fires", [each.transition for each in shown.fires]),
            ("withdrawn", [f"{job.transition} (job {job.id})" for job in shown.withdrawn]),
            ("holds now", [named[each] for each in shown.became_true]),
            ("no longer holds", [named[each] for each in shown.became_false]),
            *((name, [cell(value)]) for name, value in shown.facts.items() if name != "instance"),
        ):
            if found:
                self.stdout.write(f"{text}: {', '.join(found)}")
        if shown.approvals.needed:
            self.stdout.write(f"needs approvals: {shown.approvals.needed} ({shown.approvals.title or '-'})")
        self.stdout.write(f"--expect {shown.seq} confirms this step.")


def arguments(operation: str, texts: list[str]) -> dict[str, Any]:
    """Return the arguments of an operation: names that it has not are attributes of its changes."""
    kinds = {name: kind.rstrip("?") for name, kind in api.operations.of_repair().get(operation, {}).items()}
    found: dict[str, Any] = {}
    changes: dict[str, Any] = {}
    for name, value in map(name_and_value, texts):
        if name not in kinds and "changes" in kinds:
            changes[name] = value
        elif isinstance(value, str) and kinds.get(name) in KINDS:
            try:
                found[name] = KINDS[kinds[name]](value)
            except ValueError as error:
                raise Usage(f"“{value[:80]}” is not a value of “{name}”.") from error
        else:
            found[name] = value
    return found | ({"changes": changes} if changes else {})


def names(tgids: list[int]) -> dict[int, str]:
    """Return the names of triggers by number."""
    found = Trigger.objects.filter(tgid__in=tgids)
    return {each.tgid: each.name or each.transition or "final" for each in found}
