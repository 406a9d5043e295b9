"""Reading a process of a BPMN file, or every reason why it cannot become a flow, with its place."""

from __future__ import annotations

from collections import ChainMap
from dataclasses import dataclass, field, replace

from flows.languages.bpmn.document import identities, options, process_choice, references
from flows.languages.bpmn.document.layout import planes
from flows.languages.bpmn.document.vocabulary import DRAWN, MODEL, OWN, QUIET, UNUSED
from flows.languages.bpmn.document.xml import Tag, definitions, local
from flows.languages.bpmn.model import (
    ACTIVITIES,
    EVENTS,
    GATEWAYS,
    TASKS,
    Datum,
    Element,
    Expression,
    Flow,
    Process,
)
from flows.languages.bpmn.problems import BadBpmn, BpmnProblem
from flows.languages.bpmn.reader import data_objects
from flows.languages.bpmn.reader.data import Asked
from flows.languages.bpmn.reader.events import check_settings, expression, is_given, reference, triggers
from flows.languages.bpmn.reader.foreign_parts import unused
from flows.languages.bpmn.reader.form_types import fitted, form_tags
from flows.languages.bpmn.reader.job_types import with_job_type
from flows.languages.bpmn.reader.lanes import lanes
from flows.languages.bpmn.reader.loops import Used, loop, with_children
from flows.languages.bpmn.reader.misplaced_options import stray
from flows.languages.bpmn.reader.people import performer, with_person
from flows.languages.bpmn.reader.scripts import script_task
from flows.languages.bpmn.reader.variables import asked, in_effect, variables, with_variables
from flows.languages.graph.problems import has_errors

MOST_NODES, MOST_FLOWS = 4_000, 4_000
_NODES = {*ACTIVITIES, *GATEWAYS, *EVENTS}
_PASSED = QUIET | UNUSED | DRAWN


def read(content: bytes, process: str = "") -> tuple[Process, list[BpmnProblem]]:
    """Return a process of a file, by default its only one that is executable, with warnings.

    `process` is its id, its name, or the name of its pool. Raises BadBpmn with all problems that are found.
    """
    return _Reader(definitions(content)).process(process)


