"""What it costs others that many devices find their connection again, each with results to deliver."""

from __future__ import annotations

import statistics
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from bench.cluster import scalar
from bench.probes.base import Stage
from bench.probes.site.device_clients import Reconnection, sessions
from bench.probes.site.web import web
from bench.targets import Measure
from flows import api

_FLOW = "rounds"
_KEYS = ["r:Technician"]
_RESULTS = 10
_SENDERS = 4
_READER = "clerk"
_DEFINITION = {
    "attributes": [{"name": "meter"}, {"name": "open"}],
    "triggers": [
        {"transition": "tr_read", "predicate": "meter is null and open is null", "performer": "person",
         "role": "Technician", "offline": True, "writes": ["meter"]},
        {"transition": "tr_see", "predicate": "open is not null and meter is null", "performer": "person",
         "role": "Clerk"},
        {"predicate": "meter is not null", "final": True},
    ],
}  # fmt: skip
_ACCEPTED = "select count(*) from wedsql.device_result where state = 'A'"


@dataclass
class _Device:
    """A device of a person with what was transferred to it."""

    person: str
    key: str
    made: list[dict[str, Any]] = field(default_factory=list)


def measure(stage: Stage) -> list[Measure]:
    """Measure an inbox alone and while devices reconnect in a minute (quick: 6 s), in SQL and at the site."""
    count, seconds = (100, 6.0) if stage.quick else (1_000, 60.0)
    found = [*_in_sql(stage, count, seconds), *_at_the_site(stage, count, seconds)]
    return found if not stage.quick else [one.unjudged(count) for one in found]


def _in_sql(stage: Stage, count: int, seconds: float) -> list[Measure]:
    stage.database("devices")
    with stage.cluster.session("devices") as conn:
        devices = _fill(conn, count)
        alone = _pages(stage, threading.Event(), 300)
        beside, costs = _reconnecting(stage, devices, seconds)
        alone += _pages(stage, threading.Event(), 300)
        _check(conn, count)
    return _measures(count, seconds, alone, beside, costs)


def _at_the_site(stage: Stage, count: int, seconds: float) -> list[Measure]:
    """Measure the same through one web process."""
    stage.database("devices")
    with stage.cluster.session("devices") as conn:
        devices = _fill(conn, count)
        for made in (made for device in devices for made in device.made):
            made["fields"] = [["shown", "{}"], ["value-meter", made.pop("values")["meter"]]]
        persons = {"Technician": [one.person for one in devices], "Clerk": [_READER]}
        known = sessions(stage, "devices", persons)
        with web(stage, "devices", WEDSQL_CONNECTIONS_PER_ADDRESS="0") as server:
            run = Reconnection(server.port, known)
            alone = run.read(_READER, 100)
            took = run.run(devices, seconds, _READER)
            alone += run.read(_READER, 100)
        _check(conn, count)
    before, during = statistics.median(alone) * 1000, statistics.median(run.pages) * 1000
    detail = f"{during:.0f} ms against {before:.0f} ms, {len(run.pages)} pages, {run.turned_away} asked again"
    label = f"the inbox page of others while {count:,} devices reconnect at the site in {seconds:.0f} s"
    return [
        Measure("devices-page", label, during / before, "times", detail),
        Measure("devices-delivered", "all of them have delivered after", took, "s", "one web process"),
    ]


def _check(conn: psycopg.Connection, count: int) -> None:
    if (accepted := scalar(conn, _ACCEPTED)) != count * _RESULTS:
        raise RuntimeError(f"{accepted} of {count * _RESULTS} results were accepted")


def _measures(
    count: int, seconds: float, alone: list[float], beside: list[float], costs: list[float]
) -> list[Measure]:
    before, during = statistics.median(alone) * 1000, statistics.median(beside) * 1000
    detail = f"{during:.2f} ms against {before:.2f} ms, {len(beside)} pages"
    label = f"the inbox of others while {count:,} devices deliver {_RESULTS} results each in {seconds:.0f} s"
    each = statistics.median(costs) * 1000
    return [
        Measure("devices-inbox", label, during / before, "times", detail),
        Measure("devices-results", "a device that delivers ten results", each, "ms", "median"),
    ]


