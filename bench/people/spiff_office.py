"""Five tasks of people in SpiffWorkflow: its serializer writes a workflow as JSON into a row of a table."""

from __future__ import annotations

import io
import itertools
import json

import psycopg
from lxml import etree
from office import TASKS, arguments, perform, persons
from psycopg.types.json import Jsonb
from SpiffWorkflow.bpmn.parser import BpmnParser
from SpiffWorkflow.bpmn.serializer import BpmnWorkflowSerializer
from SpiffWorkflow.bpmn.workflow import BpmnWorkflow
from SpiffWorkflow.task import TaskState

OPTIONS = arguments()
PAGE = 50
SPACE = "http://www.omg.org/spec/BPMN/20100524/MODEL"
TABLES = """
create table if not exists workflow (id bigserial primary key, made jsonb not null, worker bigint not null);
create table if not exists ready (
  task uuid primary key, workflow bigint not null, worker bigint not null, owner text,
  at timestamptz default now());
create index if not exists ready_open on ready (worker, at) where owner is null;
"""
SERIALIZER = BpmnWorkflowSerializer(BpmnWorkflowSerializer.configure())


def main() -> None:
    """Start the workflows, and perform the tasks."""
    with psycopg.connect(OPTIONS.dsn, autocommit=True) as conn:
        conn.execute("select pg_advisory_lock(1)")
        conn.execute(TABLES)
        conn.execute("select pg_advisory_unlock(1)")
        office = Office(conn)
        office.start(OPTIONS.instances)
        perform(office.page, OPTIONS.seconds)


class Office:
    """The workflows of this program: each a row, and a row for each task that a person may take."""

    def __init__(self, conn: psycopg.Connection) -> None:
        self.conn = conn
        self.turns = persons()
        self.worker = conn.info.backend_pid

    def start(self, count: int) -> None:
        """Start workflows in one transaction."""
        parser = BpmnParser()
        parser.add_bpmn_xml(etree.parse(io.BytesIO(drawing().encode())))
        spec = parser.get_spec("office")
        with self.conn.transaction():
            for _ in range(count):
                workflow = BpmnWorkflow(spec)
                workflow.do_engine_steps()
                (number,) = self.conn.execute(
                    "insert into workflow (made, worker) values (%s, %s) returning id",
                    [Jsonb(json.loads(SERIALIZER.serialize_json(workflow))), self.worker],
                ).fetchone() or (0,)
                self.offer(number, workflow)

    def offer(self, number: int, workflow: BpmnWorkflow) -> None:
        """Add a row for each task that is ready now."""
        for task in workflow.get_tasks(state=TaskState.READY, manual=True):
            self.conn.execute(
                "insert into ready (task, workflow, worker) values (%s, %s, %s)",
                [task.id, number, self.worker],
            )

    def page(self) -> int:
        """Perform the first tasks that no person has."""
        found = self.conn.execute(
            "select task, workflow from ready where worker = %s and owner is null order by at limit %s",
            [self.worker, PAGE],
        ).fetchall()
        for task, workflow in found:
            self.perform(task, workflow, f"person{next(self.turns)}")
        return len(found)

    def perform(self, task, workflow: int, person: str) -> None:  # type: ignore[no-untyped-def]
        """Take a task, and complete it: two transactions."""
        self.conn.execute("update ready set owner = %s where task = %s and owner is null", [person, task])
        with self.conn.transaction():
            (made,) = self.conn.execute(
                "select made::text from workflow where id = %s for update", [workflow]
            ).fetchone() or ("",)
            read = SERIALIZER.deserialize_json(made)
            own = read.get_task_from_id(task)
            own.data[own.task_spec.name] = "done"
            own.run()
            read.do_engine_steps()
            self.conn.execute("delete from ready where task = %s", [task])
            self.offer(workflow, read)
            self.conn.execute(
                "update workflow set made = %s::jsonb where id = %s",
                [SERIALIZER.serialize_json(read), workflow],
            )


def drawing() -> str:
    """Return the process as BPMN."""
    names = ["start", *(f"task{n}" for n in range(1, TASKS + 1)), "end"]
    arrows = list(itertools.pairwise(names))
    parts = [
        '<startEvent id="start"/>',
        *(f'<userTask id="{name}"/>' for name in names[1:-1]),
        '<endEvent id="end"/>',
    ]
    flows = [f'<sequenceFlow id="to_{b}" sourceRef="{a}" targetRef="{b}"/>' for a, b in arrows]
    return (
        f'<definitions xmlns="{SPACE}" id="d" targetNamespace="office">'
        f'<process id="office" isExecutable="true">{"".join([*parts, *flows])}</process></definitions>'
    )


main()
