"""manage.py devices list|results|withdraw|lost|activate|skip: the devices that perform tasks offline."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.capabilities.offline.api import Device, OfflineResult
from flows.management.base import FlowCommand, Usage
from flows.management.values import number

VERBS = ("list", "results", "withdraw", "lost", "activate", "skip")
STATE = {"A": "active", "W": "withdrawn", "L": "lost"}
RESULT = {
    "W": "waiting", "A": "accepted", "L": "late", "R": "refused", "X": "discarded", "S": "skipped",
}  # fmt: skip


class Command(FlowCommand):
    help = "Lists devices and their results; withdraws a device, reports it lost, goes on without a result."
    reads = {
        "list": "person limit",
        "results": "limit",
        "withdraw": "actor",
        "lost": "actor",
        "activate": "actor",
        "skip": "actor reason",
    }

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("verb", choices=VERBS)
        parser.add_argument("device", type=number(1, 2**63 - 1), nargs="?", help="its number, as in the list")
        parser.add_argument("--person", help="list the devices of this user only")
        parser.add_argument("--limit", type=number(1, 500), default=50, help="list so many (default: 50)")
        parser.add_argument("--actor", default="administrator", help="who does it")
        parser.add_argument("--reason", default="", help="why the missing results are not waited for")

    def run(self, **options: Any) -> None:
        verb, device = options["verb"], options["device"]
        if (device is None) != (verb == "list"):
            raise Usage(
                f"“{verb}” {'needs the number of a device' if device is None else 'takes no number'}."
            )
        getattr(self, f"_{verb}")(device, options)

    def _list(self, _device: None, options: dict[str, Any]) -> None:
        found = api.offline.devices(options["person"], limit=options["limit"])
        if options["json"]:
            return self.write_json([vars(each) for each in found])
        headers = ("device", "person", "state", "seen", "tasks", "unsent", "waiting", "waits for", "free MB")
        self.write_table(headers, map(_device_row, found), "There are no such devices.")

    def _results(self, device: int, options: dict[str, Any]) -> None:
        found = api.offline.results(device, limit=options["limit"])
        if options["json"]:
            return self.write_json([vars(each) for each in found])
        headers = ("result", "task", "instance", "state", "made", "arrived", "problem")
        self.write_table(headers, map(_result_row, found), "The device has sent no results.")

    def _withdraw(self, device: int, options: dict[str, Any]) -> None:
        self._set(device, "W", options)

    def _lost(self, device: int, options: dict[str, Any]) -> None:
        self._set(device, "L", options)

    def _activate(self, device: int, options: dict[str, Any]) -> None:
        self._set(device, "A", options)

    def _set(self, device: int, state: str, options: dict[str, Any]) -> None:
        api.offline.set_device_state(device, state, options["actor"])
        self._done(device, STATE[state], options)

    def _skip(self, device: int, options: dict[str, Any]) -> None:
        missing = api.offline.skip_results(device, options["actor"], options["reason"])
        while api.offline.continue_offline(device) is not None:
            pass
        self._done(device, f"{missing} results are not waited for", options)

    def _done(self, device: int, done: str, options: dict[str, Any]) -> None:
        if options["json"]:
            self.write_json({"device": device, "done": done})
        else:
            self.stdout.write(f"Device {device}: {done}.")


def _device_row(one: Device) -> tuple[Any, ...]:
    free = None if one.free_bytes is None else one.free_bytes // 1_000_000
    return (one.id, one.person, STATE[one.state], one.seen_at, one.tasks, one.unsent, one.waiting,
            one.waits_for, free)  # fmt: skip


def _result_row(one: OfflineResult) -> tuple[Any, ...]:
    problem = (one.problem or {}).get("message") or (one.problem or {}).get("code")
    return (one.number, one.task, one.instance, RESULT[one.state], one.made_at, one.arrived_at, problem)
