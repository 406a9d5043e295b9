"""A drawn process in SpiffWorkflow, whose state is written into a row of a table after each step."""

from __future__ import annotations

import io
import json

import psycopg
from lxml import etree
from office import arguments, perform
from psycopg.types.json import Jsonb
from SpiffWorkflow.bpmn.parser import BpmnParser
from SpiffWorkflow.bpmn.serializer import BpmnWorkflowSerializer
from SpiffWorkflow.bpmn.workflow import BpmnWorkflow
from SpiffWorkflow.task import TaskState

OPTIONS = arguments()
SERIALIZER = BpmnWorkflowSerializer(BpmnWorkflowSerializer.configure())


def main() -> None:
    """Start the workflows, and perform one after the other."""
    with psycopg.connect(OPTIONS.dsn, autocommit=True) as conn:
        conn.execute("create table if not exists workflow (id bigserial primary key, made jsonb not null)")
        parser = BpmnParser()
        with open(OPTIONS.mode, "rb") as file:
            parser.add_bpmn_xml(etree.parse(io.BytesIO(file.read())))
        work = _steps(conn, parser.get_spec("p"))
        perform(lambda: next(work, 0), OPTIONS.seconds)


def _steps(conn: psycopg.Connection, spec):
    """Perform one task of a workflow, and commit its state, each time that the next item is asked for."""
    for _ in range(OPTIONS.instances):
        workflow = BpmnWorkflow(spec)
        workflow.task_tree.data["amount"] = 0
        workflow.do_engine_steps()
        (number,) = conn.execute(
            "insert into workflow (made) values (%s) returning id", [_written(workflow)]
        ).fetchone() or (0,)
        while found := workflow.get_tasks(state=TaskState.READY, manual=True):
            found[0].run()
            workflow.do_engine_steps()
            conn.execute("update workflow set made = %s where id = %s", [_written(workflow), number])
            yield 1


def _written(workflow: BpmnWorkflow) -> Jsonb:
    return Jsonb(json.loads(SERIALIZER.serialize_json(workflow)))


main()
