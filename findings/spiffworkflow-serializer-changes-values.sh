#!/bin/sh
# SpiffWorkflow 3.2.0 (PyPI): values of a task that BpmnWorkflowSerializer writes as JSON and reads again.
# Guess: it has forms of its own for times, so each of these types comes back equal, or is refused.
# Seen: a timedelta loses what is less than a second, without a word; and a dict that has a key "typename" of its own
# comes back as the type that it names.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet SpiffWorkflow==3.2.0 2>/dev/null
cat > kept.py <<'PY'
import datetime as dt
import logging

from SpiffWorkflow.bpmn import BpmnWorkflow
from SpiffWorkflow.bpmn.parser import BpmnParser
from SpiffWorkflow.bpmn.serializer import BpmnWorkflowSerializer
from SpiffWorkflow.util.task import TaskState

logging.disable(logging.CRITICAL)
TEXT = b"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="d" targetNamespace="urn:example">
<process id="p" isExecutable="true"><startEvent id="s"/><userTask id="t"/><endEvent id="e"/>
<sequenceFlow id="a" sourceRef="s" targetRef="t"/><sequenceFlow id="b" sourceRef="t" targetRef="e"/></process></definitions>"""
serializer = BpmnWorkflowSerializer(BpmnWorkflowSerializer.configure())
for value in (
    dt.datetime(2026, 1, 1, 12, 0, 0, 5, tzinfo=dt.timezone.utc),
    dt.timedelta(days=1, seconds=3, microseconds=500_000),
    dt.timedelta(milliseconds=900),
    {"typename": "timedelta", "days": 2, "seconds": 0},
):
    parser = BpmnParser()
    parser.add_bpmn_str(TEXT)
    workflow = BpmnWorkflow(parser.get_spec("p"))
    workflow.do_engine_steps()
    (task,) = workflow.get_tasks(state=TaskState.READY)
    task.data["value"] = value
    read = serializer.deserialize_json(serializer.serialize_json(workflow))
    print(value, "->", repr(read.get_task_from_id(task.id).data["value"]))
PY
seen=$(venv/bin/python kept.py)
printf '%s\n' "$seen"
test "$seen" = "2026-01-01 12:00:00.000005+00:00 -> datetime.datetime(2026, 1, 1, 12, 0, 0, 5, tzinfo=datetime.timezone.utc)
1 day, 0:00:03.500000 -> datetime.timedelta(days=1, seconds=3)
0:00:00.900000 -> datetime.timedelta(0)
{'typename': 'timedelta', 'days': 2, 'seconds': 0} -> datetime.timedelta(days=2)" || { echo "This has changed." >&2; exit 1; }
