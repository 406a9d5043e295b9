"""A workflow as a process, whose picture of dependencies can be drawn: an arrow for each term of a rule."""

from __future__ import annotations

from flows.languages.bpmn.model import Element, Flow, Process
from flows.languages.pdl.compiler import MOST_COMPILED, chosen
from flows.languages.pdl.model import AUTOMATIC, MANUAL, SEMI_AUTOMATIC, Activity, Library, Workflow, terms
from flows.languages.pdl.reader import read

MOST_ARROWS = 1_500  # of a picture that can be read, and is drawn in less than a second
_TAGS = {AUTOMATIC: "serviceTask", SEMI_AUTOMATIC: "userTask", MANUAL: "manualTask"}


def as_process(workflow: Workflow, library: Library) -> Process:
    """Return a process with the activities of a workflow by their ids, and without a layout.

    Terms of activities that are not there have no arrow, so that a text with errors has a picture, too; there
    are no arrows at all where these are too many.
    """
    drawable = is_drawn(workflow)
    elements = {each.id: Element(each.id, _tag(each, library), each.id) for each in workflow.activities}
    flows = {}
    for each in workflow.activities:
        for term in (term for term in terms(each.rule) if drawable and term.activity in elements):
            id_ = f"{term.activity} {term.state} {each.id}"
            flows[id_] = Flow(id_, term.activity, each.id, term.state)
    drawn = {element.id: (element.tag, element.name) for element in elements.values()}
    drawn |= {flow.id: ("sequenceFlow", flow.name) for flow in flows.values()}
    return Process(workflow.id, workflow.id, elements, flows, drawn=drawn)


def is_drawn(workflow: Workflow) -> bool:
    """Return whether a picture of the workflow is small enough to be drawn."""
    arrows = sum(1 for each in workflow.activities for _term in terms(each.rule))
    return len(workflow.activities) <= MOST_COMPILED and arrows <= MOST_ARROWS


def _tag(activity: Activity, library: Library) -> str:
    model = None if activity.is_workflow else library.model(activity.model.id)
    return "callActivity" if activity.is_workflow else _TAGS[model.type] if model else "task"


def process_of(text: str, workflow: str) -> Process:
    """Return the process of a text that was imported."""
    library = read(text)[0]
    return as_process(chosen(library, workflow), library)
