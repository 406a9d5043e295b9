"""The verbs of manage.py cases that are about cases, and the rules of their queues."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from flows import api, json_text
from flows.capabilities.cases.api import CLAIM_MINUTES, CLOSED_STATES, OPEN_STATES, SEVERITIES, Case, CaseRule
from flows.capabilities.cases.reports import COUNTED_BY
from flows.errors import BadCase
from flows.management.base import FlowCommand, Usage
from flows.management.values import number

SELECTING = ("queue", "cause", "signature", "owner", "state", "severity")
SETTABLE = ("queue", "severity", "priority", "due", "reason_code")


class CaseVerbs(FlowCommand):
    """The verbs; the command mixes them in and calls the method of a verb."""

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--flow", help="only cases of this flow; the flow of the rules")
        parser.add_argument("--queue", help="only cases of this queue; with “set”: the new one")
        parser.add_argument("--cause", help="only cases of this cause, such as STUCK or ATTEMPTS")
        parser.add_argument(
            "--signature", help="only cases with this signature, or with one of these, separated by commas"
        )
        parser.add_argument("--owner", help="only cases that this user has claimed or put aside")
        parser.add_argument(
            "--state", choices=(*OPEN_STATES, *CLOSED_STATES), help="only cases in this state"
        )
        parser.add_argument("--closed", action="store_true", help="closed cases, newest first")
        parser.add_argument("--after", type=int, help="continue after this case")
        parser.add_argument("--limit", type=int, default=50, help="of cases or groups (default: 50)")
        parser.add_argument(
            "--minutes", type=number(0), default=CLAIM_MINUTES, help=f"of a claim (default: {CLAIM_MINUTES})"
        )
        parser.add_argument("--take-over", default="", help="reason for ending the claim of another user")
        parser.add_argument("--until", help="time until which the case waits, such as 2026-12-24T09:00")
        parser.add_argument("--condition", default="", help="SQL predicate until which the case waits")
        parser.add_argument(
            "--severity", choices=SEVERITIES, help="only cases of it; with “set”: the new one"
        )
        parser.add_argument("--priority", type=int, help="with “set”: from 0 to 100")
        parser.add_argument("--due", help="with “set”: time at which the case is due, or “none”")
        parser.add_argument("--reason-code", help="with “set”: a short code of your own")
        parser.add_argument(
            "--by", choices=COUNTED_BY, default="cause", help="with “report”: what cases are counted by"
        )
        parser.add_argument(
            "--days",
            type=number(1, 366),
            default=30,
            help="with “report”: of the last so many days (default: 30, to 366)",
        )
        parser.add_argument("--file", type=Path, help="JSON file with the new rules or policies of --flow")
        super().arguments(parser)

    def time(self, text: str) -> datetime:
        return _time(text)

    def _flows(self, options: dict[str, Any]) -> list[str] | None:
        return [options["flow"]] if options["flow"] else None

    def _list(self, options: dict[str, Any]) -> None:
        where = {name: options[name] for name in SELECTING if options[name] is not None}
        closed = options["closed"] or options["state"] in CLOSED_STATES
        found = api.cases.list(
            self._flows(options), where, closed=closed, after=options["after"], limit=options["limit"]
        )
        if options["json"]:
            return self.write_json([_plain(each) for each in found])
        headers = ("case", "flow", "instance", "state", "owner", "cause", "transition", "queue", "severity",
                   "priority", "due", "opened", "signature")  # fmt: skip
        rows = [
            (each.number, each.flow, each.wid, each.state, each.owner, each.cause, each.transition,
             each.queue, each.severity, each.priority, each.due_at, each.opened_at, each.signature)
            for each in found
        ]  # fmt: skip
        self.write_table(headers, rows, "There are no such cases.")

    def _groups(self, options: dict[str, Any]) -> None:
        found = api.cases.groups(self._flows(options), options["limit"])
        names = ("flow", "cause", "signature", "transition", "open", "last_day", "oldest_at", "newest")
        if options["json"]:
            return self.write_json([{name: getattr(each, name) for name in names} for each in found])
        headers = ("flow", "cause", "signature", "transition", "open", "last day", "oldest", "newest case")
        rows = [[getattr(each, name) for name in names] for each in found]
        self.write_table(headers, rows, "There are no open cases.")

    def _next(self, options: dict[str, Any]) -> None:
        found = api.cases.next(
            options["queue"], options["actor"], options["minutes"], flows=self._flows(options)
        )
        if found is None:
            return self.write_json(None) if options["json"] else self.stdout.write("No case is waiting.")
        self._write(found, options)

    def _rules(self, options: dict[str, Any]) -> None:
        if options["file"]:
            found = api.cases.save_rules(options["flow"], _rules_in(options["file"]), options["actor"])
        else:
            found = api.cases.list_rules(options["flow"])
        names = ("queue", "condition", "severity", "priority", "due_after", "missing")
        rows = [[getattr(each, name) for name in names] for each in found]
        if options["json"]:
            return self.write_json([dict(zip(names, each, strict=True)) for each in rows])
        headers = ("queue", "condition", "severity", "priority", "due after seconds", "missing attributes")
        self.write_table(headers, rows, "The flow has no rules for cases.")

    def _show(self, options: dict[str, Any]) -> None:
        self._write(api.cases.read(options["number"], self._flows(options)), options)

    def _report(self, options: dict[str, Any]) -> None:
        until = timezone.now()
        since = until - timedelta(days=options["days"])
        found = api.cases.report(options["by"], since, until, self._flows(options), limit=options["limit"])
        if options["json"]:
            return self.write_json([asdict(each) for each in found])
        headers = (options["by"], "cases", "open", "repaired", "reopened", "median seconds", "p90 seconds")
        rows = [
            (each.value, each.cases, each.open, each.repaired, each.reopened, _rounded(each.median_seconds),
             _rounded(each.p90_seconds))
            for each in found
        ]  # fmt: skip
        self.write_table(headers, rows, "No such case was opened.")

    def _claim(self, options: dict[str, Any]) -> None:
        self._write(
            api.cases.claim(
                options["number"], options["actor"], options["minutes"], take_over=options["take_over"]
            ),
            options,
        )

    def _release(self, options: dict[str, Any]) -> None:
        self._write(api.cases.release(options["number"], options["actor"]), options)

    def _comment(self, options: dict[str, Any]) -> None:
        api.cases.comment(options["number"], options["actor"], options["text"])
        self._show(options)

    def _wait(self, options: dict[str, Any]) -> None:
        if not options["until"] and not options["condition"]:
            raise Usage("“wait” needs --until or --condition.")
        until = _time(options["until"]) if options["until"] else None
        given = (options["number"], until, options["actor"], options["text"])
        self._write(api.cases.wait(*given, condition=options["condition"]), options)

    def _set(self, options: dict[str, Any]) -> None:
        changes = {name: options[name] for name in SETTABLE if options[name] is not None}
        if not changes:
            raise Usage("“set” needs --queue, --severity, --priority, --due or --reason-code.")
        if "due" in changes:
            due = changes.pop("due")
            changes["due_at"] = None if due == "none" else _time(due)
        self._write(api.cases.change(options["number"], changes, options["actor"]), options)

    def _write(self, case: Case, options: dict[str, Any]) -> None:
        if options["json"]:
            return self.write_json(_plain(case))
        self.write_table(
            ("case", str(case.number)),
            [(name.replace("_", " "), shown) for name, shown in _fields(case).items()
             if name not in ("number", "history") and shown not in (None, "")],
            "",
        )  # fmt: skip
        if case.history:
            self.stdout.write("")
            entries = [(each.at, each.actor, each.kind, each.text or each.detail) for each in case.history]
            self.write_table(("at", "by", "what", "text"), entries, "")


def _fields(case: Case) -> dict[str, Any]:
    return {name: getattr(case, name) for name in Case.__dataclass_fields__}


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 1)


def _plain(case: Case) -> dict[str, Any]:
    return _fields(case) | {"history": [vars(each) for each in case.history]}


def _time(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise Usage(f"“{text}” is not a time such as 2026-12-24T09:00.") from None
    return timezone.make_aware(found) if timezone.is_naive(found) else found


def _rules_in(path: Path) -> list[CaseRule]:
    try:
        return [CaseRule(**each) for each in json_text.decode(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError) as error:
        raise BadCase(
            f"The rules cannot be read: {error}.", hint="See docs/cases.md for an example."
        ) from error
