"""Histories as XES and OCEL 2.0: the same instances, steps and paths as the analysis of the flow."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from flows import api
from flows.capabilities.figures import analysis, histories, paths
from flows.capabilities.figures.histories import Wanted, cases
from flows.models import Flow, Instance, Job
from flows.queries.base import now
from flows.tests.commands import refused, run
from flows.tests.designer import browser
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db(transaction=True)
XES = "{http://www.xes-standard.org/}"
STEPS = ("look", "decide")
ACTOR = "Ana & <Bea>"


def flow(name: str, child: str = "") -> str:
    called: dict[str, Any] = {"child": child} if child else {}
    api.flows.create(name)
    api.flows.publish(name, {
        "attributes": [{"name": "a", "type": "integer", "default": "0"}],
        "triggers": [
            {"name": "first", "transition": "look", "predicate": "a = 0 or a = 2", **called,
             **({"child_result": ["a = 1"]} if child else {})},
            {"name": "second", "transition": "decide", "predicate": "a = 1"},
            {"name": "end", "final": True, "predicate": "a = 3"},
        ],
    })  # fmt: skip
    return name


def work(wid: int, *values: int) -> None:
    """Complete the pending job of an instance with each of these values."""
    name = Instance.objects.select_related("flow").get(wid=wid).flow.name
    for value in values:
        with transaction.atomic():
            job = api.jobs.take(name, STEPS)
            assert job is not None and job.wid == wid
            api.jobs.complete(job, {"a": value}, actor=ACTOR)


def go_on() -> None:
    """Start children, and let jobs of those that have ended be completed, as the reaper does."""
    while api.children.continue_children() is not None:
        pass


@pytest.fixture
def worked() -> str:
    name = flow(unique())
    for values in ((1, 3), (1, 3), (1, 2, 1, 3), (3,), (1,)):
        work(api.instances.start(name), *values)
    return name


def xes(text: str) -> dict[str, list[dict[str, str]]]:
    """Return the events of each trace."""
    root = ElementTree.fromstring(text)  # noqa: S314 - written here
    assert root.tag == f"{XES}log" and root.get("xes.version") == "1849-2023"
    found = {}
    for trace in root.iter(f"{XES}trace"):
        events = [
            {str(v.get("key")): str(v.get("value")) for v in event} for event in trace.iter(f"{XES}event")
        ]
        found[named(trace)] = events
    return found


def named(tag: ElementTree.Element) -> str:
    return next(str(each.get("value")) for each in tag if each.get("key") == "concept:name")


def test_a_log_has_the_instances_steps_and_paths_of_the_analysis(worked: str) -> None:
    flow_id, at = Flow.objects.get(name=worked).pk, now()
    sample = analysis.sample(flow_id, at - timedelta(days=1), at)
    traces = xes(run("flow", "export", "log", worked, "--final"))
    assert {*traces} == {str(wid) for wid in sample.wids} and len(traces) == 4
    counted = Counter(" > ".join(each["concept:name"] for each in events) for events in traces.values())
    known = [order for path in paths.paths(sample, ()) for order in path.orders]
    assert counted["look > decide > look > decide"] == 1, "the analysis keeps repetitions once"
    counted["look > decide"] += counted.pop("look > decide > look > decide")
    assert counted == {each.text: each.count for each in known}
    follows = Counter(
        pair
        for events in traces.values()
        for pair in {(a["concept:name"], b["concept:name"]) for a, b in pairwise(events)}
    )
    caused = {(e.source, e.target): e.count for e in analysis.following(sample, []) if e.source != "start"}
    assert follows == caused
    assert {each["org:resource"] for events in traces.values() for each in events} == {ACTOR}
    assert len(xes(run("flow", "export", "log", worked))) == 5, "those that live, too"


def test_batches_neither_leave_out_nor_repeat_an_instance(
    worked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(histories, "BATCH", 2)
    at = now()
    for final, number in ((True, 4), (False, 5)):
        wanted = Wanted(Flow.objects.get(name=worked).pk, at - timedelta(days=1), at, final)
        wids = [each.wid for each in cases(wanted, at)]
        assert len(wids) == len({*wids}) == number == histories.count(wanted)


def test_children_are_objects_with_events_of_their_own(tmp_path: Path) -> None:
    child = flow(unique())
    parent = flow(unique(), child)
    wid = api.instances.start(parent)
    go_on()
    (inner,) = (each for each in Job.objects.filter(flow__name=child).values_list("wid", flat=True))
    work(inner, 1, 3)
    go_on()
    work(wid, 3)
    path = tmp_path / "log.json"
    said = run("flow", "export", "log", parent, "--format", "ocel", "--output", str(path))
    assert said == f"{path}: 1 instances of flow {parent}.\n"
    found = json.loads(path.read_text(encoding="utf-8"))
    assert [each["name"] for each in found["objectTypes"]] == sorted([parent, child])
    assert [each["name"] for each in found["eventTypes"]] == ["decide", "look"]
    objects = {each["id"]: each for each in found["objects"]}
    assert objects[str(inner)]["relationships"] == [{"objectId": str(wid), "qualifier": "child of"}]
    assert objects[str(wid)]["type"] == parent and objects[str(wid)]["attributes"][0]["value"] == "F"
    events = [(e["relationships"][0]["objectId"], e["type"]) for e in found["events"]]
    assert sorted(events) == sorted((str(w), t) for w in (wid, inner) for t in STEPS)
    assert len({each["id"] for each in found["events"]}) == 4


def test_the_page_of_the_analysis_links_the_files_of_its_window(worked: str) -> None:
    alice = browser(User.objects.create_superuser(unique("alice")))
    page = alice.get(f"/flows/{worked}/analysis/?window=month").content.decode()
    assert f'href="/flows/{worked}/history.xes?window=month"' in page
    answer = alice.get(f"/flows/{worked}/history.xes?window=month")
    assert answer["Content-Disposition"] == f'attachment; filename="{worked}.xes"'
    assert len(xes(content(answer))) == 4
    assert len(json.loads(content(alice.get(f"/flows/{worked}/history.json?window=month")))["objects"]) == 4
    assert xes(content(alice.get(f"/flows/{worked}/history.xes?from=2020-01-01&to=2020-01-02"))) == {}
    assert alice.get(f"/flows/{worked}/history.pdf").status_code == 404


def content(answer: Any) -> str:
    return b"".join(answer.streaming_content).decode()


def test_a_window_with_too_many_is_refused(worked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(histories, "MOST_CASES", 3)
    monkeypatch.setattr("monitor.figures.views.MOST_CASES", 3)
    monkeypatch.setattr("flows.capabilities.figures.command.MOST_CASES", 3)
    client: Client = browser(User.objects.create_superuser(unique("alice")))
    assert client.get(f"/flows/{worked}/history.xes?window=month").status_code == 413
    assert "choose a shorter time" in refused("flow", "export", "log", worked)
