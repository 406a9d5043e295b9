"""manage.py devices: the example of the documentation, and what it refuses."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows import api
from flows.tests.commands import answer, refused, run

pytestmark = pytest.mark.django_db

PAGE = (Path(__file__).parents[4] / "docs/offline.md").read_text(encoding="utf-8")
KEY = "device-of-the-page"


@pytest.fixture
def package() -> Any:
    """Publish the definition of the page; return what the device of ana got of a task."""
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    api.flows.create("metering")
    api.flows.publish("metering", yaml.safe_load(text))
    (task,) = api.tasks.of_instance(api.instances.start("metering", {"address": "Long Street 1"}))
    api.tasks.take(task.job_id, "ana", ["r:Technician"], lock=True)
    api.offline.device_seen("ana", KEY, {"free_bytes": 3_000_000, "unsent": 2})
    return api.offline.read_package("ana", KEY, task.job_id)


def made(package: Any, number: int, **values: Any) -> str:
    noon = "2026-05-01T12:00:00Z"
    result = {"task": package.job_id, "claim": package.claim, "seq": package.seq, "values": values}
    return api.offline.keep_result("ana", KEY, number, result | {"made_at": noon, "sent_at": noon}).state


def test_the_commands_of_the_page_run(package: Any) -> None:
    assert made(package, 2, meter=12) == "W"
    device = str(api.offline.devices("ana")[0].id)
    (block,) = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    for line in block.strip().splitlines():
        words = shlex.split(line.removeprefix("$ python manage.py "))
        run(*[device if word == "DEVICE" else word for word in words])
    (listed,) = answer("devices", "list", "--person", "ana")
    assert (listed["state"], listed["waiting"], listed["unsent"]) == ("A", 0, 2)
    found = answer("devices", "results", device)
    assert [(one["number"], one["state"]) for one in found] == [(2, "A"), (1, "S")]


def test_the_form_of_the_page_counts_for_results(package: Any) -> None:
    assert made(package, 1) == "R" and made(package, 2, meter=3, note="small") == "R"
    assert made(package, 3, meter=10001, note="large") == "A"


def test_what_is_no_command_is_refused(package: Any) -> None:
    refused("devices", "lost", code=2)
    refused("devices", "list", "3", code=2)
    refused("devices", "skip", str(api.offline.devices("ana")[0].id))


def test_an_unknown_device_is_refused() -> None:
    assert "1099511627776" in refused("devices", "lost", str(2**40))
