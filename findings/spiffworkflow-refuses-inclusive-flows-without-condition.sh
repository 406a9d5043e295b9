#!/bin/sh
# SpiffWorkflow 3.2.0 (PyPI): an inclusive gateway with a flow that has no condition, which BPMN takes always.
# Guess: the flow is taken, beside those whose conditions hold.
# Seen: the file is refused, with a sentence about an exclusive flow.
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

FILE = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="d" targetNamespace="urn:example">
  <process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="x"/>{}</process>
</definitions>"""
GATEWAY = """<inclusiveGateway id="x"/><endEvent id="a"/><endEvent id="b"/>
  <sequenceFlow id="always" sourceRef="x" targetRef="a"/>
  <sequenceFlow id="never" sourceRef="x" targetRef="b"><conditionExpression>False</conditionExpression></sequenceFlow>"""
ALWAYS = "<conditionExpression>True</conditionExpression>"


def run(name, body):
    parser = BpmnParser()
    try:
        parser.add_bpmn_xml(etree.fromstring(FILE.format(body)), filename="p.bpmn")
        workflow = BpmnWorkflow(parser.get_spec("p"))
    except Exception as error:
        print(name, "->", str(error).splitlines()[0])
        return
    workflow.do_engine_steps()
    print(name, "->", "ended" if workflow.is_completed() else "waits")


run("without a condition", GATEWAY)
run("with one that always holds", GATEWAY.replace('targetRef="a"/>', 'targetRef="a">' + ALWAYS + "</sequenceFlow>"))
PY
seen=$(venv/bin/python run.py)
printf '%s\n' "$seen"
test "$seen" = 'without a condition -> Non-default exclusive outgoing sequence flow without condition. 
with one that always holds -> ended' || { echo "This has changed." >&2; exit 1; }
