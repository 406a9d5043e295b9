"""Skeletons of processes for a walk beside another engine: the same tokens without times and data.

A skeleton has the elements of a process that can be reached, with names of its own. What an engine computes
is decided by the walk: a condition is an attribute, an event that is waited for is a message of its own, an
activity is performed by whoever walks, a repeated one twice. Both engines read the same file, but in the one
for SpiffWorkflow tasks with several outgoing flows lead to a gateway, and each way has an end event, since it
does not read, or end, other processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from flows.languages.bpmn import Process
from flows.languages.bpmn.model import ACTIVITIES, GATEWAYS, Element, Flow
from flows.tests.bpmn.files.reached_elements import CAUGHT, INNER, Reached

_SPACES = (
    'xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xmlns:wedsql="https://wed-sql.org/bpmn" targetNamespace="lockstep"'
)


@dataclass(frozen=True)
class Skeleton:
    """A process that both engines read.

    `names` has the elements of the file by the names that it gives them, `repeated` the messages of events
    that do not interrupt.
    """

    ours: str
    theirs: str
    names: Mapping[str, str]
    conditions: tuple[str, ...]
    repeated: frozenset[str]


def skeleton(process: Process) -> Skeleton:
    """Return the skeleton of a process."""
    made = _Skeleton(process)
    names = {name: id_ for id_, name in made.names.items()}
    names |= {made.message(id_): id_ for id_ in made.names}
    repeated = frozenset(made.message(id_) for id_, each in made.reached.items() if not each.interrupting)
    ours, theirs = made.file(explicit=False), made.file(explicit=True)
    return Skeleton(ours, theirs, names, tuple(made.conditions.values()), repeated)


@dataclass
class _Skeleton(Reached):
    """Writes the file."""

    def file(self, *, explicit: bool) -> str:
        """Return the file; with an explicit gateway after tasks with several outgoing flows."""
        ids = range(1, len(self.names) + 1)
        shared = "".join(
            f'<message id="m{n}" name="m{n}"/>' for n in ids
        ) + "".join(
            f'<{kind} id="{kind[:2]}{name}" name="{name}" {kind}Code="{name}"/>'
            for kind in ("error", "escalation")
            for name in sorted(set(self._codes.values()))
        )  # fmt: skip
        data = "".join(
            f'<wedsql:attribute name="{name}" type="boolean" default="false"/>'
            for name in self.conditions.values()
        )
        body = "".join(self._scope(None, explicit))
        return (
            f'<definitions {_SPACES}>{shared}<process id="p" isExecutable="true"><extensionElements>{data}'
            f"</extensionElements>{body}</process></definitions>"
        )

    @cached_property
    def _codes(self) -> dict[str, str]:
        """Return a name for each code of an error or escalation."""
        codes = {each.trigger.code for each in self.reached.values() if each.trigger.kind in INNER} - {""}
        return {code: f"k{number}" for number, code in enumerate(sorted(codes), start=1)}

    def _scope(self, scope: str | None, explicit: bool) -> Iterator[str]:
        inner = [each for each in self.reached.values() if each.scope == scope]
        begins = self.starts.get(scope)
        if begins and not any(each.tag == "startEvent" for each in inner):
            name = f"s{self.names[scope] if scope else ''}"
            yield f'<startEvent id="{name}"/>'
            for each in begins:
                yield _line(f"{name}-{self.names[each]}", name, self.names[each])
        for each in inner:
            yield from self._element(each, explicit)
            yield from self._flows(each, explicit)

    def _element(self, element: Element, explicit: bool) -> Iterator[str]:
        name = self.names[element.id]
        default = self.default(element) if self.conditional(element, self.leaving[element.id]) else ""
        chosen = (
            f' default="f{self._number(default)}"' if default and not self._split(element, explicit) else ""
        )
        if self.is_sub(element):
            tag = "transaction" if element.transaction else "subProcess"
            event = ' triggeredByEvent="true"' if element.by_event else ""
            yield f'<{tag} id="{name}"{event}{chosen}>'
            yield from self._scope(element.id, explicit)
            yield f"{self._loop(element)}</{tag}>"
        elif element.tag in ACTIVITIES:
            tag = "manualTask" if explicit else "serviceTask"
            yield f'<{tag} id="{name}"{chosen}>{self._loop(element)}</{tag}>'
        elif element.tag in GATEWAYS:
            yield f'<{self._gateway(element)} id="{name}"{chosen}/>'
        else:
            yield self._at_event(element, name, explicit)

    @staticmethod
    def _loop(element: Element) -> str:
        if element.loop is None:
            return ""
        return (
            '<multiInstanceLoopCharacteristics isSequential="true"><loopCardinality>2</loopCardinality>'
            "</multiInstanceLoopCharacteristics>"
        )

    def _gateway(self, element: Element) -> str:
        targets = [self.reached[flow.target] for flow in self.leaving[element.id]]
        if element.tag == "eventBasedGateway":
            waits = len(targets) > 1 and all(self._catches(each) for each in targets)
            return (
                "eventBasedGateway"
                if waits
                else "exclusiveGateway"
                if len(targets) < 2
                else "parallelGateway"
            )
        return "inclusiveGateway" if element.tag == "complexGateway" else element.tag

    @staticmethod
    def _catches(element: Element) -> bool:
        return element.tag == "intermediateCatchEvent" and element.trigger.kind in (*CAUGHT, "none")

    def _at_event(self, element: Element, name: str, explicit: bool) -> str:
        tag, kind = element.tag, element.trigger.kind
        if tag == "intermediateThrowEvent" and kind in ("message", "signal"):
            return f'<{"manualTask" if explicit else "serviceTask"} id="{name}"/>'
        inner = self._definition(element)
        attributes = ""
        if tag == "boundaryEvent":
            stays = "" if element.interrupting else ' cancelActivity="false"'
            attributes = f' attachedToRef="{self.names[element.attached]}"{stays}'
        elif tag == "startEvent" and element.scope and self.process.elements[element.scope].by_event:
            attributes = "" if element.interrupting else ' isInterrupting="false"'
        elif tag == "startEvent" or (tag == "intermediateCatchEvent" and kind == "link"):
            inner = ""
        if tag == "intermediateCatchEvent" and not inner:
            tag = "intermediateThrowEvent"
        return f'<{tag} id="{name}"{attributes}>{inner}</{tag}>'

    def _definition(self, element: Element) -> str:
        kind, catches = (
            element.trigger.kind,
            element.tag in ("startEvent", "boundaryEvent", "intermediateCatchEvent"),
        )
        code = self._codes.get(element.trigger.code, "")
        if kind in ("error", "escalation") and (catches or self._is_caught(element)):
            return f'<{kind}EventDefinition{f""" {kind}Ref="{kind[:2]}{code}" """ if code else ""}/>'
        if kind in ("terminate", "cancel") and (kind != "cancel" or catches or self._is_caught(element)):
            return f"<{kind}EventDefinition/>"
        if catches and kind in (*CAUGHT, "none") and kind != "link":
            return f'<messageEventDefinition messageRef="{self.message(element.id)}"/>'
        return ""

    def _is_caught(self, element: Element) -> bool:
        """Return whether an event around an element catches what it throws."""
        kind, code = element.trigger.kind, element.trigger.code
        around = self.process.around(element.scope)
        if kind == "cancel":
            around = [each for each in around[:1] if self.process.elements[each].transaction]
        catching = [
            each for host in around for each in self.process.boundary(host) if each.id in self.reached
        ]
        for scope in (*around, None):
            for sub in self.process.by_event(scope):
                catching += [each for each in self.process.inner(sub.id) if each.tag == "startEvent"]
        return any(each.trigger.kind == kind and each.trigger.code in ("", code) for each in catching)

    # -- sequence flows
    def _number(self, flow: str) -> int:
        return [each.id for each in self.flows].index(flow) + 1

    def _split(self, element: Element, explicit: bool) -> bool:
        whole = element.tag in GATEWAYS or element.tag == "startEvent"
        return explicit and not whole and len(self.leaving[element.id]) > 1

    def _flows(self, element: Element, explicit: bool) -> Iterator[str]:
        flows, source = self.leaving[element.id], self.names[element.id]
        every = False
        if explicit and not flows and element.tag != "endEvent" and not element.by_event:
            yield f'<endEvent id="y{source}"/>' + _line(f"yf{source}", source, f"y{source}")
        if self._split(element, explicit):
            chosen = self.conditional(element, flows)
            kind = "inclusiveGateway" if chosen else "parallelGateway"
            default = self.default(element) if chosen else ""
            known = f' default="f{self._number(default)}"' if default else ""
            yield f'<{kind} id="x{source}"{known}/>'
            yield _line(f"xf{source}", source, f"x{source}")
            source, every = f"x{source}", bool(chosen)
            flows = [replace(flow, condition=None) for flow in flows]
        for flow in flows:
            yield self._flow(flow, source, "True" if every and flow.id != default else "", explicit)

    def _flow(self, flow: Flow, source: str, otherwise: str, explicit: bool) -> str:
        name = self.conditions.get(flow.id, "")
        text = (name or otherwise) if explicit else f"={name} = true" if name else ""
        inner = (
            f'<conditionExpression xsi:type="tFormalExpression">{text}</conditionExpression>' if text else ""
        )
        return _line(f"f{self._number(flow.id)}", source, self.names[flow.target], inner)


def _line(name: str, source: str, target: str, inner: str = "") -> str:
    return f'<sequenceFlow id="{name}" sourceRef="{source}" targetRef="{target}">{inner}</sequenceFlow>'
