"""The verbs of manage.py cases that are about approvals: rules, proposals, decisions, delegations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandParser

from flows import api, json_text
from flows.capabilities.approvals.api import RULES as CHANGED_RULES
from flows.capabilities.approvals.api import ApprovalRule, Proposal
from flows.capabilities.approvals.approvers import (
    approve,
    checked_groups,
    lacking,
    lacking_sentence,
    may_override_as,
    too_few,
)
from flows.errors import BadProposal, NotApprover
from flows.management.base import FlowCommand, Usage

NUMBERED = ("approve", "reject", "withdraw", "end-delegation")
OTHERS = ("proposals", "approvals", "delegate", "delegations")
NEEDING_FLOW = ("approvals", "delegate")
RULE = ("title", "operations", "attributes", "condition", "bulk_above", "approvals", "approvers", "missing")
DELEGATION = ("id", "flow", "from_person", "to_person", "begins_at", "ends_at")


class ApprovalVerbs(FlowCommand):
    """The verbs; the command mixes them in and calls the method of a verb."""

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--to", help="with “delegate”: who approves repairs for --actor until --until")
        parser.add_argument("--begin", help="with “delegate”: from this time (default: now)")
        parser.add_argument(
            "--propose", metavar="REASON", help="with “approvals” and --file: propose rules that are weaker"
        )
        parser.add_argument(
            "--administrator",
            action="store_true",
            help="with “approve”: alone, a change of rules that too few other persons may approve",
        )

    def _proposals(self, options: dict[str, Any]) -> None:
        flows = [options["flow"]] if options["flow"] else None
        found = api.approvals.list(
            flows, closed=options["closed"], after=options["after"], limit=options["limit"]
        )
        if options["json"]:
            return self.write_json([plain(each) for each in found])
        for each in found:
            if text := lacking_sentence(each):
                self.stderr.write(f"Proposal {each.number}: {text}")
        headers = (
            "proposal",
            "flow",
            "instance",
            "operation",
            "state",
            "approvals",
            "by",
            "expires",
            "reason",
        )
        rows = [
            (each.number, each.flow, each.wid or _many(each), each.operation, each.state,
             _count(each), each.maker, each.expires_at, each.reason)
            for each in found
        ]  # fmt: skip
        self.write_table(headers, rows, "There are no such proposals.")

    def _approvals(self, options: dict[str, Any]) -> None:
        if options["propose"] is not None:
            if not options["file"]:
                raise Usage("“approvals” with --propose needs --file.")
            rules = rules_in(options["file"])
            made = api.approvals.propose_rules(
                options["flow"], rules, options["propose"], actor=options["actor"]
            )
            return self._write_decision(made, options)
        if options["file"]:
            rules = rules_in(options["file"])
            found = api.approvals.save_rules(options["flow"], rules, options["actor"])
        else:
            found = api.approvals.list_rules(options["flow"])
        rows = [[getattr(each, name) for name in RULE] for each in found]
        for number, each in enumerate(found, 1):
            if text := too_few(options["flow"], each.approvals, each.approvers):
                self.stderr.write(f"Rule {number}: {text}")
        if options["json"]:
            return self.write_json([dict(zip(RULE, each, strict=True)) for each in rows])
        headers = [name.replace("_", " ") for name in RULE]
        return self.write_table(headers, rows, "No repair of this flow needs an approval.")

    def _approve(self, options: dict[str, Any]) -> None:
        number, actor = options["number"], options["actor"]
        if options["administrator"]:
            return self._write_decision(approved_alone(number, actor, options["text"]), options)
        groups = checked_groups(actor, api.approvals.read(number).flow)
        return self._write_decision(approve(number, actor, groups, options["text"]), options)

    def _reject(self, options: dict[str, Any]) -> None:
        number, actor = options["number"], options["actor"]
        groups = checked_groups(actor, api.approvals.read(number).flow)
        self._write_decision(api.approvals.reject(number, actor, options["text"], groups), options)

    def _withdraw(self, options: dict[str, Any]) -> None:
        self._write_decision(api.approvals.withdraw(options["number"], options["actor"]), options)

    def _delegate(self, options: dict[str, Any]) -> None:
        if not options["to"] or not options["until"]:
            raise Usage("“delegate” needs --to and --until.")
        until, begin = self.time(options["until"]), options["begin"] and self.time(options["begin"])
        actor = options["actor"]
        made = api.approvals.delegate(
            options["flow"], actor, options["to"], until, begin=begin or None, actor=actor
        )
        self._write_delegations([made], options)

    def _delegations(self, options: dict[str, Any]) -> None:
        flows = [options["flow"]] if options["flow"] else None
        self._write_delegations(api.approvals.list_delegations(flows), options)

    def _end_delegation(self, options: dict[str, Any]) -> None:
        self._write_delegations(
            [api.approvals.end_delegation(options["number"], actor=options["actor"])], options
        )

    def _write_delegations(self, found: list[Any], options: dict[str, Any]) -> None:
        rows = [[getattr(each, name) for name in DELEGATION] for each in found]
        if options["json"]:
            return self.write_json([dict(zip(DELEGATION, each, strict=True)) for each in rows])
        self.write_table([name.replace("_", " ") for name in DELEGATION], rows, "Nothing is delegated.")

    def _write_decision(self, found: Proposal, options: dict[str, Any]) -> None:
        if options["json"]:
            return self.write_json(plain(found))
        self.stdout.write(report(found))

    if TYPE_CHECKING:

        def time(self, text: str) -> Any: ...  # the command's: the time that a user typed


def approved_alone(number: int, actor: str, reason: str) -> Proposal:
    """Approve a change of rules as an administrator.

    Raises NotApprover for another user, and where enough other persons may approve it.
    """
    if not may_override_as(actor, api.approvals.read(number)):
        raise NotApprover(
            f"{actor} cannot approve proposal {number} alone.",
            hint="Only a superuser does, a change of rules that too few other persons may approve.",
        )
    return api.approvals.approve_as_administrator(number, actor, reason)


def report(found: Proposal) -> str:
    """Return a line about a proposal, with a sentence if users are lacking who could approve it."""
    about = f"instance {found.wid}" if found.wid else _many(found)
    text = f"Proposal {found.number}: {found.operation} of {about} is {found.state}"
    if found.state in ("proposed", "approved"):
        text += f", {_count(found)} approvals, until {found.expires_at:%Y-%m-%d %H:%M}"
    return f"{text}: {found.failure}" if found.failure else f"{text}. {lacking_sentence(found)}".rstrip()


def plain(found: Proposal) -> dict[str, Any]:
    """Return a proposal for JSON; `lacking` is how many approvals no user can give."""
    fields = {name: getattr(found, name) for name in Proposal.__dataclass_fields__}
    failure = found.failure and {"code": found.failure.code, "message": found.failure.message}
    votes = [vars(each) for each in found.votes]
    return fields | {"votes": votes, "failure": failure, "lacking": lacking(found)}


def rules_in(path: Path) -> list[ApprovalRule]:
    """Return the rules of a JSON file. Raises BadProposal."""
    try:
        return [ApprovalRule(**each) for each in json_text.decode(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError) as error:
        raise BadProposal(
            f"The rules cannot be read: {error}.", hint="See docs/approvals.md for an example."
        ) from error


def _many(found: Proposal) -> str:
    return f"flow {found.flow}" if found.operation == CHANGED_RULES else f"{found.total} instances"


def _count(found: Proposal) -> str:
    approved = sum(vote.kind == "approved" for vote in found.votes)
    return f"{approved} of {found.needed}"
