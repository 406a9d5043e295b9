"""What of BPMN 2.0 is supported or refused, with a file for each, for the tests and docs/bpmn.md."""

from __future__ import annotations

from flows.tests.bpmn.files.bpmn_files import event, file, flows, node, timer

ERROR = '<bpmn:error id="x" errorCode="X"/>'
MESSAGE = (
    '<bpmn:message id="m" name="Paid"/><bpmn:signal id="sig" name="Flood"/>'
    '<bpmn:escalation id="esc" escalationCode="LATE"/>'
)
MESSAGED = event("message", messageRef="m")
SIGNALLED = event("signal", signalRef="sig")
INNER = node("startEvent", "b") + node("task", "i") + node("endEvent", "z") + flows("b i", "i z")


def task(inner: str = "", tag: str = "task", after: str = "", **options: str) -> bytes:
    """Return a process with one activity, and whatever is beside it."""
    return file(
        node("startEvent", "s"), node(tag, "t", inner, **options), node("endEvent", "e"),
        flows("s t", "t e"), after,
    )  # fmt: skip


def start(inner: str = "", **options: str) -> bytes:
    """Return a process with this start event."""
    return file(node("startEvent", "s", inner, **options), node("endEvent", "e"), flows("s e"), named=MESSAGE)


def end(inner: str = "") -> bytes:
    """Return a process with this end event."""
    return file(node("startEvent", "s"), node("endEvent", "e", inner), flows("s e"), named=MESSAGE + ERROR)


def between(tag: str, inner: str = "", **options: str) -> bytes:
    """Return a process with this element between its start and its end."""
    return file(
        node("startEvent", "s"), node(tag, "t", inner, **options), node("endEvent", "e"), flows("s t", "t e"),
        named=MESSAGE,
    )  # fmt: skip


def at(host: str, inner: str, definition: str) -> bytes:
    """Return a process with this event at the border of an activity."""
    return file(
        node("startEvent", "s"), node(host, "h", inner), node("endEvent", "e"),
        node("boundaryEvent", "t", definition, attachedToRef="h"), flows("s h", "h e", "t e"),
        named=MESSAGE + ERROR,
    )  # fmt: skip


def undone(host: str, inner: str = "") -> bytes:
    """Return a process with an activity whose compensation is another one."""
    return file(
        node("startEvent", "s"), node(host, "h", inner), node("endEvent", "e"),
        node("boundaryEvent", "t", event("compensate"), attachedToRef="h"),
        node("task", "u", isForCompensation="true"),
        '<bpmn:association id="l" sourceRef="t" targetRef="u"/>', flows("s h", "h e"),
    )  # fmt: skip


def compensated(tag: str) -> bytes:
    """Return a process that undoes an activity by an event."""
    return file(
        node("startEvent", "s"), node("task", "h"), node("endEvent", "e"),
        node("boundaryEvent", "b", event("compensate"), attachedToRef="h"),
        node("task", "u", isForCompensation="true"),
        '<bpmn:association id="l" sourceRef="b" targetRef="u"/>',
        node(tag, "t", event("compensate")), flows("s h", "h t", "t e"),
    )  # fmt: skip


def gateway(tag: str, *conditions: str) -> bytes:
    """Return a process with a split and a join of this type."""
    return file(
        node("startEvent", "s"), node(tag, "x", **({"default": "x_c"} if conditions else {})),
        node("task", "a"), node("task", "c"), node(tag, "j"), node("endEvent", "e"),
        flows("s x", " ".join(["x a", *conditions]), "x c", "a j", "c j", "j e"),
    )  # fmt: skip


