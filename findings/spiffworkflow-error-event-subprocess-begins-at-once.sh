#!/bin/sh
# SpiffWorkflow 3.2.0 (PyPI): an event sub-process that an error starts, in a process that throws none.
# Guess: it waits for the error, and only the task of the process is there, as with a message.
# Seen: its task is there when the process begins; the error at its start event is not read.
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

FILE = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="d" targetNamespace="urn:example">
  <error id="e1" name="failed" errorCode="FAILED"/><message id="m1" name="called"/>
  <process id="p" isExecutable="true"><startEvent id="s"/><manualTask id="work"/><endEvent id="e"/>
    <sequenceFlow id="f" sourceRef="s" targetRef="work"/><sequenceFlow id="g" sourceRef="work" targetRef="e"/>
    <subProcess id="other" triggeredByEvent="true"><startEvent id="caught">{}</startEvent>
      <manualTask id="repair"/><endEvent id="repaired"/>
      <sequenceFlow id="h" sourceRef="caught" targetRef="repair"/>
      <sequenceFlow id="i" sourceRef="repair" targetRef="repaired"/></subProcess></process>
</definitions>"""


def run(name, event):
    parser = BpmnParser()
    parser.add_bpmn_xml(etree.fromstring(FILE.format(event)), filename="p.bpmn")
    workflow = BpmnWorkflow(parser.get_spec("p"), parser.get_subprocess_specs("p"))
    workflow.do_engine_steps()
    tasks = workflow.get_tasks(state=TaskState.READY, manual=True)
    print(name, "->", ", ".join(sorted(task.task_spec.bpmn_id for task in tasks)))


run("started by a message", '<messageEventDefinition messageRef="m1"/>')
run("started by an error", '<errorEventDefinition errorRef="e1"/>')
PY
seen=$(venv/bin/python run.py)
printf '%s\n' "$seen"
test "$seen" = 'started by a message -> work
started by an error -> repair, work' || { echo "This has changed." >&2; exit 1; }
