"""The examples of docs/api.md, run in their order."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth.models import User
from django.test import AsyncClient
from django.urls import Resolver404, resolve

from flows import api as kernel
from monitor.api import limits, streams, tokens
from monitor.tests.conftest import Parcels
from monitor.tests.server.live_browser import play
from monitor.tests.server.programs import BASE, Program, operator, owner

__all__ = ["operator", "owner"]
TEXT = (Path(__file__).resolve().parents[3] / "docs" / "api.md").read_text()
EXAMPLE = re.compile(r"```\n(GET|POST) /api/v1(\S+)\n(?:(\{.*\})\n)?\n(\d+) (\{.*\})\n```")

STREAM = re.compile(r"```\nGET /api/v1(/events\S*)\n\n200 (\S+)\n(.*?)\n```", re.DOTALL)


def included(expected: Any, found: Any) -> bool:
    """Return whether everything that an example shows is in the answer."""
    if isinstance(expected, dict):
        return all(included(value, found[name]) for name, value in expected.items())
    if isinstance(expected, list):
        return len(expected) == len(found) and all(map(included, expected, found))
    return bool(expected == found)


def test_the_examples_work_as_written(operator: Program, parcels: Parcels) -> None:
    wid = 1
    examples = EXAMPLE.findall(TEXT)
    others = (
        len(re.findall(r"`(?:[A-Z]+ )?/api/v1/\S*`", TEXT))
        + len(STREAM.findall(TEXT))
        + TEXT.count("curl -N")
    )
    assert len(examples) == TEXT.count("/api/v1/") - others >= 5
    for method, path, body, status, answer in examples:
        path = path.replace("/parcels/", f"/{parcels.flow}/").replace("/instances/1", f"/instances/{wid}")
        path = path.replace("flow=parcels", f"flow={parcels.flow}").replace("wid=1", f"wid={wid}")
        if path.endswith("/repair/preview"):
            kernel.operations.resume(wid, "The address is right.")
            parcels.make_exception(wid)
        found = operator.post(path, json.loads(body)) if method == "POST" else operator.get(path)
        assert found.status_code == int(status), (path, found.content)
        shown = found.json()
        wid = shown.get("wid", wid)
        while (kernel.sla.advance(conn=parcels.connection) or {}).get("more"):
            pass
        text = json.dumps(shown).replace(f'"wid": {wid}', '"wid": 1').replace(parcels.flow, "parcels")
        assert included(json.loads(answer), json.loads(text)), (path, text)
        if path.endswith("/repair"):
            kernel.operations.suspend(wid, "The address is being checked.")


def test_the_example_of_events_works_as_written(line: str, owner: User, parcels: Parcels) -> None:
    [(path, media_type, shown)] = STREAM.findall(TEXT)
    header = f"Bearer {tokens.create(owner, 'events', 30)[1]}"

    async def story() -> None:
        address = BASE + path.replace("parcels", parcels.flow)
        answer: Any = await AsyncClient().get(address, headers={"Authorization": header})
        assert (answer.status_code, answer.headers["Content-Type"]) == (200, media_type)
        parts = aiter(answer.streaming_content)
        found = [(await anext(parts)).decode()]
        wid = await sync_to_async(parcels.start)()
        while "event: step" not in found[-1]:
            found.append((await anext(parts)).decode())
        for expected, received in zip(shown.split("\n\n"), (found[0], found[-1]), strict=True):
            text = received.replace(f'"wid":{wid},', '"wid":2,').replace(parcels.flow, "parcels")
            assert_same_block(expected.splitlines(), text.splitlines())
        await answer.streaming_content.aclose()

    play(story)


def assert_same_block(expected: list[str], found: list[str]) -> None:
    """Assert that an event has the fields of an example; its id is another, its data may have more."""
    for one, other in zip(expected, filter(None, found), strict=True):
        name, _, value = one.partition(": ")
        assert other.startswith(f"{name}: ")
        if name == "data":
            assert included(json.loads(value), json.loads(other.removeprefix("data: "))), other
        elif name != "id":
            assert one == other


def test_the_limits_of_streams_are_those_of_the_code() -> None:
    assert f"at most {streams.MOST_OF_A_CALLER} streams, the web process {streams.MOST_STREAMS}" in TEXT
    assert f"every {streams.HEARTBEAT_SECONDS:g} s or so" in TEXT
    assert f"checked every {streams.CHECK_SECONDS:g} s" in TEXT
    assert f"retry: {streams.RETRY_MILLISECONDS}" in TEXT


def test_the_limits_and_addresses_are_those_of_the_code() -> None:
    assert f"{settings.API_REQUESTS_PER_MINUTE}" in TEXT and f"{tokens.MOST_DAYS} days" in TEXT
    assert limits.MOST_BODY == 1024 * 1024
    for address in re.findall(r"`(/api/v1/\S*)`", TEXT):
        try:
            resolve(address)
        except Resolver404:
            raise AssertionError(address) from None
    assert BASE in TEXT
