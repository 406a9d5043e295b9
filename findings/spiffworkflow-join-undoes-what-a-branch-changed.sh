#!/bin/sh
# SpiffWorkflow 3.2.0 (PyPI): two user tasks between parallel gateways, of which one changes a value that was there before.
# Guess: after the join the value is the changed one, whichever task was completed last: the other task wrote nothing.
# Seen: each branch has a copy of all data, and the copy of the task that was completed last wins as a whole. The change
# is kept when the task that made it is completed last, else it is undone without a word.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet SpiffWorkflow==3.2.0 2>/dev/null
cat > join.py <<'PY'
import itertools
import logging

from SpiffWorkflow.bpmn import BpmnWorkflow
from SpiffWorkflow.bpmn.parser import BpmnParser
from SpiffWorkflow.util.task import TaskState

logging.disable(logging.CRITICAL)
NODES = """<startEvent id="start"/><userTask id="order"/><parallelGateway id="split"/><userTask id="price"/>
<userTask id="look"/><parallelGateway id="join"/><userTask id="send"/><endEvent id="end"/>"""
FLOWS = ["start order", "order split", "split price", "split look", "price join", "look join", "join send", "send end"]
ARROWS = "".join(
    '<sequenceFlow id="{0}_{1}" sourceRef="{0}" targetRef="{1}"/>'.format(*flow.split()) for flow in FLOWS
)
TEXT = f"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="d" targetNamespace="urn:example">
<process id="p" isExecutable="true">{NODES}{ARROWS}</process></definitions>"""


def perform(workflow, name, **values):
    (task,) = [each for each in workflow.get_tasks(state=TaskState.READY) if each.task_spec.name == name]
    task.data.update(values)
    task.run()
    workflow.do_engine_steps()


for order in itertools.permutations(["price", "look"]):
    parser = BpmnParser()
    parser.add_bpmn_str(TEXT.encode())
    workflow = BpmnWorkflow(parser.get_spec("p"))
    workflow.do_engine_steps()
    perform(workflow, "order", amount=10)
    for name in order:
        perform(workflow, name, **({"amount": 20} if name == "price" else {}))
    (task,) = workflow.get_tasks(state=TaskState.READY)
    print(*order, task.task_spec.name, task.data)
PY
seen=$(venv/bin/python join.py)
printf '%s\n' "$seen"
test "$seen" = "price look send {'amount': 10}
look price send {'amount': 20}" || { echo "This has changed." >&2; exit 1; }
