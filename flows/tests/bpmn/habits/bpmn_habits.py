"""What other tools write, and people draw: files that are read, with warnings where they are not BPMN.

`HABITS` combines kinds of events with places, texts of conditions with gateways, and texts of times with
events, so that a kind without a rule of its own is tried, too.
"""

from __future__ import annotations

from itertools import product

from flows.tests.bpmn.files.bpmn_conformance import ERROR, INNER, MESSAGE, between
from flows.tests.bpmn.files.bpmn_files import event, file, flows, node, timer

KINDS = (
    "", "timer", "message", "signal", "conditional", "link", "error", "escalation", "cancel", "compensate",
    "terminate",
)  # fmt: skip
TIMES = {
    "timeDuration": (
        "PT0.25S",
        "&quot;PT5M&quot;",
        "After five days",
        "2 weeks",
        "${timeout}",
        "=timeout",
        "${bean.duration()}",
    ),
    "timeDate": ("1st of month", "12:00", "2030-01-01", "2030-01-01T12:00:00", "#{x.y}"),
    "timeCycle": (
        "@daily",
        "R10/2021-01-01T00:00:00Z/P1D",
        "Every Monday",
        "0 0 12 1 * ?",
        "0 0/5 * * * ?",
        "PT1H",
        "* * * * * *",
    ),
}
CONDITIONS = (
    "a === 'yes'", "a !== 3", "${a eq 3 and b gt 2}", "${a &gt; 1 ? true : false}", "${helper.isOk(x)}",
    "Amount greater than 100?", "Order complete / ok", "&gt; 1000 EUR", "[yes]", '"yes"', "a &lt;&gt; 3",
    "${variables:get(x) == 1}", "${S(x).prop('a').value() == 'b'}", "return a == true;", "a % 2 == 0", "1",
    "return KieFunctions.isTrue(a);",
    "items.filter(i =&gt; i.ok).length", "${a} &gt; 3", "${a} &amp;&amp; ${b}",
    "50%", "Betrag &gt;= 1.000,00", "größe &gt; 3", "=today() &gt; due",
)  # fmt: skip
CHOOSING = ("exclusiveGateway", "inclusiveGateway", "complexGateway", "task")
_NAMED = MESSAGE + ERROR
_HANDLER = INNER.replace("</bpmn:startEvent>", "{}</bpmn:startEvent>")


def at_start(definition: str) -> bytes:
    """Return a process that starts with an event."""
    return file(node("startEvent", "s", definition, name="Go"), node("task", "t"), flows("s t"), named=_NAMED)


def at_end(definition: str) -> bytes:
    """Return a process that ends with an event."""
    return file(node("startEvent", "s"), node("endEvent", "e", definition), flows("s e"), named=_NAMED)


def at_border(definition: str, host: str = "task", **options: str) -> bytes:
    """Return a process with an event at the border of an activity."""
    return file(
        node("startEvent", "s"), node(host, "t"), node("task", "k"), flows("s t", "b k"),
        node("boundaryEvent", "b", definition, attachedToRef="t", **options), named=_NAMED,
    )  # fmt: skip


def after_gateway(definition: str) -> bytes:
    """Return a process with an event after an event-based gateway."""
    return file(
        node("startEvent", "s"), node("eventBasedGateway", "g"), node("task", "k"),
        node("intermediateCatchEvent", "a", definition), node("intermediateCatchEvent", "c", timer("PT1H")),
        flows("s g", "g a", "g c", "a k", "c k"), named=_NAMED,
    )  # fmt: skip


def handled(definition: str) -> bytes:
    """Return a process with an event sub-process that an event starts."""
    return file(
        node("startEvent", "s"), node("task", "t"), flows("s t"), named=_NAMED, after="",
        options="",
    ).replace(
        b"</bpmn:process>",
        node("subProcess", "h", _HANDLER.format(definition), triggeredByEvent="true").encode()
        + b"</bpmn:process>",
    )  # fmt: skip


def thrown(definition: str) -> bytes:
    """Return a process with an event that throws."""
    return between("intermediateThrowEvent", definition)


