"""manage.py tasks list|take|lock|start|complete|fail|release|give|aside: what people do with tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import CommandParser

from flows import api
from flows.access import task_keys
from flows.capabilities.tasks.api import ORDERS, Task
from flows.capabilities.tasks.errors import TaskTaken
from flows.capabilities.tasks.people import check_people, is_person
from flows.database_errors import translated
from flows.management.base import FlowCommand, Rejected, Usage, name_and_value
from flows.management.values import number, span
from flows.moments import later

LISTS = ("open", "mine", "aside", "done")
VERBS = ("list", "take", "lock", "start", "complete", "fail", "release", "give", "aside")


@contextmanager
def _from_holder(options: Mapping[str, Any]) -> Iterator[None]:
    """Name the option that a task needs which is taken from the person who has it."""
    try:
        with translated():
            yield
    except TaskTaken as error:
        if not options["force"]:
            raise
        said = f"{error.message} To take it from this person, add --held-by with the name."
        raise Rejected(said) from None  # a cause from the database would be said instead


class Command(FlowCommand):
    help = "Lists the tasks of a person or of a flow, and does with a task what the person does on its page."
    reads = {
        "list open": "person flow show order limit",
        "list mine": "person flow show order limit",
        "list aside": "person flow show limit",
        "list done": "person show limit",
        "list without --person": "person flow limit",
        "take": "person",
        "lock": "person",
        "start": "person",
        "complete": "person outcome",
        "fail": "person reason",
        "release": "person force held_by",
        "give": "person to reason force held_by",
        "aside": "person minutes",
    }

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("verb", choices=VERBS)
        parser.add_argument("task", type=number(1, 2**63 - 1), nargs="?", help="its number, as in the list")
        parser.add_argument(
            "words",
            nargs="*",
            metavar="name=value",
            help="the attributes that the task writes; name:=json for JSON or null",
        )
        parser.add_argument("--person", help="the user who acts, or whose tasks are listed")
        parser.add_argument("--flow", help="list all open tasks of this flow, or those of it that are open")
        parser.add_argument("--show", choices=LISTS, help="which list of --person (default: open)")
        parser.add_argument(
            "--order", choices=ORDERS, help="of those that are open or yours (default: arrival)"
        )
        parser.add_argument("--limit", type=number(1, 500), default=50, help="list so many (default: 50)")
        parser.add_argument("--outcome", help="how the task ended, if its rule has outcomes")
        parser.add_argument("--reason", default="", help="why it failed or is given")
        parser.add_argument("--to", default="", help="the user who gets the task")
        parser.add_argument("--minutes", type=span, help="how long to put it aside; 0: show it again")
        parser.add_argument("--force", action="store_true", help="also a task that another person holds")
        parser.add_argument("--held-by", default="", help="with --force: who holds it")

    def mode(self, options: Mapping[str, Any]) -> str:
        if options["verb"] != "list":
            return str(options["verb"])
        return f"list {options['show'] or 'open'}" if options["person"] else "list without --person"

    def run(self, **options: Any) -> None:
        verb, task = options["verb"], options["task"]
        if (task is None) != (verb == "list"):
            raise Usage(f"“{verb}” {'needs the number of a task' if task is None else 'takes no number'}.")
        if options["words"] and verb != "complete":
            raise Usage(f"“{verb}” reads no values.")
        if verb == "list":
            return self._list(options)
        if not options["person"]:
            raise Usage("Give --person, the user who acts.")
        _keys(options["person"])
        getattr(self, f"_{verb}")(task, options)

    def _list(self, options: dict[str, Any]) -> None:
        found = self._listed(options)
        if options["json"]:
            return self.write_json([vars(each) for each in found])
        headers = ("task", "instance", "flow", "transition", "state", "for", "owner", "priority", "due")
        self.write_table(headers, map(_row, found), "There are no such tasks.")

    def _listed(self, options: dict[str, Any]) -> list[Task]:
        person, flow, limit = options["person"], options["flow"], options["limit"]
        if not person:
            if not flow:
                raise Usage("Give --person or --flow.")
            return api.tasks.of_flow(flow, limit=limit)
        keys, show, order = _keys(person), options["show"] or "open", options["order"]
        if show == "open":
            return api.tasks.open(person, keys, order or "arrival", None, limit, flow)
        if show == "done":
            return api.tasks.done(person, limit=limit)
        own = api.tasks.own(person, show == "aside", order)
        return [one for one in own if not flow or one.flow == flow][:limit]

    def _take(self, task: int, options: dict[str, Any]) -> None:
        person = options["person"]
        self._done(task, f"taken by {person}", options, vars(api.tasks.take(task, person, _keys(person))))

    def _lock(self, task: int, options: dict[str, Any]) -> None:
        person = options["person"]
        held = api.tasks.take(task, person, _keys(person), lock=True)
        self._done(task, f"locked by {person}", options, vars(held))

    def _start(self, task: int, options: dict[str, Any]) -> None:
        person = options["person"]
        api.tasks.start(task, person)
        self._done(task, "begun", options)

    def _complete(self, task: int, options: dict[str, Any]) -> None:
        person = options["person"]
        data = dict(name_and_value(word) for word in options["words"])
        sheet = api.tasks.read(task, person)
        check_people(sheet.form, data, sheet.state_of)
        done = api.tasks.complete(task, person, data, options["outcome"])
        fired = f", fired: {', '.join(done.fired)}" if done.fired else ""
        said = "had been completed before" if done.repeated else f"completed, step {done.seq}{fired}"
        self._done(task, said, options, vars(done))

    def _fail(self, task: int, options: dict[str, Any]) -> None:
        person = options["person"]
        became = api.tasks.fail(task, person, options["reason"])
        said = "failed" if became == "FAILED" else "failed, and its instance is an exception"
        self._done(task, said, options)

    def _release(self, task: int, options: dict[str, Any]) -> None:
        person = options["person"]
        with _from_holder(options):
            api.tasks.release(task, person, options["force"], owner=options["held_by"])
        self._done(task, "open again", options)

    def _give(self, task: int, options: dict[str, Any]) -> None:
        person = options["person"]
        if not is_person(options["to"]):
            raise Usage("Give --to, the name of a user who may log in.")
        force, owner = options["force"], options["held_by"]
        with _from_holder(options):
            api.tasks.give(task, person, options["to"], options["reason"], force, owner=owner)
        self._done(task, f"given to {options['to']}", options)

    def _aside(self, task: int, options: dict[str, Any]) -> None:
        person = options["person"]
        minutes = options["minutes"]
        if minutes is None:
            raise Usage("“aside” needs --minutes; 0 shows the task again.")
        until = later(60 * minutes) if minutes else None
        api.tasks.put_aside(task, person, until)
        self._done(task, "put aside" if until else "shown again", options)

    def _done(self, task: int, done: str, options: dict[str, Any], facts: Mapping[str, Any] = {}) -> None:
        if options["json"]:
            self.write_json({"task": task, "done": done, **facts})
        else:
            self.stdout.write(f"Task {task}: {done}.")


def _keys(person: str) -> list[str]:
    """Return the audiences of a user. Raises Usage if there is no such user."""
    user = get_user_model().objects.filter(username=person, is_active=True).first()
    if user is None:
        raise Usage(f"There is no user “{person}” who may log in.")
    return task_keys(user)


def _row(task: Task) -> tuple[Any, ...]:
    audience = task.audience.partition(":")[2]
    states = {"R": "ready", "S": "selected", "L": "locked", "X": "running", "H": "held back"}
    state = states.get(task.state) or (task.outcome or "withdrawn")
    return (task.job_id, task.wid, task.flow, task.transition, state, audience, task.owner, task.priority,
            task.due_at)  # fmt: skip
