"""The example of docs/deadlines.md does what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from flows import api
from flows.tests.kit import Kit

pytestmark = pytest.mark.kernel

PAGE = (Path(__file__).resolve().parents[5] / "docs" / "deadlines.md").read_text(encoding="utf-8")


def test_the_example_of_the_page(kit: Kit) -> None:
    found = re.search(r"```yaml\n(.*?)```", PAGE, re.S)
    assert found is not None
    definition = yaml.safe_load(found[1])
    definition["responsible"] = eva = f"eva_{kit.name}"
    definition["triggers"][0]["role"] = role = f"Fitter_{kit.name}"
    kit.publish(definition)
    fitters = [f"{name}_{kit.name}" for name in ("ana", "bob", "cid")]
    for name in fitters:
        api.persons.seen(name, [f"r:{role}"], conn=kit.conn)
    wid = kit.start()
    (task,) = api.tasks.of_instance(wid, conn=kit.conn)
    sees = [len(api.tasks.open(name, [f"r:{role}"], conn=kit.conn)) for name in fitters]
    assert sees == [1, 1, 0] and (task.due_at - task.arrived_at).total_seconds() == 48 * 3600
    api.tasks.take(task.job_id, fitters[0], [f"r:{role}"], conn=kit.conn)
    kit.reap("41 hours")
    kit.reap("43 hours")
    assert api.tasks.of_instance(wid, conn=kit.conn)[0].owner == eva
    kit.reap("49 hours")
    kinds = [(one.kind, one.facts.get("hours")) for one in reversed(api.persons.messages(eva, conn=kit.conn))]
    assert kinds == [("s", None), ("d", 24), ("d", 12), ("d", 6), ("d", 0)]
    assert [one.facts["hours"] for one in api.persons.messages(fitters[0], conn=kit.conn)] == [6, 12, 24]
