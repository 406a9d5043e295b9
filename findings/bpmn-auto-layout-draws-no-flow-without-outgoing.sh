#!/bin/sh
# bpmn-auto-layout 1.3.0 (npm): a process whose elements do not repeat their sequence flows as incoming and outgoing,
# which BPMN's schema allows: sourceRef and targetRef of the flow say the same.
# Guess: both files get the same drawing.
# Seen: without the repetitions no flow is drawn, and the elements stand one below another as if nothing joined them.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund bpmn-auto-layout@1.3.0
cat > run.mjs <<'JS'
import { layoutProcess } from "bpmn-auto-layout";

const element = (tag, id, incoming, outgoing) =>
  `<${tag} id="${id}">${incoming.map((f) => `<incoming>${f}</incoming>`).join("")}` +
  `${outgoing.map((f) => `<outgoing>${f}</outgoing>`).join("")}</${tag}>`;
const file = (repeated) => `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="d" targetNamespace="urn:example">
  <process id="p">
    ${element("startEvent", "begin", [], repeated ? ["to_work"] : [])}
    ${element("task", "work", repeated ? ["to_work"] : [], repeated ? ["to_end"] : [])}
    ${element("endEvent", "end", repeated ? ["to_end"] : [], [])}
    <sequenceFlow id="to_work" sourceRef="begin" targetRef="work"/>
    <sequenceFlow id="to_end" sourceRef="work" targetRef="end"/>
  </process>
</definitions>`;
for (const repeated of [false, true]) {
  const text = await layoutProcess(file(repeated));
  const drawn = [...text.matchAll(/<bpmndi:BPMN\w+ id="\w+" bpmnElement="(\w+)">/g)].map((found) => found[1]);
  console.log(repeated ? "with" : "without", "->", drawn.join(" "));
}
JS
seen=$(node run.mjs)
printf '%s\n' "$seen"
test "$seen" = 'without -> p begin work end
with -> p begin work end to_work to_end' || { echo "This has changed." >&2; exit 1; }