@dataclass
class _Reader:
    root: Tag
    problems: list[BpmnProblem] = field(default_factory=list)
    named: dict[str, Tag] = field(default_factory=dict)
    elements: dict[str, Element] = field(default_factory=dict)
    flows: dict[str, Flow] = field(default_factory=dict)
    data: list[Datum] = field(default_factory=list)
    lanes: dict[str, str] = field(default_factory=dict)
    links: list[tuple[str, str]] = field(default_factory=list)
    refused: dict[str, tuple[Tag, str | None]] = field(default_factory=dict)
    used: Used = field(default_factory=set)
    asked: Asked = field(default_factory=Asked)
    forms: dict[str, Tag] = field(default_factory=dict)
    transactions: set[str] = field(default_factory=set)
    adhoc: dict[str, tuple[str, bool]] = field(default_factory=dict)
    everyone: str = ""
    declares: bool = False

    def note(self, code: str, message: str, tag: Tag, severity: str = "error") -> None:
        """Add a problem of an element."""
        self.problems.append(BpmnProblem(code, message, tag.line, tag.column, severity, tag.id))

    def process(self, wanted: str) -> tuple[Process, list[BpmnProblem]]:
        found = self.chosen(wanted)
        self.ids(found)
        self.everyone = performer(found, self.used)
        self.forms = {each.get("id"): each for each in form_tags(found)}
        self.inside(found, None)
        self.data = data_objects.apart(self.data)
        declared = variables(found, self.named)
        self.data += asked(declared, self.asked.names, self.data)
        self.data += self.asked.missing(self.data, self.note)
        self.fit_forms()
        self.stand_in()
        references.check(self.elements, self.flows, self.named, self.note)
        for tag, name in stray(self.root, found, self.used):
            self.note("bad_option", f"“{name[:40]}” is no option here.", tag)
        self.limits(found)
        drawn = {tag.id: (tag.name, tag.get("name") or self.text(tag)) for tag in self.named.values()}
        read = Process(
            found.id, found.get("name"), self.elements, self.flows, tuple(self.data), self.lanes,
            tuple(self.links), drawn, planes(self.root), self.root.get("expressionLanguage"),
            found.line, found.column, self.declares,
        )  # fmt: skip
        read = with_variables(read, declared)
        self.used |= {(id(tag), "") for tag in in_effect(declared, read.data)}
        self.unused(found)
        if has_errors(self.problems):
            raise BadBpmn(self.problems, read if 0 < len(self.elements) <= MOST_NODES else None)
        return read, self.problems

    def ids(self, process: Tag) -> None:
        """Find the elements that the process can refer to by their ids."""
        identities.with_ids(process, _NODES)
        identities.renamed_calls(self.root, process)
        self.transactions = identities.renamed_transactions(process)
        self.adhoc = identities.renamed_adhoc(process)
        for tag in identities.elements(self.root, process):
            if tag.id in self.named:
                self.twice(tag, self.named[tag.id])
            elif tag.id:
                self.named[tag.id] = tag

    def twice(self, tag: Tag, first: Tag) -> None:
        """Let the node or flow have an id that is there twice; refuse two of these."""
        parts = {*_NODES, "sequenceFlow"}
        both = tag.name in parts and first.name in parts
        severity = "error" if both else "warning"
        self.note("name_collides", f"The id “{tag.id[:60]}” is there twice.", tag, severity)
        if tag.name in parts and not both:
            self.named[tag.id] = tag

    def text(self, tag: Tag) -> str:
        return next((part.text.strip() for part in tag.of(MODEL, "text")), "")

    def chosen(self, wanted: str) -> Tag:
        """Return the process that becomes the flow. Raises BadBpmn without one."""
        found = process_choice.matching(self.root, wanted, _NODES)
        if len(found) != 1:
            self.note("no_process", process_choice.unclear(self.root, wanted, _NODES)[:1_000], self.root)
            raise BadBpmn(self.problems)
        for other in process_choice.with_elements(self.root, _NODES):
            if other is not found[0]:
                message = f"Process “{other.id[:60]}” is only drawn; “{found[0].id[:60]}” becomes the flow."
                self.note("not_used", message, other, "warning")
        return found[0]

    def inside(self, tag: Tag, scope: str | None) -> None:
        """Read the parts of the process, or of a sub-process."""
        for part in tag.children:
            if part.space == MODEL and part.name not in _PASSED:
                self.part_of(part, tag, scope)
        for part in tag.of(MODEL, "association"):
            self.links.append((local(part.get("sourceRef")), local(part.get("targetRef"))))
        for part in tag.of(MODEL, "extensionElements") if scope is None else ():
            for each in part.of(OWN, "attribute"):
                self.used.add((id(each), ""))
                self.declares = True
                self.data += data_objects.attribute(each, self.note)

    def part_of(self, part: Tag, owner: Tag, scope: str | None) -> None:
        """Read one part of the process, or of a sub-process."""
        if part.name == "completionCondition" and owner.id in self.adhoc:
            return
        if part.name in _NODES:
            self.node(part, scope)
        elif part.name == "sequenceFlow":
            self.flow(part)
        elif part.name == "laneSet":
            self.lanes |= dict(lanes(part))
        elif part.name in ("dataObject", "dataObjectReference"):
            self.data += data_objects.declared(part, self.named, self.note, self.used)
        elif not (part.name.endswith("LoopCharacteristics") and owner.name in ACTIVITIES):
            self.refused[part.id] = (part, scope)

    def node(self, tag: Tag, scope: str | None) -> None:
        if not tag.id:
            self.note("no_id", f"The element {tag.name} has no id.", tag)
            return
        given = options.given(tag)
        documentation = " ".join(each.text.strip() for each in tag.of(MODEL, "documentation"))
        element = Element(
            tag.id, tag.name, " ".join(tag.get("name").split()), tag.line, tag.column, scope, given,
            documentation, local(tag.get("default")),
            by_event=tag.flag("triggeredByEvent"),
            transaction=tag.id in self.transactions,
            compensates=tag.flag("isForCompensation"),
        )  # fmt: skip
        if tag.id in self.adhoc:
            ordering, cancels = self.adhoc[tag.id]
            until = self.part(tag, "completionCondition")
            element = replace(element, ordering=ordering, cancels=cancels, expression=until)
        self.elements[tag.id] = self.special(tag, element)
        if tag.name == "subProcess":
            self.inside(tag, tag.id)

    def special(self, tag: Tag, element: Element) -> Element:
        """Return an element with what only its kind has."""
        check_settings(tag, self.note)
        if tag.name in EVENTS:
            interrupts = tag.flag("cancelActivity", True) and tag.flag("isInterrupting", True)
            attached = local(tag.get("attachedToRef"))
            found = triggers(tag, self.named, self.note)
            element = replace(element, trigger=found[0], attached=attached, interrupting=interrupts)
            return (
                replace(element, triggers=found, of_all=tag.flag("parallelMultiple"))
                if found[1:]
                else element
            )
        if tag.name == "eventBasedGateway":
            parallel = tag.get("eventGatewayType") == "Parallel"
            return replace(element, instantiates=tag.flag("instantiate"), of_all=parallel)
        if tag.name == "complexGateway":
            return replace(element, expression=self.part(tag, "activationCondition"))
        if tag.name in ACTIVITIES:
            element = replace(element, loop=loop(tag, self.named, self.note, self.used))
            element = with_children(tag, element, self.named, self.note, self.used)
        starts = tag.name == "receiveTask" and tag.flag("instantiate")  # a start event, without a job
        if tag.name in TASKS and not starts:
            element = with_job_type(tag, element, self.used)
        if TASKS.get(tag.name) == "worker":
            ask = self.asked.ask
            named = ChainMap(self.named, self.forms)
            element = with_person(tag, element, self.everyone, named, self.note, self.used, ask)
        if tag.name == "scriptTask":
            return script_task(tag, element, self.used)
        if tag.name in ("receiveTask", "sendTask"):
            message = reference(tag, "messageRef", self.named, self.note)
            starts = tag.flag("instantiate")
            return replace(element, message=message or element.name, instantiates=starts)
        return element

    def part(self, tag: Tag, name: str) -> Expression | None:
        return next((expression(part) for part in tag.of(MODEL, name) if is_given(part)), None)

    def flow(self, tag: Tag) -> None:
        source, target = local(tag.get("sourceRef")), local(tag.get("targetRef"))
        condition = self.part(tag, "conditionExpression")
        self.flows[tag.id] = Flow(
            tag.id, source, target, " ".join(tag.get("name").split()), condition, tag.line, tag.column
        )  # fmt: skip

    def fit_forms(self) -> None:
        """Leave out of the forms of engines what is not for the types that their attributes have."""
        types = {str(each.options.get("name")): str(each.options.get("type", "text")) for each in self.data}
        for id_, element in self.elements.items():
            if element.person and "form" in element.options and "form" not in options.given(self.named[id_]):
                form = fitted(element.options["form"], types, self.note, self.named[id_])
                self.elements[id_] = replace(element, options={**element.options, "form": form})

    def stand_in(self) -> None:
        """Put a task where sequence flows or events need an element that is not known."""
        ends = {end for flow in self.flows.values() for end in (flow.source, flow.target)}
        ends |= {each.attached for each in self.elements.values()}
        for id_, (tag, scope) in self.refused.items():
            needed = id_ and id_ in ends and id_ not in self.elements
            if needed:
                self.elements[id_] = Element(id_, "task", tag.get("name"), tag.line, tag.column, scope)
            message = f"An element {tag.name[:40]} is not known here: it is a job of a worker."
            self.note("not_used", message if needed else f"“{tag.name[:40]}” has no effect.", tag, "warning")

    def unused(self, process: Tag) -> None:
        """Warn of parts that have no effect: those of other programs, and descriptions for readers."""
        warned: set[tuple[str, str]] = set()
        for tag, foreign in unused(process, self.used):
            if (tag.id, foreign) not in warned:
                warned.add((tag.id, foreign))
                self.note("not_used", f"“{foreign[:60]}” has no effect.", tag, "warning")

    def limits(self, tag: Tag) -> None:
        if not self.elements:
            self.note("no_process", "The process has no elements.", tag)
        if len(self.elements) > MOST_NODES or len(self.flows) > MOST_FLOWS:
            message = (
                f"The process has {len(self.elements)} nodes and {len(self.flows)} flows; at most "
                f"{MOST_NODES} and {MOST_FLOWS} are read."
            )
            self.note("too_large", message, tag)
