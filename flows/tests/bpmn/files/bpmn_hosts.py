"""Every element of BPMN that may have options or events, in a process each, for tests that walk over all."""

from __future__ import annotations

from collections.abc import Callable

from flows.tests.bpmn.files.bpmn_files import attribute, attributes, event, file, flows, node, timer

NAMED = (
    '<bpmn:message id="m" name="stop"/><bpmn:error id="x" errorCode="X"/><bpmn:message id="m2" name="go"/>'
)
INNER = node("startEvent", "b") + node("task", "i") + node("endEvent", "z") + flows("b i", "i z")
HANDLER = INNER.replace('<bpmn:startEvent id="b" >', f'<bpmn:startEvent id="b">{timer("P1D")}')
MESSAGE = event("message", messageRef="m")
OTHER = event("message", messageRef="m2")
SEVERAL = MESSAGE + timer("P1D")
_MANY = "<bpmn:loopCardinality>3</bpmn:loopCardinality></bpmn:multiInstanceLoopCharacteristics>"
LOOPS = {
    "": "",
    "sequential": f'<bpmn:multiInstanceLoopCharacteristics isSequential="true">{_MANY}',
    "parallel": f"<bpmn:multiInstanceLoopCharacteristics>{_MANY}",
    "loop": '<bpmn:standardLoopCharacteristics loopMaximum="3"/>',
}
ACTIVITIES: dict[str, tuple[str, dict[str, str]]] = {
    **{each: ("", {}) for each in ("task", "userTask", "manualTask", "serviceTask", "businessRuleTask")},
    "sendTask": ("", {}),
    "receiveTask": ("", {"messageRef": "m"}),
    "scriptTask": ("<bpmn:script>n = 1</bpmn:script>", {"scriptFormat": "sql"}),
    "subProcess": (INNER, {}),
    "adHocSubProcess": (node("userTask", "i") + node("task", "j"), {}),
    "callActivity": ("", {"calledElement": "other"}),
}
EVENTS = {
    "timer": timer("P1D"),
    "message": MESSAGE,
    "conditional": event("conditional", "<bpmn:condition>n = 9</bpmn:condition>"),
    "error": event("error", errorRef="x"),
    "any error": event("error"),
    "compensate": event("compensate"),
}
_DATA = attributes(attribute("n", type="integer"))
Build = Callable[[dict[str, str]], bytes]


def attached(host: str, loop: str, kind: str, *, beside: bool = False) -> bytes:
    """Return a process whose activity has the event `h`, which leads to `after` or is undone by `u`."""
    inner, options = ACTIVITIES[host]
    given = {"cancelActivity": "false"} if beside else {}
    return _attached(node(host, "t", inner + LOOPS[loop], **options), kind, given)


def leading_back(content: bytes) -> bytes:
    """Return the same, with an event that leads to its activity again."""
    text = content.decode().replace('targetRef="after"', 'targetRef="t"').replace(node("task", "after"), "")
    return text.encode()


def _attached(activity: str, kind: str, given: dict[str, str]) -> bytes:
    undoing = kind == "compensate"
    return file(
        _DATA, node("startEvent", "s"), activity, node("endEvent", "e"),
        node("boundaryEvent", "h", EVENTS[kind], attachedToRef="t", **given),
        node("task", "u", isForCompensation="true") if undoing else node("task", "after"),
        '<bpmn:association id="l" sourceRef="h" targetRef="u"/>' * undoing,
        flows("s t", "t e", *([] if undoing else ["h after"])), named=NAMED,
    )  # fmt: skip


def _between(tag: str, inner: str = "", **fixed: str) -> Build:
    return lambda given: file(
        _DATA, node("startEvent", "s"), node(tag, "h", inner, **fixed, **given), node("endEvent", "e"),
        flows("s h", "h e"), named=NAMED,
    )  # fmt: skip


def _start(inner: str = "") -> Build:
    return lambda given: file(
        node("startEvent", "h", inner, **given), node("endEvent", "e"), flows("h e"), named=NAMED
    )


def _end(inner: str = "") -> Build:
    return lambda given: file(
        node("startEvent", "s"), node("endEvent", "h", inner, **given), flows("s h"), named=NAMED
    )


