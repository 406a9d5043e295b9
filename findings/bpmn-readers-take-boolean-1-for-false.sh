#!/bin/sh
# bpmn-moddle 10.3.1 (npm), SpiffWorkflow 3.2.0 (PyPI): attributes of type xsd:boolean in BPMN files.
# Guess: "1" is true and "0" is false, as XML Schema has it.
# Seen: both take only the text "true" for true. An event with cancelActivity="1" does not interrupt, three
# performances with isSequential="1" are parallel, and bpmn-moddle writes "false" where the file said "1", without a warning.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund bpmn-moddle@10.3.1
python3 -m venv venv
venv/bin/pip install --quiet SpiffWorkflow==3.2.0 2>/dev/null
cat > flags.bpmn <<'X'
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="d" targetNamespace="urn:example">
  <process id="p" isExecutable="1">
    <startEvent id="s"><outgoing>to_a</outgoing></startEvent>
    <userTask id="a"><incoming>to_a</incoming>
      <multiInstanceLoopCharacteristics isSequential="1"><loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics>
    </userTask>
    <boundaryEvent id="b" attachedToRef="a" cancelActivity="1"><messageEventDefinition id="m"/></boundaryEvent>
    <sequenceFlow id="to_a" sourceRef="s" targetRef="a"/>
  </process>
</definitions>
X
cat > moddle.mjs <<'JS'
import { readFileSync } from "node:fs";
import { BpmnModdle } from "bpmn-moddle";
const moddle = new BpmnModdle();
const { rootElement, warnings } = await moddle.fromXML(readFileSync("flags.bpmn", "utf8"));
const process = rootElement.rootElements[0];
const [, task, event] = process.flowElements;
console.log("bpmn-moddle", process.isExecutable, task.loopCharacteristics.isSequential, event.cancelActivity, warnings.length);
console.log((await moddle.toXML(rootElement)).xml.match(/cancelActivity="\w+"/)[0]);
JS
cat > spiff.py <<'PY'
import logging
from SpiffWorkflow.bpmn import BpmnWorkflow
from SpiffWorkflow.bpmn.parser import BpmnParser
from SpiffWorkflow.util.task import TaskState

logging.disable(logging.CRITICAL)
text = open("flags.bpmn").read().replace('isExecutable="1"', 'isExecutable="true"').replace('<boundaryEvent id="b" attachedToRef="a" cancelActivity="1"><messageEventDefinition id="m"/></boundaryEvent>', "")
for written in ("true", "1"):
    parser = BpmnParser()
    parser.add_bpmn_str(text.replace('isSequential="1"', f'isSequential="{written}"').encode())
    flow = BpmnWorkflow(parser.get_spec("p"))
    flow.do_engine_steps()
    print("SpiffWorkflow", written, len(list(flow.get_tasks(state=TaskState.READY))), "at once")
PY
seen=$(node moddle.mjs; venv/bin/python spiff.py)
printf '%s\n' "$seen"
test "$seen" = 'bpmn-moddle false false false 0
cancelActivity="false"
SpiffWorkflow true 1 at once
SpiffWorkflow 1 3 at once' || { echo "This has changed." >&2; exit 1; }
