#!/bin/sh
# pm4py 2.7.23.11 (PyPI): a BPMN file that is read and written again.
# Guess: conditions, default flows, timers and types of tasks are kept.
# Seen: of these only the user task is. The condition and the default are gone, the boundary event has neither its
# timer nor its activity, and the service task is a task. No warning; the file is not valid BPMN any more, as a
# boundary event needs attachedToRef.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet pm4py==2.7.23.11 2>/dev/null
cat > before.bpmn <<'X'
<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    id="d" targetNamespace="urn:example">
  <process id="p" isExecutable="true">
    <startEvent id="s"><outgoing>f1</outgoing></startEvent>
    <exclusiveGateway id="g" default="f3"><incoming>f1</incoming><outgoing>f2</outgoing><outgoing>f3</outgoing></exclusiveGateway>
    <userTask id="a" name="Check"><incoming>f2</incoming><outgoing>f4</outgoing></userTask>
    <serviceTask id="b" name="Pay"><incoming>f3</incoming><outgoing>f5</outgoing></serviceTask>
    <boundaryEvent id="late" attachedToRef="a"><outgoing>f6</outgoing>
      <timerEventDefinition><timeDuration xsi:type="tFormalExpression">PT1H</timeDuration></timerEventDefinition></boundaryEvent>
    <endEvent id="e1"><incoming>f4</incoming></endEvent>
    <endEvent id="e2"><incoming>f5</incoming></endEvent>
    <endEvent id="e3"><incoming>f6</incoming></endEvent>
    <sequenceFlow id="f1" sourceRef="s" targetRef="g"/>
    <sequenceFlow id="f2" sourceRef="g" targetRef="a"><conditionExpression xsi:type="tFormalExpression">x</conditionExpression></sequenceFlow>
    <sequenceFlow id="f3" sourceRef="g" targetRef="b"/>
    <sequenceFlow id="f4" sourceRef="a" targetRef="e1"/>
    <sequenceFlow id="f5" sourceRef="b" targetRef="e2"/>
    <sequenceFlow id="f6" sourceRef="late" targetRef="e3"/>
  </process>
</definitions>
X
cat > again.py <<'PY'
import re

import pm4py

pm4py.write_bpmn(pm4py.read_bpmn("before.bpmn"), "after.bpmn", auto_layout=False)
before, after = open("before.bpmn").read(), open("after.bpmn").read()
for part in ("userTask", "boundaryEvent", "serviceTask", "conditionExpression", "default=", "timerEventDefinition", "attachedToRef"):
    assert part in before
    print(part, "kept" if re.search(rf"\b{part}", after) else "lost")
PY
venv/bin/python -W ignore again.py > output 2> errors || { cat errors >&2; exit 1; }
seen=$(grep -E '(kept|lost)$' output)
printf '%s\n' "$seen"
test "$seen" = 'userTask kept
boundaryEvent kept
serviceTask lost
conditionExpression lost
default= lost
timerEventDefinition lost
attachedToRef lost' || { echo "This has changed." >&2; exit 1; }
