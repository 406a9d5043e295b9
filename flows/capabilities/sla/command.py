"""manage.py sla list|add|remove|calendars|calendar|remove_calendar: SLAs of flows and their calendars."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.capabilities.sla import working_hours
from flows.capabilities.sla.api import Calendar, Sla
from flows.errors import UnknownSla
from flows.management.base import FlowCommand, Usage

NUMBERED = ("remove", "remove_calendar")


class Command(FlowCommand):
    help = "Lists, adds and removes SLAs of flows and the calendars of their working time."
    records_actor = True
    reads = {
        "list": "flow",
        "add": "flow name time start stop pause calendar",
        "remove": "",
        "calendars": "flow",
        "calendar": "flow name zone hours holiday",
        "remove_calendar": "",
    }

    def arguments(self, parser: CommandParser) -> None:
        verbs = ("list", "add", "remove", "calendars", "calendar", "remove_calendar")
        parser.add_argument("verb", choices=verbs)
        parser.add_argument("number", type=int, nargs="?", help="of the SLA or calendar to remove")
        parser.add_argument("--flow", help="the flow of a new SLA or calendar, or of those to list")
        parser.add_argument("--name", help="of a new SLA, or of a calendar to save")
        parser.add_argument("--time", help="the time of a new SLA, such as 4h, 1h30m or 2d")
        parser.add_argument("--start", default="", help="SQL predicate (default: the instance starts)")
        parser.add_argument("--stop", default="", help="SQL predicate (default: the instance ends)")
        parser.add_argument("--pause", default="", help="SQL predicate (default: never)")
        parser.add_argument(
            "--calendar", default="", help="name of a calendar (default: all the time counts)"
        )
        parser.add_argument("--zone", default="UTC", help="time zone of a calendar, such as Europe/Berlin")
        parser.add_argument(
            "--hours", action="append", default=[], help="as in '1-5 09:00-12:30, 13:30-18:00'; 1 is Monday"
        )
        parser.add_argument("--holiday", action="append", default=[], help="as in '2026-12-25 Christmas'")

    def run(self, **options: Any) -> None:
        verb, number = options["verb"], options["number"]
        if (number is not None) != (verb in NUMBERED):
            raise Usage(f"“{verb}” {'needs a number' if number is None else 'takes no number'}.")
        if verb in ("add", "calendar") and not (options["flow"] and options["name"]):
            raise Usage(f"“{verb}” needs --flow and --name.")
        getattr(self, f"_{verb}")(options)

    def _list(self, options: dict[str, Any]) -> None:
        found = api.sla.list([options["flow"]] if options["flow"] else None)
        if options["json"]:
            self.write_json([vars(each) for each in found])
            return
        headers = ("SLA", "flow", "name", "time", "calendar", "start", "stop", "pause", "computed")
        rows = [
            (each.id, each.flow, each.name, working_hours.compact(each.duration), each.calendar or "-",
             each.start_when, each.stop_when, each.pause_when,
             each.error or ("off" if not each.enabled else f"{each.computed:.0%}"))
            for each in found
        ]  # fmt: skip
        self.write_table(headers, rows, "There are no SLAs.")

    def _add(self, options: dict[str, Any]) -> None:
        try:
            duration = working_hours.seconds(options["time"] or "")
        except ValueError:
            raise Usage("“add” needs --time, such as 4h or 1h30m.") from None
        sla = Sla(
            options["name"], duration, options["start"], options["stop"], options["pause"],
            options["calendar"],
        )  # fmt: skip
        saved = api.sla.save(options["flow"], sla, options["actor"])
        self._done("sla", saved.id, "saved", options)

    def _remove(self, options: dict[str, Any]) -> None:
        for each in api.sla.list():
            if each.id == options["number"]:
                api.sla.delete(each.flow, each.id, options["actor"])
                return self._done("sla", each.id, "removed", options)
        raise UnknownSla(f"There is no SLA {options['number']}.", hint="List them by: sla list.")

    def _calendars(self, options: dict[str, Any]) -> None:
        found = api.sla.list_calendars([options["flow"]] if options["flow"] else None)
        if options["json"]:
            self.write_json([vars(each) for each in found])
            return
        headers = ("calendar", "flow", "name", "zone", "hours", "holidays", "SLAs")
        rows = [
            (each.id, each.flow, each.name, each.zone, _hours(each), len(each.holidays),
             ", ".join(each.used_by))
            for each in found
        ]  # fmt: skip
        self.write_table(headers, rows, "There are no calendars.")

    def _calendar(self, options: dict[str, Any]) -> None:
        try:
            hours = working_hours.week(options["hours"])
            holidays = working_hours.holidays(options["holiday"])
        except ValueError as wrong:
            raise Usage(f"“{wrong}” cannot be read. See the help of --hours and --holiday.") from None
        saved = {each.name: each.id for each in api.sla.list_calendars([options["flow"]])}
        calendar = Calendar(options["name"], options["zone"], hours, holidays)
        found = api.sla.save_calendar(options["flow"], calendar, options["actor"], saved.get(options["name"]))
        self._done("calendar", found.id, "saved", options)

    def _remove_calendar(self, options: dict[str, Any]) -> None:
        for each in api.sla.list_calendars():
            if each.id == options["number"]:
                api.sla.delete_calendar(each.flow, each.id, options["actor"])
                return self._done("calendar", each.id, "removed", options)
        raise UnknownSla(f"There is no calendar {options['number']}.", hint="List them by: sla calendars.")

    def _done(self, what: str, number: int, done: str, options: dict[str, Any]) -> None:
        if options["json"]:
            self.write_json({what: number, "done": done})
        else:
            self.stdout.write(f"{'SLA' if what == 'sla' else 'Calendar'} {number} is {done}.")


def _hours(calendar: Calendar) -> str:
    return "; ".join(f"{day} {working_hours.shown(each)}" for day, each in sorted(calendar.hours.items()))
