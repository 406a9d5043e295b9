"""BPMN files of tests, written as short as a test needs them."""

from __future__ import annotations

_SPACES = (
    'xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL" '
    'xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI" '
    'xmlns:dc="http://www.omg.org/spec/DD/20100524/DC" xmlns:di="http://www.omg.org/spec/DD/20100524/DI" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" xmlns:camunda="http://camunda.org/schema/1.0/bpmn" '
    'xmlns:flowable="http://flowable.org/bpmn" xmlns:activiti="http://activiti.org/bpmn" '
    'xmlns:wedsql="https://wed-sql.org/bpmn"'
)


def file(*parts: str, named: str = "", after: str = "", options: str = "") -> bytes:
    """Return a file with one process; `named` are messages and errors, `after` what follows the process."""
    process = (
        f'<bpmn:process id="p" isExecutable="true" {options}>\n' + "\n".join(parts) + "\n</bpmn:process>"
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    return f"{head}\n<bpmn:definitions {_SPACES}>\n{named}{process}\n{after}</bpmn:definitions>".encode()


def node(tag: str, id_: str, inner: str = "", **attributes: str) -> str:
    """Return a node; `wedsql_timeout` stands for wedsql:timeout."""
    given = " ".join(f'{key.replace("_", ":", 1)}="{value}"' for key, value in attributes.items())
    return f'<bpmn:{tag} id="{id_}" {given}>{inner}</bpmn:{tag}>'


def flows(*pairs: str) -> str:
    """Return sequence flows: "a b" or "a b condition"; their ids are a_b."""
    found = []
    for pair in pairs:
        source, target, *condition = pair.split(" ", 2)
        inner = "".join(f"<bpmn:conditionExpression>{each}</bpmn:conditionExpression>" for each in condition)
        ends = f'sourceRef="{source}" targetRef="{target}"'
        found.append(f'<bpmn:sequenceFlow id="{source}_{target}" {ends}>{inner}</bpmn:sequenceFlow>')
    return "\n".join(found)


def event(kind: str, inner: str = "", **attributes: str) -> str:
    """Return the definition of an event."""
    given = " ".join(f'{key}="{value}"' for key, value in attributes.items())
    return f"<bpmn:{kind}EventDefinition {given}>{inner}</bpmn:{kind}EventDefinition>"


def timer(text: str, form: str = "timeDuration") -> str:
    """Return the definition of a timer."""
    return event("timer", f"<bpmn:{form}>{text}</bpmn:{form}>")


def attribute(name: str, **options: str) -> str:
    """Return the declaration of an attribute."""
    given = " ".join(f'{key}="{value}"' for key, value in options.items())
    return f'<wedsql:attribute name="{name}" {given}/>'


def attributes(*declared: str) -> str:
    """Return the extension of a process with its attributes."""
    return f"<bpmn:extensionElements>{''.join(declared)}</bpmn:extensionElements>"


ORDER = file(
    attributes(
        attribute("amount", type="integer", default="0"),
        attribute("packed", type="boolean", default="false"),
        attribute("number", business_key="true"),
    ),
    node("startEvent", "ordered", event("message", messageRef="m1")),
    node("exclusiveGateway", "check", default="check_accepted"),
    node("userTask", "approve", name="Approve the order"),
    node("exclusiveGateway", "accepted"),
    node("parallelGateway", "fork"),
    node("serviceTask", "charge", name="Charge the card", wedsql_max_attempts="2"),
    node("boundaryEvent", "declined", event("error", errorRef="e1"), attachedToRef="charge"),
    node("userTask", "pack"),
    node("boundaryEvent", "late", timer("PT2H"), attachedToRef="pack"),
    node("exclusiveGateway", "whole", default="whole_ready"),
    node("exclusiveGateway", "ready"),
    node("task", "remind"),
    node("parallelGateway", "join"),
    node("eventBasedGateway", "await"),
    node("intermediateCatchEvent", "arrived", event("message", messageRef="m2")),
    node("intermediateCatchEvent", "forgotten", timer("P3D")),
    node("sendTask", "ask"),
    node("endEvent", "done"),
    node("endEvent", "refused", event("terminate")),
    flows(
        "ordered check", "check approve =amount &gt; 1000", "check accepted", "approve accepted",
        "accepted fork", "fork charge", "fork pack", "charge join", "pack whole",
        "whole pack packed = false", "whole ready", "late remind", "remind ready", "ready join",
        "declined refused", "join await", "await arrived", "await forgotten", "arrived done",
        "forgotten ask", "ask done",
    ),
    named='<bpmn:message id="m1" name="Order received"/><bpmn:message id="m2" name="Delivered"/>'
    '<bpmn:error id="e1" name="Declined" errorCode="DECLINED"/>',
    options='name="Order"',
)  # fmt: skip
