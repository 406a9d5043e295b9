#!/bin/sh
# bpmn-engine 25.0.1 (npm): a condition in FEEL, as the Camunda 8 modeller writes it, at a flow of a gateway.
# Guess: an error, or the default flow, as the engine has no FEEL.
# Seen: an expression without ${} is a text, and a text that is not empty is true: the flow is always taken.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund bpmn-engine@25.0.1
cat > run.cjs <<'JS'
const { Engine } = require("bpmn-engine");
const file = (condition) => `
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    id="d" targetNamespace="urn:example">
  <process id="p" isExecutable="true">
    <startEvent id="s"/><exclusiveGateway id="g" default="otherwise"/><task id="small"/><task id="large"/>
    <sequenceFlow id="begin" sourceRef="s" targetRef="g"/>
    <sequenceFlow id="if_small" sourceRef="g" targetRef="small">
      <conditionExpression xsi:type="tFormalExpression">${condition}</conditionExpression>
    </sequenceFlow>
    <sequenceFlow id="otherwise" sourceRef="g" targetRef="large"/>
  </process>
</definitions>`;
const run = async (condition) => {
  const engine = new Engine({ source: file(condition), variables: { amount: 500, small: false } });
  await engine.execute();
  const { children } = (await engine.getState()).definitions[0].execution.processes[0].execution;
  const taken = children.filter(({ id, counters }) => counters.taken && ["small", "large"].includes(id));
  console.log(condition, "->", taken.map(({ id }) => id).join());
};
run("=amount &lt; 100").then(() => run("=false")).then(() => run("${environment.variables.small}"));
JS
seen=$(node run.cjs)
printf '%s\n' "$seen"
test "$seen" = '=amount &lt; 100 -> small
=false -> small
${environment.variables.small} -> large' || { echo "This has changed." >&2; exit 1; }