def caught(definition: str) -> bytes:
    """Return a process with an event that is waited for."""
    return between("intermediateCatchEvent", definition)


PLACES = {
    "start": at_start, "end": at_end, "border": at_border, "event-based gateway": after_gateway,
    "event sub-process": handled, "thrown": thrown, "caught": caught,
}  # fmt: skip


def decided(tag: str, condition: str, default: bool) -> bytes:
    """Return a process in which an element chooses by a condition."""
    given = {"default": "g_b"} if default else {}
    return file(
        node("startEvent", "s"), node("task", "w"), node(tag, "g", **given), node("task", "a"),
        node("task", "b"), flows("s w", "w g", f"g a {condition}", "g b"),
    )  # fmt: skip


def ad_hoc(*inner: str, until: str = "", **options: str) -> bytes:
    """Return a process with an ad-hoc sub-process of these parts."""
    end = f"<bpmn:completionCondition>{until}</bpmn:completionCondition>" if until else ""
    return between("adHocSubProcess", "".join(inner) + end, **options)


ONE, TWO = node("userTask", "one", name="One"), node("userTask", "two", name="Two")
JOB = node("serviceTask", "job", name="Job")
AD_HOC = {
    "of persons": ad_hoc(ONE, TWO), "of workers": ad_hoc(JOB, node("task", "other")),
    "with a condition": ad_hoc(ONE, JOB, until="=done", cancelRemainingInstances="false"),
    "one after another": ad_hoc(ONE, TWO, ordering="Sequential"),
    "one after another until": ad_hoc(ONE, JOB, until="${done}", ordering="Sequential"),
    "with flows": ad_hoc(ONE, TWO, JOB, flows("one two")), "without contents": ad_hoc(),
    "with a text": ad_hoc(ONE, until="When all is said."),
    "with a sub-process": ad_hoc(ONE, node("subProcess", "sub", INNER)),
    "with a start": ad_hoc(ONE, node("startEvent", "b"), flows("b one")),
    "with a gateway": ad_hoc(ONE, TWO, node("exclusiveGateway", "x"), JOB, flows("one x", "x two", "x job")),
}  # fmt: skip
_TRIED = '<bpmn:dataObject id="papers" name="Papers" isCollection="true"/>'
_ITEMS = (
    '<bpmn:{0} id="t"><bpmn:ioSpecification><bpmn:dataInput id="IN"/><bpmn:dataOutput id="OUT"/>'
    "<bpmn:inputSet/><bpmn:outputSet/></bpmn:ioSpecification><bpmn:dataInputAssociation>"
    "<bpmn:sourceRef>papers</bpmn:sourceRef><bpmn:targetRef>IN</bpmn:targetRef></bpmn:dataInputAssociation>"
    "<bpmn:dataOutputAssociation><bpmn:sourceRef>OUT</bpmn:sourceRef><bpmn:targetRef>results</bpmn:targetRef>"
    '</bpmn:dataOutputAssociation><bpmn:multiInstanceLoopCharacteristics isSequential="{1}">'
    "<bpmn:loopDataInputRef>IN</bpmn:loopDataInputRef><bpmn:loopDataOutputRef>OUT</bpmn:loopDataOutputRef>"
    '<bpmn:inputDataItem id="paper"/><bpmn:outputDataItem id="result"/>'
    "</bpmn:multiInstanceLoopCharacteristics></bpmn:{0}>"
)


def items(tag: str, sequential: str) -> bytes:
    """Return a process with an activity for each item of a collection, as BPMN itself writes it."""
    return file(
        node("dataObject", "papers", name="Papers", isCollection="true"),
        node("dataObject", "results", isCollection="true"), node("startEvent", "s"), flows("s t"),
        _ITEMS.format(tag, sequential),
    )  # fmt: skip


