"""Repairs of many instances: manage.py repair --where FILTER OPERATION [name=value ...]."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, get_args

from django.core.management.base import CommandParser

from flows import api
from flows.capabilities.bulk import queries as bulk
from flows.capabilities.bulk.api import BulkPreview, BulkRequest, ManyRepair
from flows.capabilities.bulk.queries import Chosen
from flows.filters import parse
from flows.management.base import FlowCommand, Usage
from flows.models import Status
from flows.queries.definitions import FlowInfo, flow_by_name

OPTIONS = ("flow", "transition", "digest", "all_or_nothing")
PREVIEWED = 10


def add_arguments(parser: CommandParser) -> None:
    """Add the options that only --where has."""
    parser.add_argument("--flow", help="with --where: those of this flow")
    parser.add_argument(
        "--transition", default="", help="with --where: whose job complete and skip are about"
    )
    parser.add_argument("--digest", help="with --where: reject other instances than --dry-run printed")
    parser.add_argument(
        "--all-or-nothing", action="store_true", help="with --where: repair none if one cannot be repaired"
    )


def is_given(options: Mapping[str, Any]) -> bool:
    """Return whether one of the options that need --where is there."""
    return any(options[each] for each in OPTIONS)


def run(
    command: FlowCommand,
    operation: str,
    values: Iterable[tuple[str, Any]],
    options: dict[str, Any],
    report: Callable[[int], str],
) -> None:
    """Request the repair, or with --dry-run show what it would be about. Raises WedError, Usage.

    `report` returns a line about a proposal by its number.
    """
    if operation not in get_args(ManyRepair):
        raise Usage(f"With --where use one of: {', '.join(get_args(ManyRepair))}.")
    flow = flow_by_name(options["flow"]) if options["flow"] else None
    if options["flow"] and flow is None:
        known = "“manage.py flow list” lists those that there are."
        raise Usage(f"There is no flow {options['flow']}. {known}")
    chosen = parse(options["where"], flow)
    found = bulk.selected(bulk.over(chosen, None))
    request = _request(operation, _arguments(operation, dict(values)), flow, chosen.text(), options)
    if options["dry_run"]:
        _preview(command, request, found, options)
        return
    expected = len(found.wids) if options["expect"] is None else options["expect"]
    confirmed: dict[str, Any] = {"expected": expected, "digest": options["digest"] or found.digest_at}
    made = api.bulk.request(request, found.wids, **confirmed, actor=options["actor"])
    if options["json"]:
        result = {"bulk": made.id, "operation": operation, "total": made.total, "proposal": made.proposal}
        command.write_json(result)
        return
    text = f"Bulk operation {made.id}: {operation} of {made.total} instances is requested."
    if made.proposal:
        return command.stdout.write(report(made.proposal))
    command.stdout.write(f"{text} “manage.py bulk {made.id}” shows its progress.")


def _request(
    operation: str, arguments: dict[str, Any], flow: FlowInfo | None, query: str, options: dict[str, Any]
) -> BulkRequest:
    return BulkRequest(
        operation,
        options["reason"],
        transition=options["transition"],
        query=" ".join(filter(None, [f"flow:{flow.name}" if flow else "", query])),
        arguments=arguments,
        atomic=options["all_or_nothing"],
        propose=options["propose"],
    )


def _arguments(operation: str, given: dict[str, Any]) -> dict[str, Any]:
    if "changes" in (api.operations.table()[operation].many or ()):
        return {"changes": given}
    if isinstance(given.get("steps"), str):
        try:
            given["steps"] = int(given["steps"])
        except ValueError as error:
            raise Usage("The number of steps is a whole number.") from error
    return given


def _preview(command: FlowCommand, request: BulkRequest, found: Chosen, options: dict[str, Any]) -> None:
    """Show how many instances there are, and what would become of the first ones."""
    given: dict[str, Any] = {"actor": options["actor"], "total": len(found.wids)}
    first = api.bulk.preview(request, found.wids[:PREVIEWED], **given)
    applies = len(bulk.applicable(request.operation).among(found, request.transition))
    if options["json"]:
        previews = [{"wid": row.wid, "outcome": outcome(row)} for row in first]
        total = {"total": len(found.wids), "applies": applies}
        command.write_json(total | {"digest": found.digest_at, "first": previews})
        return
    command.write_table(
        ["instance", "outcome"], [[row.wid, outcome(row)] for row in first], "No instance matches."
    )
    if found.wids:
        command.stdout.write(f"“{request.operation}” applies to {applies} of {len(found.wids)} instances.")
        command.stdout.write(
            f"--expect {len(found.wids)} --digest {found.digest_at} confirms these instances at these steps."
        )


def outcome(row: BulkPreview) -> str:
    """Return the status that an instance would get, in a few words."""
    if row.refusal is not None or row.preview is None:
        return f"refused: {row.refusal}"
    after = row.preview
    names = [Status(each).name.lower() for each in (after.status_before, after.status_after)]
    fired = ", ".join(each.transition for each in after.fires)
    text = " -> ".join(names) + (f", fires {fired}" if fired else "")
    return f"{text}, needs approvals" if after.approvals.needed else text