def _event_gateway(given: dict[str, str]) -> bytes:
    return file(
        node("startEvent", "s"), node("eventBasedGateway", "h", **given), node("endEvent", "e"),
        node("intermediateCatchEvent", "a", MESSAGE), node("intermediateCatchEvent", "c", timer("P1D")),
        flows("s h", "h a", "h c", "a e", "c e"), named=NAMED,
    )  # fmt: skip


def _receiver(given: dict[str, str]) -> bytes:
    return file(
        node("receiveTask", "h", instantiate="true", messageRef="m", **given), node("endEvent", "e"),
        flows("h e"), named=NAMED,
    )  # fmt: skip


def _receiving_gateway(given: dict[str, str]) -> bytes:
    return file(
        node("eventBasedGateway", "h", instantiate="true", **given), node("endEvent", "e"),
        node("intermediateCatchEvent", "a", MESSAGE), node("intermediateCatchEvent", "c", OTHER),
        flows("h a", "h c", "a e", "c e"), named=NAMED,
    )  # fmt: skip


def _event_of_handler(given: dict[str, str]) -> bytes:
    inner = (
        node("startEvent", "h", MESSAGE, **given) + node("endEvent", "z") + flows("h z").replace('"f', '"g')
    )
    return file(
        node("startEvent", "s"), node("task", "t"), node("endEvent", "e"), flows("s t", "t e"),
        node("subProcess", "u", inner, triggeredByEvent="true"), named=NAMED,
    )  # fmt: skip


def _event_with_several(given: dict[str, str]) -> bytes:
    return file(
        node("startEvent", "s"), node("task", "t"), node("endEvent", "e"), node("task", "after"),
        node("boundaryEvent", "h", SEVERAL + EVENTS["error"], attachedToRef="t", **given),
        flows("s t", "t e", "h after"), named=NAMED,
    )  # fmt: skip


def _undoing(given: dict[str, str]) -> bytes:
    return file(
        node("startEvent", "s"), node("task", "t"), node("endEvent", "e"), flows("s t", "t e"),
        node("boundaryEvent", "c", event("compensate"), attachedToRef="t"),
        node("task", "h", isForCompensation="true", **given),
        '<bpmn:association id="l" sourceRef="c" targetRef="h"/>',
    )  # fmt: skip


def _handler(given: dict[str, str]) -> bytes:
    return file(
        node("startEvent", "s"), node("task", "t"), node("endEvent", "e"), flows("s t", "t e"),
        node("subProcess", "h", HANDLER, triggeredByEvent="true", **given),
    )  # fmt: skip


def _event_at_task(kind: str) -> Build:
    return lambda given: _attached(node("task", "t"), kind, given)


BUILDS: dict[str, Build] = {
    **{f"{tag} {loop}".strip(): _between(tag, inner + text, **options)
       for tag, (inner, options) in ACTIVITIES.items() for loop, text in LOOPS.items()},
    **{tag: _between(tag) for tag in ("exclusiveGateway", "parallelGateway", "inclusiveGateway")},
    "complexGateway": _between("complexGateway"), "eventBasedGateway": _event_gateway,
    "throwing event": _between("intermediateThrowEvent"),
    "throwing event, message": _between("intermediateThrowEvent", MESSAGE),
    **{f"catching event, {kind}": _between("intermediateCatchEvent", EVENTS[kind])
       for kind in ("timer", "message", "conditional")},
    "start event": _start(), "start event, message": _start(MESSAGE),
    "start event, timer": _start(timer("R/P1D", "timeCycle")),
    "end event": _end(), "end event, message": _end(MESSAGE), "end event, error": _end(EVENTS["error"]),
    "end event, terminate": _end(event("terminate")),
    **{f"boundary event, {kind}": _event_at_task(kind) for kind in EVENTS},
    "activity for compensation": _undoing, "event sub-process": _handler,
    "event of a sub-process": _event_of_handler, "receiver": _receiver,
    "receiving gateway": _receiving_gateway,
    "several, at a task": _event_with_several, "several, start": _start(MESSAGE + OTHER),
    "several, end": _end(MESSAGE + event("terminate")), "several, end of messages": _end(MESSAGE + OTHER),
    "several, thrown": _between("intermediateThrowEvent", MESSAGE + OTHER),
    "several, caught": _between("intermediateCatchEvent", SEVERAL),
    "several, all caught": _between("intermediateCatchEvent", SEVERAL, parallelMultiple="true"),
}  # fmt: skip
