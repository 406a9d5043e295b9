"""manage.py signal, and the example of docs/signals.md."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from flows import api
from flows.models import Instance
from flows.tests.command.consoles import sessions
from flows.tests.commands import answer, refused, run
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db
PAGE = (Path(__file__).parents[4] / "docs/signals.md").read_text()


@pytest.fixture
def flow() -> str:
    """A flow that waits for a payment, which is kept for a day."""
    name = unique()
    api.flows.create(name)
    attributes = [{"name": "number", "business_key": True}, {"name": "paid"}]
    triggers = [
        {"transition": "payment", "predicate": "paid is null", "signal": True, "keep": "1 day"},
        {"predicate": "paid is not null", "final": True},
    ]
    api.flows.publish(name, {"attributes": attributes, "triggers": triggers, "start_by": ["placed"]})
    return name


def test_a_signal_is_sent_by_key_and_listed(flow: str) -> None:
    started = answer("signal", flow, "placed", "key=A-1", "number=A-1")
    assert started["outcome"] == "started"
    sent = run("signal", flow, "payment", "key=A-1", "paid=yes", "--token", "t1", "--actor", "bank")
    assert f"delivered to instance {started['wid']}, step 2." in sent
    assert "(sent before)" in run("signal", flow, "payment", "key=A-1", "paid=yes", "--token", "t1")
    assert Instance.objects.get(wid=started["wid"]).status == "F"
    assert [each["outcome"] for each in answer("signal", flow)] == ["delivered", "started"]
    assert "bank" in run("signal", flow)
    assert "kept until" in run("signal", flow, "payment", "key=A-2", "paid=yes")


def test_bad_signals_are_refused(flow: str) -> None:
    assert "number of an instance" in refused("signal", flow, "payment", "wid=x", code=2)
    assert "Signals: payment, placed." in refused("signal", flow, "nothing", "key=A")


def test_the_example_of_the_page() -> None:
    """Numbers of signals and instances count on from other tests."""
    definition = yaml.safe_load(re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1])  # type: ignore[index]
    api.flows.create(definition["flow"])
    api.flows.publish(definition["flow"], definition)
    for command, printed in sessions(PAGE):
        shown = re.sub(r"\d+(?=[:,]| is)", "N", run(*shlex.split(command)[2:]))
        assert shown.strip() == re.sub(r"\d+(?=[:,]| is)", "N", printed).strip()