def _fill(conn: psycopg.Connection, count: int) -> list[_Device]:
    """Give each device ten locked tasks, and the others an inbox with tasks."""
    conn.prepare_threshold = 1
    with conn.transaction():
        conn.execute("select wedsql.create_flow(%s)", [_FLOW])
        conn.execute("select wedsql.publish(%s, %s)", [_FLOW, Jsonb(_DEFINITION)])
    api.instances.start_many(_FLOW, [{"open": "yes"} for _ in range(1_000)], conn=conn)
    devices = []
    for number in range(count):
        wids = [one.wid for one in api.instances.start_many(_FLOW, [{} for _ in range(_RESULTS)], conn=conn)]
        tasks = [one.job_id for wid in wids if wid for one in api.tasks.of_instance(wid, conn=conn)]
        devices.append(_given(conn, _Device(f"person {number}", f"device-number-{number:06}"), tasks))
    conn.execute("vacuum (analyze)")
    return devices


def _given(conn: psycopg.Connection, device: _Device, tasks: list[int]) -> _Device:
    with conn.transaction():
        api.offline.device_seen(device.person, device.key, conn=conn)
        api.offline.go_offline(device.person, device.key, _KEYS, {"lock": tasks}, conn=conn)
        for task in tasks:
            package = api.offline.read_package(device.person, device.key, task, conn=conn)
            times = dict.fromkeys(("made_at", "sent_at"), datetime.now(UTC).isoformat())
            named = {"task": task, "claim": package.claim, "seq": package.seq}
            device.made.append(named | times | {"values": {"meter": "17"}})
    return device


def _reconnecting(stage: Stage, devices: list[_Device], seconds: float) -> tuple[list[float], list[float]]:
    """Have all devices deliver, spread over so many seconds; return the times of pages and of devices."""
    costs: list[float] = []
    pages: list[float] = []
    over = threading.Event()
    reader = threading.Thread(target=lambda: pages.extend(_pages(stage, over, None)))
    begun = time.perf_counter()
    parts = [devices[n::_SENDERS] for n in range(_SENDERS)]
    senders = [threading.Thread(target=_send, args=(stage, part, begun, seconds, costs)) for part in parts]
    for thread in (reader, *senders):
        thread.start()
    for thread in senders:
        thread.join()
    over.set()
    reader.join()
    return pages, costs


def _send(stage: Stage, devices: list[_Device], begun: float, seconds: float, costs: list[float]) -> None:
    """Deliver the results of these devices, each at its moment, as the site does: one commit a result."""
    with stage.cluster.session("devices") as conn:
        conn.prepare_threshold = 1
        for place, device in enumerate(devices):
            time.sleep(max(0.0, begun + seconds * place / len(devices) - time.perf_counter()))
            began = time.perf_counter()
            api.offline.device_seen(device.person, device.key, {"unsent": _RESULTS}, conn=conn)
            for number, made in enumerate(device.made, 1):
                api.offline.keep_result(device.person, device.key, number, made, conn=conn)
            api.offline.device_tasks(device.person, device.key, _KEYS, conn=conn)
            costs.append(time.perf_counter() - began)


def _pages(stage: Stage, over: threading.Event, most: int | None) -> list[float]:
    """Read the first page of an inbox again and again; return the seconds of each."""
    times: list[float] = []
    with stage.cluster.session("devices") as conn:
        conn.prepare_threshold = 1
        while not over.is_set() and (most is None or len(times) < most):
            began = time.perf_counter()
            api.tasks.open("clerk", ["r:Clerk"], conn=conn)
            times.append(time.perf_counter() - began)
            time.sleep(0.01)
    return times[10:]
