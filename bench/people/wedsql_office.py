"""Five tasks of people in WED-SQL, performed by flows.api: each by itself, or with ``--mode many`` by pages.

Each of the programs that run at the same time has a role of its own, so that none waits for another.
"""

from __future__ import annotations

import psycopg

from bench.people.office import TASKS, arguments, perform, persons
from flows import api

FLOW = "office"
PAGE = 200


def definition() -> dict[str, object]:
    """Return the process: each task asks for one value."""
    names = [f"t{n}" for n in range(1, TASKS + 1)]
    rules: list[dict[str, object]] = [
        {
            "transition": f"tr_{name}",
            "predicate": f"{name} is null" if before is None else f"{before} is not null and {name} is null",
            "performer": "person",
            "candidate": "clerk",
            "writes": [name],
        }
        for before, name in zip([None, *names], names, strict=False)
    ]
    rules.append({"predicate": f"{names[-1]} is not null", "final": True})
    return {"flow": FLOW, "attributes": [{"name": name} for name in [*names, "clerk"]], "triggers": rules}


class Office:
    """The instances of this program, whose tasks ten persons perform in turns."""

    def __init__(self, conn: psycopg.Connection) -> None:
        self.conn = conn
        self.turns = persons()
        self.role = f"Clerk {conn.info.backend_pid}"
        self.keys = [f"r:{self.role}"]

    def start(self, count: int) -> None:
        """Start instances in one transaction."""
        api.instances.start_many(FLOW, [{"clerk": f"role:{self.role}"}] * count, conn=self.conn)

    def page(self) -> dict[int, dict[str, str]]:
        """Return the first open tasks, each with the value that it asks for."""
        found = api.tasks.open("person", self.keys, limit=PAGE, conn=self.conn)
        return {task.job_id: {task.transition.removeprefix("tr_"): "done"} for task in found}

    def each(self) -> int:
        """Take each task of a page, and complete it: two transactions a task."""
        found = self.page()
        for task, data in found.items():
            person = f"person{next(self.turns)}"
            api.tasks.take(task, person, self.keys, conn=self.conn)
            api.tasks.complete(task, person, data, conn=self.conn)
        return len(found)

    def many(self) -> int:
        """Have one person take and complete all tasks of a page: one transaction a page."""
        found = self.page()
        person = f"person{next(self.turns)}"
        done = api.tasks.complete_many(found, person, keys=self.keys, conn=self.conn)
        if refused := [one.error for one in done if one.error]:
            raise RuntimeError(str(refused[0]))
        return len(found)


def main() -> None:
    """Start the instances, and perform the tasks."""
    options = arguments()
    with psycopg.connect(options.dsn, autocommit=True, prepare_threshold=1) as conn:
        office = Office(conn)
        office.start(options.instances)
        perform(office.many if options.mode == "many" else office.each, options.seconds)


if __name__ == "__main__":
    main()