_MI = "<bpmn:multiInstanceLoopCharacteristics {}>{}</bpmn:multiInstanceLoopCharacteristics>"
_CALL = "<bpmn:extensionElements>{}</bpmn:extensionElements>"
REPEATED = {
    "a collection that a program computes": between(
        "userTask", _MI.format('camunda:collection="${x.y()}"', "")
    ),
    "a number that a program computes": between(
        "task", _MI.format("", "<bpmn:loopCardinality>${x.size()}</bpmn:loopCardinality>")
    ),
    "an end for readers": between(
        "task", _MI.format("", "<bpmn:loopCardinality>3</bpmn:loopCardinality><bpmn:completionCondition>"
                           "When 2/3 agree, stop.</bpmn:completionCondition>")
    ),
    "a loop for readers": between(
        "task", '<bpmn:standardLoopCharacteristics loopMaximum="n"><bpmn:loopCondition>all, or none!'
        "</bpmn:loopCondition></bpmn:standardLoopCharacteristics>"
    ),
    **{f"items of a {tag}, {order}": items(tag, order)
       for tag, order in product(("userTask", "serviceTask"), ("true", "false"))},
}  # fmt: skip
CALLS = {
    "computed": between("callActivity", calledElement="${x}"),
    "computed, in FEEL": between("callActivity", _CALL.format('<zeebe:calledElement processId="=x"/>')),
    "of a global task": between("callActivity", calledElement="gt").replace(
        b"<bpmn:process", b'<bpmn:globalUserTask id="gt" name="All"/><bpmn:process'
    ),
    "with a value of a program": between(
        "callActivity", _CALL.format('<camunda:in sourceExpression="${x.y()}" target="b"/>'),
        calledElement="o",
    ),
    "with the values of Flowable": between(
        "callActivity",
        _CALL.format('<flowable:in source="a" target="b"/><flowable:out source="c" target="d"/>'),
        calledElement="o", flowable_inheritVariables="true",
    ),
}  # fmt: skip
LINES = {
    "a link by another name": (
        node("intermediateThrowEvent", "t", event("link", name="A")),
        node("intermediateCatchEvent", "c", event("link", name="a ")), node("task", "k"), flows("s t", "c k"),
    ),
    "a link to several": (
        node("intermediateThrowEvent", "t", event("link", name="A")), node("task", "k"), flows("s t", "c k"),
        node("intermediateCatchEvent", "c", event("link", name="A")),
        node("intermediateCatchEvent", "d", event("link", name="A")), node("task", "l"), flows("d l"),
    ),
    "a flow out of a link": (
        node("intermediateThrowEvent", "t", event("link", name="A")), flows("s t", "t k", "c k"),
        node("intermediateCatchEvent", "c", event("link", name="A")), node("task", "k"),
    ),
    "a flow into a link": (
        node("intermediateCatchEvent", "c", event("link", name="A")), node("task", "k"), flows("s c", "c k"),
    ),
    "a flow to a start": (
        node("task", "t"), node("exclusiveGateway", "g", default="g_e"), node("endEvent", "e"),
        flows("s t", "t g", "g s 1 = 2", "g e"),
    ),
    "a flow from an end": (node("endEvent", "t"), node("task", "k"), flows("s t", "t k")),
    "a flow to a border": (
        node("task", "t"), node("boundaryEvent", "b", timer("PT1H"), attachedToRef="t"), node("task", "k"),
        flows("s t", "b k", "k b"),
    ),
    "flows of an event sub-process": (
        node("subProcess", "h", INNER, triggeredByEvent="true"), node("endEvent", "e"), flows("s h", "h e"),
    ),
    "flows of one that an event starts": (
        node("subProcess", "h", _HANDLER.format(timer("P1D")), triggeredByEvent="true"),
        node("endEvent", "e"), flows("s h", "h e"),
    ),
    "a message beside a task": (
        node("task", "t"), flows("s t"),
        node("boundaryEvent", "b", event("message"), attachedToRef="t", cancelActivity="false"),
    ),
    "no end": (node("task", "t"), node("task", "u"), flows("s t", "t u", "u t")),
    "a task to itself": (node("task", "t"), flows("s t", "t t")),
    "an event of its own": (
        node("task", "w"), node("exclusiveGateway", "v", default="v_c"), node("eventBasedGateway", "g"),
        node("intermediateCatchEvent", "a", timer("PT1H")),
        node("intermediateCatchEvent", "c", timer("PT2H")),
        flows("s w", "w v", "v g 1 = 1", "v c", "g a", "g c"),
    ),
    **{f"an event-based gateway before a {tag}": (
        node("eventBasedGateway", "g"), node(tag, "a", INNER if tag == "subProcess" else ""),
        node("intermediateCatchEvent", "c", timer("PT2H")), flows("s g", "g a", "g c"),
    ) for tag in ("userTask", "subProcess", "endEvent", "intermediateThrowEvent")},
}  # fmt: skip
PARTS = {
    "a border that is none": (node("task", "t"), node("boundaryEvent", "b", timer("P1D"), attachedToRef="x"),
                              node("task", "k"), flows("s t", "b k")),
    "a default that is none": (
        node("exclusiveGateway", "t", default="x"), node("task", "a"), flows("s t", "t a")
    ),
    **{f"a {kind} of another file": (
        node("endEvent", "t", event(kind, **{f"{kind}Ref": "q:nope"})), flows("s t"),
    ) for kind in ("message", "error", "escalation", "signal")},
    "a definition of another file": (
        node("endEvent", "t", "<bpmn:eventDefinitionRef>q:nope</bpmn:eventDefinitionRef>"), flows("s t")
    ),
    "a node without an id": ('<bpmn:task name="Lonely"/>', node("task", "t"), flows("s t")),
    "the id of the process": (node("task", "p"), flows("s p")),
    "an unknown part": (node("task", "t"), flows("s t"), node("teaPot", "pot")),
    "an unknown node": (node("teaTask", "t"), flows("s t")),
    "two starts of an event sub-process": (
        node("task", "t"), flows("s t"),
        node("subProcess", "h", _HANDLER.format(timer("P1D")) + node("startEvent", "b2", event("signal"))
             + flows("b2 i"), triggeredByEvent="true"),
    ),
    "several definitions of an event sub-process": (
        node("task", "t"), flows("s t"),
        node("subProcess", "h", _HANDLER.format(timer("P1D") + event("signal")), triggeredByEvent="true"),
    ),
    "an event sub-process without a start": (
        node("task", "t"), flows("s t"), node("subProcess", "h", node("task", "i"), triggeredByEvent="true"),
    ),
    "an event at an event sub-process": (
        node("task", "t"), flows("s t"), node("boundaryEvent", "d", timer("P1D"), attachedToRef="h"),
        node("subProcess", "h", _HANDLER.format(timer("P1D")), triggeredByEvent="true"),
    ),
    "a compensation by a flow": (
        node("task", "t"), node("boundaryEvent", "b", event("compensate"), attachedToRef="t"),
        node("task", "u"), flows("s t", "b u"),
    ),
    "a compensation against its direction": (
        node("task", "t"), node("boundaryEvent", "b", event("compensate"), attachedToRef="t"),
        node("task", "u", isForCompensation="true"), flows("s t"),
        '<bpmn:association id="l" sourceRef="u" targetRef="b"/>',
    ),
}  # fmt: skip
HABITS: dict[str, bytes] = {
    **{f"{kind or 'no'} event, {place}": build(event(kind) if kind else "")
       for (place, build), kind in product(PLACES.items(), KINDS)},
    **{f"{text}, {place}": PLACES[place](timer(text, form))
       for form, texts in TIMES.items() for text in texts for place in ("start", "border", "caught")},
    **{f"{text}, {tag}, {default}": decided(tag, text, default)
       for text, tag, default in product(CONDITIONS, CHOOSING, (True, False))},
    **{f"{text}, conditional event": caught(event("conditional", f"<bpmn:condition>{text}</bpmn:condition>"))
       for text in CONDITIONS},
    **{f"an error at a {host}": at_border(event("error", errorRef="x"), host)
       for host in ("receiveTask", "scriptTask", "sendTask")},
    **{f"an ad-hoc sub-process {what}": content for what, content in AD_HOC.items()},
    **REPEATED, **{f"a call {what}": content for what, content in CALLS.items()},
    **{what: file(node("startEvent", "s"), *parts) for what, parts in (LINES | PARTS).items()},
}  # fmt: skip
