#!/bin/sh
# SpiffWorkflow 3.2.0 (PyPI): a timer with a negative duration, which XML Schema and BPMN allow.
# Guess: the moment has passed, and the timer fires at once, as one with a date that has passed.
# Seen: the file is accepted, and the timer never fires.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet SpiffWorkflow==3.2.0 lxml 2>/dev/null
cat > run.py <<'PY'
import time

from lxml import etree
from SpiffWorkflow.bpmn import BpmnWorkflow
from SpiffWorkflow.bpmn.parser import BpmnParser

FILE = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="d" targetNamespace="urn:example">
  <process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="x"/>{}</process>
</definitions>"""
TIMER = """<intermediateCatchEvent id="x"><timerEventDefinition>{}</timerEventDefinition></intermediateCatchEvent>
  <endEvent id="a"/><sequenceFlow id="g" sourceRef="x" targetRef="a"/>"""


def run(name, body):
    parser = BpmnParser()
    parser.add_bpmn_xml(etree.fromstring(FILE.format(body)), filename="p.bpmn")
    workflow = BpmnWorkflow(parser.get_spec("p"))
    for _ in range(4):
        workflow.do_engine_steps()
        time.sleep(0.5)
        workflow.refresh_waiting_tasks()
    workflow.do_engine_steps()
    print(name, "->", "ended" if workflow.is_completed() else "waits")


run("date that has passed", TIMER.format('<timeDate>"2020-01-01T00:00:00+00:00"</timeDate>'))
run("one second", TIMER.format('<timeDuration>"PT1S"</timeDuration>'))
run("minus one hour", TIMER.format('<timeDuration>"-PT1H"</timeDuration>'))
PY
seen=$(venv/bin/python run.py)
printf '%s\n' "$seen"
test "$seen" = 'date that has passed -> ended
one second -> ended
minus one hour -> waits' || { echo "This has changed." >&2; exit 1; }
