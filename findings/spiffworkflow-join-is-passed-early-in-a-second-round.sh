#!/bin/sh
# SpiffWorkflow 3.2.0 (PyPI): a parallel fork and join in a cycle, which is performed a second time.
# Guess: the join waits for both branches in each round; after one of them, the other one is left.
# Seen: in the second round the branch that ended last in the first one is enough: the task behind the join is
# there beside that of the other branch.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet SpiffWorkflow==3.2.0 lxml 2>/dev/null
cat > run.py <<'PY'
from lxml import etree
from SpiffWorkflow.bpmn import BpmnWorkflow
from SpiffWorkflow.bpmn.parser import BpmnParser
from SpiffWorkflow.task import TaskState

EDGES = "s again, again fork, fork a, fork b, a join, b join, join c, c more, more again True, more e"
NODES = """<startEvent id="s"/><exclusiveGateway id="again"/><parallelGateway id="fork"/><manualTask id="a"/>
  <manualTask id="b"/><parallelGateway id="join"/><manualTask id="c"/>
  <exclusiveGateway id="more" default="more-e"/><endEvent id="e"/>"""


def flow(edge):
    source, target, *condition = edge.split()
    inner = "".join(f"<conditionExpression>{each}</conditionExpression>" for each in condition)
    return f'<sequenceFlow id="{source}-{target}" sourceRef="{source}" targetRef="{target}">{inner}</sequenceFlow>'


FILE = f"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="d" targetNamespace="urn:example">
  <process id="p" isExecutable="true">{NODES}{"".join(map(flow, EDGES.split(", ")))}</process></definitions>"""
parser = BpmnParser()
parser.add_bpmn_xml(etree.fromstring(FILE), filename="p.bpmn")
workflow = BpmnWorkflow(parser.get_spec("p"))
workflow.do_engine_steps()
for name in ["a", "b", "c", "b"]:
    ready = {task.task_spec.bpmn_id: task for task in workflow.get_tasks(state=TaskState.READY, manual=True)}
    ready[name].run()
    workflow.do_engine_steps()
    left = workflow.get_tasks(state=TaskState.READY, manual=True)
    print("after", name, "->", ", ".join(sorted(task.task_spec.bpmn_id for task in left)))
PY
seen=$(venv/bin/python run.py)
printf '%s\n' "$seen"
test "$seen" = 'after a -> b
after b -> c
after c -> a, b
after b -> a, c' || { echo "This has changed." >&2; exit 1; }
