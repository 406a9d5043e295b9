"""Processes of BPMN with several start events."""

from __future__ import annotations

import pytest

from flows import api
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, event, file, flows, node, timer
from flows.tests.bpmn.files.bpmn_running import publish
from flows.tests.kit import Kit, broken

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
NAMED = '<bpmn:message id="m" name="By mail"/><bpmn:message id="w" name="By web"/>'
STARTS = {
    "mail": node("startEvent", "mail", event("message", messageRef="m")),
    "desk": node("startEvent", "desk"),
    "web": node("startEvent", "web", event("message", messageRef="w")),
    "daily": node("startEvent", "daily", timer("P1D")),
}


def process(*starts: str) -> bytes:
    """Return a process with these start events, each before a task of its own."""
    tasks = [node("task", f"t_{name}") for name in starts]
    ways = [f"{name} t_{name}" for name in starts] + [f"t_{name} e" for name in starts]
    return file(
        attributes(attribute("number", business_key="true")), *(STARTS[name] for name in starts), *tasks,
        node("endEvent", "e"), flows(*ways), named=NAMED,
    )  # fmt: skip


def sent(kit: Kit, name: str) -> int:
    wid = api.signals.send(kit.name, name, {"number": "1"}, conn=kit.conn).wid
    assert wid is not None
    return wid


def test_an_instance_begins_after_the_event_that_started_it(kit: Kit) -> None:
    publish(kit, process("mail", "desk", "web", "daily"))
    begun = {"desk": kit.start(), "mail": sent(kit, "by_mail"), "web": sent(kit, "by_web")}
    kit.reap("25 hours")
    begun["daily"] = max(begun.values()) + 1
    for name, wid in begun.items():
        assert kit.jobs(wid) == [f"t_{name}"], name
        kit.run(f"t_{name}", wid)
        assert kit.status(wid) == "F"
    assert broken(kit) == []


def test_without_a_signal_an_instance_begins_after_the_first_of_several_messages(kit: Kit) -> None:
    publish(kit, process("web", "mail"))
    wids = [kit.start(), sent(kit, "by_mail"), sent(kit, "by_web"), kit.start(started_by="by_mail")]
    assert [kit.jobs(wid) for wid in wids] == [["t_web"], ["t_mail"], ["t_web"], ["t_mail"]]
