"""Helpers for tests that run processes in BPMN."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from flows import api
from flows.languages.bpmn import compile_process, read
from flows.loading.bpmn import ImportedProcess
from flows.tests.kit import Kit
from flows.tests.people import done as complete


def publish(kit: Kit, content: bytes) -> None:
    made = compile_process(read(content)[0], kit.name)
    api.flows.publish(kit.name, made.compiled.definition, conn=kit.conn)
    source = ImportedProcess(content.decode(), made, ()).source
    api.flows.keep_source(kit.name, source, conn=kit.conn)


def visited(kit: Kit, wid: int) -> Counter[str]:
    return Counter(step[0] for step in kit.story(wid)[1:])


def signal(kit: Kit, name: str, wid: int, **data: Any) -> str:
    return api.signals.send(kit.name, name, data, to=wid, conn=kit.conn).outcome


def perform(kit: Kit, wid: int, random: Random, **results: dict[str, Any]) -> list[str]:
    """Complete jobs in a random order, and send the signals that they wait for, until none is left."""
    done: list[str] = []
    while kit.status(wid) == "R" and kit.pending(wid) and len(done) < 100:
        name = random.choice(kit.jobs(wid))
        changes = results.get(name, {})
        if kit.one("select bool_or(signal) from {f}.wed_trig where trname = %s", [name]):
            assert signal(kit, name, wid, **changes) == "delivered"
        else:
            complete(kit, name, wid, **changes)
        done.append(name)
    return done
