"""Histories as XES, IEEE 1849-2023: a trace for each instance, an event for each step."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from xml.sax.saxutils import quoteattr

from flows.capabilities.figures.histories import Case, Step

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="1849-2023" xes.features="" xmlns="http://www.xes-standard.org/">
  <extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
  <extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>
  <extension name="Organizational" prefix="org" uri="http://www.xes-standard.org/org.xesext"/>
  <extension name="Lifecycle" prefix="lifecycle" uri="http://www.xes-standard.org/lifecycle.xesext"/>
  <global scope="trace"><string key="concept:name" value=""/></global>
  <global scope="event"><string key="concept:name" value=""/>
    <date key="time:timestamp" value="1970-01-01T00:00:00.000+00:00"/>
    <string key="lifecycle:transition" value="complete"/></global>
  <classifier name="Activity" keys="concept:name"/>
"""
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def written(flow: str, cases: Iterable[Case]) -> Iterator[bytes]:
    """Yield a file with the histories of a flow."""
    yield f"{_HEAD}  {_text('concept:name', flow)}\n".encode()
    for case in cases:
        yield "".join(_trace(case)).encode()
    yield b"</log>\n"


def _trace(case: Case) -> Iterator[str]:
    yield f"  <trace>{_text('concept:name', str(case.wid))}{_text('status', case.status)}"
    yield _date("started", case.started_at)
    if case.finished_at is not None:
        yield _date("finished", case.finished_at)
    if case.parent is not None:
        yield f'<int key="parent" value="{case.parent}"/>'
    yield "\n"
    for step in case.steps:
        yield f"    <event>{''.join(_event(step))}</event>\n"
    yield "  </trace>\n"


def _event(step: Step) -> Iterator[str]:
    yield _text("concept:name", step.transition)
    yield _date("time:timestamp", step.at)
    yield _text("lifecycle:transition", "complete")
    if step.actor:
        yield _text("org:resource", step.actor)
    yield f'<int key="step" value="{step.seq}"/>'


def _text(key: str, value: str) -> str:
    return f'<string key="{key}" value={quoteattr(_NOT_IN_XML.sub("?", value))}/>'


def _date(key: str, value: datetime) -> str:
    return f'<date key="{key}" value="{value.isoformat(timespec="milliseconds")}"/>'
