"""The sessions of the pages about processes: each command is run as printed, and prints what is printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.db import connection

from flows import api
from flows.models import Instance, Job
from flows.tests.command.consoles import run, sessions
from flows.tests.commands import answer, refused

pytestmark = pytest.mark.django_db
DOCS = Path(__file__).parents[3] / "docs"


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def example(text: str, language: str) -> Any:
    """Return the first block of a page in a language."""
    return text.split(f"```{language}\n")[1].split("```")[0]


def plain(text: str) -> list[str]:
    """Return the lines of an output without widths of columns, times, and the numbers of a database."""
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\+00:00", "TIME", text)
    text = re.sub(r"wedkey_\S+", "KEY", text)
    text = re.sub(r"(?<=Instance )\d+|(?<=instance )\d+|(?<=Signal )\d+", "N", text)
    return [" ".join(line.split()) for line in text.splitlines() if line.strip(" -")]


def loaded(text: str) -> str:
    """Publish the flow of the first definition of a page."""
    definition = yaml.safe_load(example(text, "yaml"))
    api.flows.create(definition["flow"])
    api.flows.publish(definition["flow"], definition)
    return str(definition["flow"])


def compared(text: str, contains: str) -> Iterator[tuple[str, str]]:
    """Run the commands of a page that contain a text and compare their outputs; yield both of each."""
    found = [each for each in sessions(text) if contains in each[0]]
    assert found
    for command, printed in found:
        shown = run(command)
        assert plain(shown) == plain(printed), command
        yield command, shown


@pytest.mark.parametrize(("name", "language", "file"), [
    ("graphs", "yaml", "orders.yaml"), ("bpmn", "xml", "claim.bpmn"), ("pdl", "pdl", "manutencao.pdl")
])  # fmt: skip
def test_imports(
    name: str, language: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = page(name)
    (tmp_path / file).write_text(example(text, language), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert len([*compared(text, f"import {name.removesuffix('s')} {file}")]) == 2


def test_signals() -> None:
    text = page("signals")
    loaded(text)
    assert len([*compared(text, "signal parcel")]) == 4


def test_starts_by_time() -> None:
    """Each time of the page's flow starts an instance with a job when it has come."""
    text = page("starts")
    flow = loaded(text)
    with connection.cursor() as cursor:
        cursor.execute(
            "update wedsql.start_time s set due_at = wedsql.now() from wedsql.flow f"
            " where f.id = s.flow_id and f.name = %s returning entry",
            [flow],
        )
        assert {entry for (entry,) in cursor} == set(yaml.safe_load(example(text, "yaml"))["start_at"])
        assert api.maintenance.reap()["starts"] == 2
    assert [*Job.objects.filter(flow__name=flow).values_list("transition", flat=True)] == ["tr_count"] * 2


def test_children() -> None:
    """The page shows the table where the first child has ended and the reaper has seen it."""
    text = page("children")
    flow = loaded(text)
    [(start, started), (command, printed)] = sessions(text)
    assert plain(run(start)) == plain(started)
    wid = Instance.objects.get(flow__name=flow).wid
    while api.children.continue_children() is not None:
        pass
    (job,) = api.jobs.lease_many(flow, ["pack"], 1, "ann")
    api.jobs.complete(job, {"packed": "yes"})
    while api.children.continue_children() is not None:
        pass
    shown = answer("children", str(wid))
    assert [child["status"] for child in shown["children"]] == ["F", "R", "R"]
    assert shown["jobs"][0] | {"total": 3, "started": 3, "done": 1, "open": True} == shown["jobs"][0]
    lines = plain(run(command.replace("12", str(wid))))
    assert [re.sub(r"\d+", "N", line) for line in lines] == [
        re.sub(r"\d+", "N", line) for line in plain(printed)
    ]


def test_locks() -> None:
    text = page("exclusion")
    flow = loaded(text)
    api.instances.start(flow, {"customer": "ann"})
    api.instances.start(flow, {"customer": "ann"})
    api.jobs.lease_many(flow, ["tr_print"], 1, "worker-1")
    first, second = (
        Job.objects.filter(flow__name=flow).order_by("wid").values_list("wid", flat=True).distinct()
    )
    numbers = {str(first): "1", str(second): "2"}
    [(command, printed)] = sessions(text)
    shown = [_without_job(line, numbers) for line in plain(run(command))]
    printed = re.sub(r"\d{4}-\S+ \S+\+00:00", "TIME", printed)
    assert shown == [_without_job(line, {}) for line in plain(printed)]


def _without_job(line: str, numbers: dict[str, str]) -> str:
    return re.sub(r" (\d+) (\d+) ", lambda found: f" {numbers.get(found[2], found[2])} ", line)


def test_keys_of_workers() -> None:
    for name in ("orders", "invoices"):
        api.flows.create(name)
    rule = {"transition": "tr_pack", "predicate": "true", "role": "Clerk"}
    api.flows.publish("orders", {"attributes": [], "triggers": [rule]})
    for command, printed in sessions(page("worker-keys")):
        with_actor = command if " list" in command else f"{command} --actor ann"
        assert plain(run(with_actor)) == plain(printed), command


def test_numbers_out_of_bounds_are_errors_of_the_command_line() -> None:
    for words in (
        ["signal", "x", "--limit", "0"],
        ["children", "99999999999"],
        ["locks", "x", "--limit", "9999"],
    ):
        assert "is not a number from" in refused(*words)
    assert "number of an instance" in refused("signal", "x", "y", "wid=99999999999", code=2)
    assert "There is no instance 2000000000." in refused("children", "2000000000")