_LOOP = "<bpmn:standardLoopCharacteristics><bpmn:loopCondition>true</bpmn:loopCondition>"
_TIMES = '<bpmn:multiInstanceLoopCharacteristics isSequential="true"><bpmn:loopCardinality>3'
BESIDE = b'cancelActivity="false" attachedToRef'
_HANDLER = (
    node("startEvent", "b", timer("P1D")) + node("task", "i") + node("endEvent", "z") + flows("b i", "i z")
)
ALL = "<bpmn:multiInstanceLoopCharacteristics><bpmn:loopCardinality>3"
_MESSAGE_OR_TIME = event("message", messageRef="m") + timer("PT1M")
PEOPLE = node("userTask", "one") + node("serviceTask", "two")
_UNTIL = "<bpmn:completionCondition>=done</bpmn:completionCondition>"
_BEGUN = "a user or manual task is in the list of tasks; a person begins others, each as often as needed"
AD_HOC: dict[str, tuple[str, dict[str, str], str]] = {
    "": ("", {}, f"{_BEGUN}, until a person says that all is complete, which withdraws the rest (a warning)"),
    ", completionCondition": (
        _UNTIL, {},
        f"{_BEGUN}, until the condition holds after one of them, which withdraws the rest (a warning)",
    ),
    ", cancelRemainingInstances=false": (
        _UNTIL, {"cancelRemainingInstances": "false"},
        "as before, but what is there is still performed once the condition holds (a warning)",
    ),
    ", ordering=Sequential": (
        "", {"ordering": "Sequential"},
        "a person chooses the next activity when the one before has ended, or that all is complete "
        "(a warning)",
    ),
}  # fmt: skip
SUPPORTED: dict[str, tuple[bytes, str]] = {
    "start event": (start(), "the first token of an instance"),
    "start event, message": (start(MESSAGED), "an instance is also started by this [signal](signals.md)"),
    "start event, signal": (start(SIGNALLED), "an instance is also started by this [signal](signals.md)"),
    "start event, timer": (
        start(timer("R/2030-01-01T06:00:00Z/P1D", "timeCycle")),
        "instances start at a moment, after a duration, or as often as a cycle says",
    ),
    "start event, timer with a cron expression": (
        start(timer("0 9 * * MON-FRI", "timeCycle")),
        "instances start at these times of the day, in UTC",
    ),
    "start event, conditional": (
        file(node("startEvent", "s", event("conditional", "<bpmn:condition>1 = 1</bpmn:condition>")),
             node("endEvent", "e"), flows("s e")),
        "people start the instances, or a [signal](signals.md) where there are other starts: before an "
        "instance there are no data (a warning)",
    ),
    "several start events without an event": (
        file(node("startEvent", "s"), node("startEvent", "t"), node("endEvent", "e"), flows("s e", "t e")),
        "`started_by` chooses by the name of the event; else the first one (a warning)",
    ),
    "no start event": (
        file(node("task", "t"), node("endEvent", "e"), flows("t e")),
        "what no sequence flow leads to begins at once",
    ),
    "several start events": (
        file(node("startEvent", "s"), node("startEvent", "mail", MESSAGED), node("task", "t"),
             node("startEvent", "d", timer("R/P1D", "timeCycle")), node("endEvent", "e"),
             flows("s t", "mail e", "d e", "t e"), named=MESSAGE),
        "the first token is after the one whose message or timer started the instance, else after the one "
        "without any",
    ),
    "end event": (end(), "a token ends; the instance is final when none is left"),
    "end event, message": (end(MESSAGED), "a job; a worker sends the message"),
    "end event, error": (
        end(event("error", errorRef="x")),
        "the nearest error event around it; without one the instance is an exception (`ended_by`)",
    ),
    "end event, terminate": (end(event("terminate")), "all tokens of its level end; jobs are withdrawn"),
    "end event, signal": (end(SIGNALLED), "a job; a worker sends the signal"),
    "end event, escalation": (
        end(event("escalation", escalationRef="esc")),
        "the nearest event around it that catches it; without one its token ends",
    ),
    "user task, manual task": (between("userTask"), "a [task of a person](#tasks-of-persons)"),
    "task, service task, send task, business rule task": (between("serviceTask"), "a job"),
    "receive task": (between("receiveTask", messageRef="m"), "a job that waits for a [signal](signals.md)"),
    "script task": (
        between("scriptTask", "<bpmn:script>n = 1</bpmn:script>", scriptFormat="sql"),
        "assignments (`scriptFormat=\"sql\"`) that the database performs",
    ),
    "script task in FEEL": (
        file(node("startEvent", "s"), node("endEvent", "e"), flows("s t", "t e"),
             '<bpmn:extensionElements><wedsql:attribute name="n" type="integer"/></bpmn:extensionElements>',
             node("scriptTask", "t", "<bpmn:extensionElements>"
                  '<zeebe:script expression="=1 + 1" resultVariable="n"/></bpmn:extensionElements>')),
        "an assignment that the database performs",
    ),
    "script task in another language": (
        between("scriptTask", "<bpmn:script>x</bpmn:script>", scriptFormat="groovy"),
        "a job; a worker performs the script (a warning)",
    ),
    "sub-process": (between("subProcess", INNER), "a part of the same instance"),
    **{f"ad-hoc sub-process{what}": (between("adHocSubProcess", PEOPLE + until, **options), becomes)
       for what, (until, options, becomes) in AD_HOC.items()},
    "collapsed sub-process without contents": (between("subProcess"), "a job (a warning)"),
    "call activity": (
        between("callActivity", calledElement="other"),
        "a job that starts an [instance of another flow](children.md), whose end completes it",
    ),
    "call activity, all values": (
        between(
            "callActivity",
            '<bpmn:extensionElements><camunda:in variables="all"/></bpmn:extensionElements>',
            calledElement="other",
        ),
        "the child gets the values of the attributes that both flows have; so for those that come back",
    ),
    "call of a global task of the file": (
        between("callActivity", calledElement="g").replace(
            b"<bpmn:process", b'<bpmn:globalUserTask id="g" name="All"/><bpmn:process'
        ),
        "this task",
    ),
    "call activity without a process": (between("callActivity"), "a task of a person (a warning)"),
    "loop": (
        between("task", f"{_LOOP}</bpmn:standardLoopCharacteristics>"),
        "repeated while the condition holds",
    ),
    "multi-instance, sequential": (
        between("task", f"{_TIMES}</bpmn:loopCardinality></bpmn:multiInstanceLoopCharacteristics>"),
        "repeated a number of times, or for each item of an array, one after another",
    ),
    "multi-instance, parallel": (
        between("task", f"{ALL}</bpmn:loopCardinality></bpmn:multiInstanceLoopCharacteristics>"),
        "performed by [child instances](children.md) at the same time",
    ),
    "multi-instance, loopDataInputRef": (
        file(node("dataObject", "list", name="Papers", isCollection="true"), node("startEvent", "s"),
             node("task", "t", "<bpmn:multiInstanceLoopCharacteristics><bpmn:loopDataInputRef>list"
                  '</bpmn:loopDataInputRef><bpmn:inputDataItem id="x" name="paper"/>'
                  "</bpmn:multiInstanceLoopCharacteristics>"), flows("s t")),
        "for each item of the collection that the data input has, or its data object; `loopDataOutputRef` "
        "of a parallel one collects `outputDataItem`",
    ),
    "loop without a condition": (
        between("task", "<bpmn:standardLoopCharacteristics/>"),
        "repeated until a person ends it (a warning)",
    ),
    "multi-instance without a number": (
        between("task", "<bpmn:multiInstanceLoopCharacteristics/>"),
        "a person gives the number in a task before it (a warning)",
    ),
    "exclusive gateway": (
        gateway("exclusiveGateway", "1 = 1"),
        "the first condition that holds, else the default, whose own condition has no effect (a warning)",
    ),
    "exclusive gateway without conditions": (
        gateway("exclusiveGateway"),
        "whoever performs the task before it [chooses](#what-a-drawing-leaves-out) (a warning)",
    ),
    "parallel gateway": (gateway("parallelGateway"), "all flows; waits for one token of each"),
    "inclusive gateway": (
        gateway("inclusiveGateway", "1 = 1"),
        "each condition that holds, else the default; waits for each token that can still arrive",
    ),
    "complex gateway": (
        file(node("startEvent", "s"), node("task", "a"), node("endEvent", "e"),
             node("complexGateway", "j", "<bpmn:activationCondition>1</bpmn:activationCondition>"),
             flows("s a", "a j", "j e")),
        "waits for a number of incoming flows, then absorbs the rest",
    ),
    "event-based gateway": (
        file(node("startEvent", "s"), node("eventBasedGateway", "g"), node("endEvent", "e"),
             node("intermediateCatchEvent", "a", MESSAGED), node("intermediateCatchEvent", "b", timer("P1D")),
             flows("s g", "g a", "g b", "a e", "b e"), named=MESSAGE),
        "the first event withdraws the others",
    ),
    "conditional and default flows of an activity": (
        file(node("startEvent", "s"), node("task", "t", default="t_b"), node("task", "a"), node("task", "b"),
             flows("s t", "t a 1 = 1", "t b")),
        "as after an inclusive gateway",
    ),
    "conditional flow of an event, a parallel or an event-based gateway": (
        file(node("startEvent", "s"), node("task", "t"), flows("s t 1 = 2")),
        "taken as without its condition, which BPMN does not allow there (a warning)",
    ),
    "catching event, message": (
        between("intermediateCatchEvent", MESSAGED),
        "waits for a [signal](signals.md)",
    ),
    "catching event, timer": (
        between("intermediateCatchEvent", timer("PT1H")),
        "waits for a duration or a date",
    ),
    "catching event, timer with a cycle": (
        between("intermediateCatchEvent", timer("R3/PT1H", "timeCycle")),
        "waits for its first time",
    ),
    "catching event, conditional": (
        between("intermediateCatchEvent", event("conditional", "<bpmn:condition>true</bpmn:condition>")),
        "waits until the condition holds",
    ),
    "catching event, signal": (
        between("intermediateCatchEvent", SIGNALLED),
        "waits for a [signal](signals.md), which is for all events of the instance that wait for it",
    ),
    "catching event with several definitions": (
        between("intermediateCatchEvent", _MESSAGE_OR_TIME),
        "the first of them; after an event-based gateway, one of its events each",
    ),
    "catching event with several definitions, parallelMultiple": (
        between("intermediateCatchEvent", _MESSAGE_OR_TIME, parallelMultiple="true"),
        "waits for each of them",
    ),
    "start and boundary event with several definitions": (
        start(_MESSAGE_OR_TIME.replace("PT1M", "R/PT1H").replace("timeDuration", "timeCycle")),
        "each of them is taken",
    ),
    "throwing and end event with several definitions": (
        end(event("message", messageRef="m") + event("error", errorRef="x")),
        "each, one after another; the one that ends what contains it last",
    ),
    "throwing event, compensation, waitForCompletion=false": (
        compensated("intermediateThrowEvent").replace(
            b't" ><bpmn:compensateEventDefinition',
            b't" ><bpmn:compensateEventDefinition waitForCompletion="false"'
        ),
        "a token goes on at once, another one ends with the compensation",
    ),
    "receive task that starts instances": (
        file(node("receiveTask", "t", messageRef="m", instantiate="true"), node("endEvent", "e"),
             flows("t e"), named=MESSAGE),
        "a start event with its message",
    ),
    "event-based gateway that starts instances": (
        file(node("eventBasedGateway", "g", instantiate="true"), node("endEvent", "e"), flows("g t", "t e"),
             node("intermediateCatchEvent", "t", event("message", messageRef="m")), named=MESSAGE),
        "start events instead of the events that it leads to",
    ),
    "event without a time or a condition": (
        between("intermediateCatchEvent", event("timer")),
        "a task of a person, who says when it happens (a warning)",
    ),
    "throwing event": (between("intermediateThrowEvent"), "passes each token"),
    "throwing event, message": (
        between("intermediateThrowEvent", MESSAGED),
        "a job; a worker sends the message",
    ),
    "throwing event, signal": (
        between("intermediateThrowEvent", SIGNALLED),
        "a job; a worker sends the signal, and events of the same instance get it",
    ),
    "throwing event, escalation": (
        between("intermediateThrowEvent", event("escalation", escalationRef="esc")),
        "the nearest event around it that catches it; without one it passes the token",
    ),
    "link events": (
        file(node("startEvent", "s"), node("intermediateThrowEvent", "a", event("link", name="L")),
             node("intermediateCatchEvent", "b", event("link", name="L")), node("endEvent", "e"),
             flows("s a", "b e")),
        "a flow from one to the other",
    ),
    "boundary event, timer, message, signal, conditional": (
        at("task", "", timer("PT1H")),
        "takes the token of the activity, whose job is withdrawn; a sub-process loses all its tokens",
    ),
    "boundary event that does not interrupt: timer, message, signal, conditional, escalation": (
        at("task", "", timer("R3/PT1H", "timeCycle")).replace(b"attachedToRef", BESIDE),
        "one more token; a timer happens once, or as often as its cycle says, a condition once, the others "
        "each time",
    ),
    "boundary event, escalation": (
        at("subProcess", INNER + node("endEvent", "esc_end", event("escalation")), event("escalation")),
        "taken when the sub-process throws it; at a task, a person says when it happens (a warning)",
    ),
    "boundary event, error": (
        at("task", "", event("error", errorRef="x")),
        "taken when the result of the job has the attribute `error` with its code",
    ),
    "boundary event, error, at a call activity or many performances": (
        at("callActivity", "", event("error", errorRef="x")).replace(
            b'bpmn:callActivity id="h"', b'bpmn:callActivity calledElement="x" id="h"'
        ),
        "taken when a child ends with its code; one without a code whenever a child fails",
    ),
    "event sub-process": (
        file(node("startEvent", "s"), node("task", "t"), flows("s t"),
             node("subProcess", "h", _HANDLER, triggeredByEvent="true")),
        "started by a timer, a message, a signal, a condition, an error or an escalation; all tokens of what "
        "contains it are taken "
        "if it interrupts",
    ),
    "boundary event, compensation": (
        undone("task"),
        "the [compensation](recovery.md) of a task or a call, which people start",
    ),
    "intermediate or end event, compensation": (
        compensated("intermediateThrowEvent"),
        "the activities for compensation of what was performed at its level, or of the activity that it "
        "names, the last one first",
    ),
    "event sub-process, compensation": (
        file(node("startEvent", "s"), node("endEvent", "e"), flows("s u", "u x", "x e"),
             node("subProcess", "u", node("startEvent", "i") + node("task", "pay") + flows("i pay") + node(
                 "subProcess", "h", node("startEvent", "on", event("compensate")) + node("task", "undo")
                 + flows("on undo"), triggeredByEvent="true")),
             node("intermediateThrowEvent", "x", event("compensate"))),
        "undoes the sub-process around it where compensation is thrown after that",
    ),
    "transaction": (between("transaction", INNER), "a sub-process, which can be cancelled"),
    "end event, cancel, in a transaction": (
        file(node("startEvent", "s"), node("endEvent", "e"), flows("s t", "t e", "c e"),
             node("transaction", "t", node("startEvent", "i") + node("endEvent", "z", event("cancel"))
                  + flows("i z")),
             node("boundaryEvent", "c", event("cancel"), attachedToRef="t")),
        "takes all tokens of the transaction, undoes what it has done, then goes on at the cancel event at "
        "its border",
    ),
    "lanes": (
        file('<bpmn:laneSet><bpmn:lane id="l" name="Sales"><bpmn:flowNodeRef>t</bpmn:flowNodeRef></bpmn:lane>'
             "</bpmn:laneSet>", node("startEvent", "s"), node("task", "t"), flows("s t")),
        "the [role](defining-flows.md#roles) of what is in the lane",
    ),
    "data object with a type": (
        file(node("startEvent", "s"), node("endEvent", "e"), flows("s e"),
             node("dataObject", "d", name="items", isCollection="true")),
        "an attribute of the type of its items: truth values, numbers, texts, dates; a list is JSON",
    ),
    "data object": (
        file(node("startEvent", "s"), node("dataObject", "o", name="Total", wedsql_type="numeric"),
             node("endEvent", "e"), flows("s e")),
        "an attribute",
    ),
    "text annotation, association, group": (
        file(node("startEvent", "s"), node("endEvent", "e"), flows("s e"),
             '<bpmn:textAnnotation id="n"><bpmn:text>x</bpmn:text></bpmn:textAnnotation>'),
        "drawn",
    ),
}  # fmt: skip

