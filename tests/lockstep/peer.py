"""A process in SpiffWorkflow that another program walks through: what it is to do comes in lines of JSON.

{"model": XML} reads a process, {"start": VALUES} starts it, {"do": NAME, "values": VALUES} performs a task or
sends a message. Each is answered with {"waits": [NAMES], "done": BOOLEAN} or {"error": TEXT}.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from lxml import etree
from SpiffWorkflow.bpmn.parser import BpmnParser
from SpiffWorkflow.bpmn.script_engine import PythonScriptEngine
from SpiffWorkflow.bpmn.specs.event_definitions.message import MessageEventDefinition
from SpiffWorkflow.bpmn.util.event import BpmnEvent
from SpiffWorkflow.bpmn.workflow import BpmnWorkflow
from SpiffWorkflow.task import TaskState


class Values(PythonScriptEngine):
    """Decides by the values of the walk, which all branches of the process have."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, Any] = {}

    def evaluate(self, task: Any, expression: str, external_context: Any = None) -> Any:
        """Return the value of a name, or of a number."""
        if expression in self.values:
            return self.values[expression]
        return super().evaluate(task, expression, external_context)


class Walk:
    """One process, and its instance that is being walked through."""

    def __init__(self) -> None:
        self.engine = Values()
        self.parser = BpmnParser()
        self.workflow: Any = None

    def model(self, text: str) -> None:
        """Read a process."""
        self.parser = BpmnParser()
        self.parser.add_bpmn_xml(etree.fromstring(text.encode()).getroottree())
        self.parser.get_spec("p")

    def start(self, values: dict[str, Any]) -> None:
        """Start an instance."""
        self.engine.values = values
        specs = self.parser.get_subprocess_specs("p")
        self.workflow = BpmnWorkflow(self.parser.get_spec("p"), specs, script_engine=self.engine)
        self.workflow.do_engine_steps()

    def perform(self, name: str, values: dict[str, Any]) -> None:
        """Perform a task, or send a message."""
        self.engine.values = values
        if name.startswith("m"):
            self.workflow.send_event(BpmnEvent(MessageEventDefinition(name), {}))
        else:
            self._tasks(name)[0].run()
        self.workflow.do_engine_steps()

    def _tasks(self, name: str = "") -> list[Any]:
        ready = self.workflow.get_tasks(state=TaskState.READY, manual=True)
        return [each for each in ready if not name or each.task_spec.bpmn_id == name]

    def waits(self) -> dict[str, Any]:
        """Return what can be done."""
        names = {each.task_spec.bpmn_id for each in self._tasks()}
        for task in self.workflow.event_manager.tasks.values():
            names |= {*_messages(task.task_spec.event_definition)}
        for name in [] if self.workflow.completed else self.workflow.spec.start.trigger_specs:
            for start in self.workflow.subprocess_specs[name].bpmn_start_events:
                names |= {*_messages(start.event_definition)}
        return {"waits": sorted(names), "done": self.workflow.completed}


def _messages(definition: Any) -> Iterator[str]:
    if isinstance(definition, MessageEventDefinition):
        yield definition.name
    for each in getattr(definition, "event_definitions", ()):
        yield from _messages(each)


def main() -> None:
    """Answer each line of the input."""
    walk = Walk()
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            if "model" in asked:
                walk.model(asked["model"])
                answer: dict[str, Any] = {}
            elif "start" in asked:
                walk.start(asked["start"])
                answer = walk.waits()
            else:
                walk.perform(asked["do"], asked["values"])
                answer = walk.waits()
        except Exception as error:  # noqa: BLE001 - whatever it raises is its answer
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
