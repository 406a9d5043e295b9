"""What BPMN does not have, or what is not read here, and is accepted with a warning, with a file for each."""

from __future__ import annotations

from flows.tests.bpmn.files.bpmn_conformance import ALL, BESIDE, INNER, MESSAGE, at, task, undone
from flows.tests.bpmn.files.bpmn_files import event, file, flows, node, timer

COMPLETED: dict[str, bytes] = {
    "a cancel event in the middle": task(event("cancel"), "intermediateThrowEvent"),
    "a cancel end event outside a transaction": file(
        node("startEvent", "s"), node("endEvent", "t", event("cancel")), flows("s t")
    ),
    "a cancel event at a task": at("task", "", event("cancel")),
    "a transaction that is cancelled without an event at its border": file(
        node("startEvent", "s"), node("endEvent", "e"), flows("s t", "t e"),
        node("transaction", "t", node("startEvent", "i") + node("endEvent", "z", event("cancel"))
             + flows("i z")),
    ),
    "a call whose process is computed": task(tag="callActivity", calledElement="${x}"),
    "callChoreography": task(tag="callChoreography"),
    "an unknown element": task(tag="teaTask"),
    "a time that is none": task(timer("tomorrow"), "intermediateCatchEvent"),
    "a cron expression with days of the month": file(
        node("startEvent", "t", timer("0 9 1 * *", "timeCycle")), node("endEvent", "e"), flows("t e")
    ),
    "a multi-instance activity with a number and a collection": task(
        '<bpmn:multiInstanceLoopCharacteristics wedsql:collection="c"><bpmn:loopCardinality>3'
        "</bpmn:loopCardinality></bpmn:multiInstanceLoopCharacteristics>"
    ),
    "a gateway that starts instances behind a flow": file(
        node("startEvent", "s"), node("eventBasedGateway", "t", instantiate="true"), node("endEvent", "e"),
        node("intermediateCatchEvent", "c", event("message", messageRef="m")), flows("s t", "t c", "c e"),
        named=MESSAGE,
    ),
    "an event of an error that does not interrupt": at("task", "", event("error")).replace(
        b"attachedToRef", BESIDE
    ),
    "compensation of a sub-process": undone("subProcess", INNER),
    "compensation of many performances at once": undone(
        "task", f"{ALL}</bpmn:loopCardinality></bpmn:multiInstanceLoopCharacteristics>"
    ),
    "compensation without an activity": file(
        node("startEvent", "s"), node("task", "h"), node("endEvent", "e"), flows("s h", "h e"),
        node("boundaryEvent", "t", event("compensate"), attachedToRef="h"),
    ),
    "compensation that nothing starts": file(
        node("startEvent", "s"), node("task", "h"), node("endEvent", "e"), flows("s h", "h e"),
        node("task", "t", isForCompensation="true"),
    ),
    "an event gateway before a task": file(
        node("startEvent", "s"), node("eventBasedGateway", "g"), node("task", "t"), flows("s g", "g t")
    ),
    "a link that leads nowhere": file(
        node("startEvent", "s"), node("intermediateThrowEvent", "t", event("link", name="L")), flows("s t")
    ),
    "an event sub-process without an event": file(
        node("startEvent", "s"), node("endEvent", "e"), flows("s e"),
        node("subProcess", "t", node("startEvent", "b") + node("endEvent", "z") + flows("b z"),
             triggeredByEvent="true"),
    ),
    "an activation that is no number": task(
        "<bpmn:activationCondition>x</bpmn:activationCondition>", "complexGateway"
    ),
}  # fmt: skip