REFUSED: dict[str, bytes] = {
    "a value that is passed without a name": task(
        '<bpmn:extensionElements><camunda:in source="a"/></bpmn:extensionElements>',
        "callActivity", calledElement="x",
    ),
    "a start event that waits for all of its definitions": file(
        node("startEvent", "t", event("message") + timer("R/PT1H", "timeCycle"), parallelMultiple="true"),
        node("endEvent", "e"), flows("t e"),
    ),
    "a timer with several times": task(
        event("timer", "<bpmn:timeDate>2030-01-01T00:00Z</bpmn:timeDate>"
              "<bpmn:timeCycle>R/P1D</bpmn:timeCycle>"),
        "intermediateCatchEvent",
    ),
    "several start events with one message": file(
        node("startEvent", "s", MESSAGED), node("startEvent", "t", MESSAGED), node("endEvent", "e"),
        flows("s e", "t e"), named=MESSAGE,
    ),
    "a gateway that starts instances when all events have come": file(
        node("eventBasedGateway", "t", instantiate="true", eventGatewayType="Parallel"),
        node("endEvent", "e"), flows("t c", "c e"),
        node("intermediateCatchEvent", "c", event("message", messageRef="m")), named=MESSAGE,
    ),
    "an activity that takes several tokens": task(startQuantity="2"),
    "an option that does not exist": task(wedsql_colour="red"),
    "an option with a wrong value": task(wedsql_max_attempts="many"),
    "an option that the import sets": task(wedsql_sets="n = 1"),
    "a performer that is none": task(wedsql_performer="database"),
    "an option of workers where a person performs the task": task(tag="userTask", wedsql_timeout="1h"),
    "an option of persons where a worker performs the task": task(wedsql_deadline="1h"),
    "tasks of persons and workers with one transition": file(
        node("startEvent", "s"), node("task", "u", wedsql_transition="pay"), node("endEvent", "e"),
        node("userTask", "t", wedsql_transition="pay"), flows("s u", "u t", "t e"),
    ),
    "an option of an element without a rule": file(
        node("startEvent", "t", wedsql_priority="2"), node("endEvent", "e"), flows("t e")
    ),
    "an option of jobs where there are none": between("exclusiveGateway", wedsql_timeout="1h"),
    "a role that no job has": between("exclusiveGateway", wedsql_role="Boss"),
}  # fmt: skip
