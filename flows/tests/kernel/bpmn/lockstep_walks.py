"""Random walks through processes, here and in SpiffWorkflow beside: tests/lockstep runs this file."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from random import Random
from typing import IO, Any

import pytest

from flows.errors import WedError
from flows.languages.bpmn import BadBpmn, Process, read
from flows.languages.bpmn.document.processes import processes
from flows.tests.bpmn.files.bpmn_running import publish, signal
from flows.tests.bpmn.files.skeletons import Skeleton, skeleton
from flows.tests.kit import Kit
from wedsql_site.environment import CHECKOUT

FILES = [Path(each) for each in json.loads(os.environ["WEDSQL_LOCKSTEP_FILES"])]
PYTHON = os.environ["WEDSQL_LOCKSTEP_PYTHON"]
WALKS = int(os.environ["WEDSQL_LOCKSTEP_WALKS"])
RESULTS = Path(os.environ["WEDSQL_LOCKSTEP_RESULTS"])
LONGEST = 60
"""How many steps a walk has at most: a process with a cycle may have no end."""


def cases() -> Iterator[Any]:
    """Return each process of the files."""
    for path in FILES:
        try:
            listed = processes(path.read_bytes())
        except BadBpmn:
            continue
        for each in listed:
            yield pytest.param(path, each.id, id=f"{path.stem}-{each.id}")


class Peer:
    """The other engine, a process of the operating system."""

    def __init__(self) -> None:
        command = [PYTHON, str(CHECKOUT / "tests" / "lockstep" / "peer.py")]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **question: Any) -> dict[str, Any]:
        """Return the answer to a question."""
        written: IO[str] | None = self.process.stdin
        answers: IO[str] | None = self.process.stdout
        assert written is not None and answers is not None
        print(json.dumps(question), file=written, flush=True)
        return json.loads(answers.readline())

    def end(self) -> None:
        """End it."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    """The other engine."""
    found = Peer()
    yield found
    found.end()


def readable(path: Path, process: str) -> Process | None:
    try:
        return read(path.read_bytes(), process)[0]
    except BadBpmn:
        return None


@pytest.mark.parametrize("path, process", [*cases()])
def test_both_engines_offer_the_same_after_each_step(kit: Kit, peer: Peer, path: Path, process: str) -> None:
    found = readable(path, process)
    result: dict[str, Any] = {"file": path.name, "process": process, "walks": 0, "steps": 0}
    if found is None:
        result["skipped"] = "not read"
    else:
        walker = Random(f"{path.name} {process}")  # noqa: S311 - the same walks each time
        walk_all(kit, peer, skeleton(found), walker, result)
    with RESULTS.open("a", encoding="utf-8") as file:
        print(json.dumps(result), file=file)


def walk_all(kit: Kit, peer: Peer, made: Skeleton, random: Random, result: dict[str, Any]) -> None:
    """Publish and walk, and add what was found to the result."""
    try:
        publish(kit, made.ours.encode())
    except (BadBpmn, WedError) as error:
        result["skipped"] = f"the skeleton is refused here: {error}"
        return
    if error := peer.ask(model=made.theirs).get("error"):
        result["skipped"] = f"SpiffWorkflow does not read it: {error}"
        return
    for _number in range(WALKS):
        result["walks"] += 1
        if found := walk(kit, peer, made, random, result):
            result.setdefault("differences", []).append(found)


def walk(kit: Kit, peer: Peer, made: Skeleton, random: Random, result: dict[str, Any]) -> dict[str, Any]:
    """Walk once, and return the first difference, {} if there is none."""
    values = chosen(made, random)
    wid = kit.start(**values)
    theirs, path = peer.ask(start=values), list[str]()
    done = set[str]()
    while not (found := difference(kit, wid, theirs, done & made.repeated)) and theirs["waits"]:
        if len(path) == LONGEST:
            break
        name, values = random.choice(theirs["waits"]), chosen(made, random)
        path.append(f"{name} {made.names[name]}")
        done.add(name)
        result["steps"] += 1
        perform(kit, wid, name, values)
        theirs = peer.ask(do=name, values=values)
    return found and {**found, "path": path, "values": values}


def chosen(made: Skeleton, random: Random) -> dict[str, bool]:
    """Return what decides at the gateways until the next step."""
    return {name: random.random() < 0.5 for name in made.conditions}


def perform(kit: Kit, wid: int, name: str, values: Mapping[str, bool]) -> None:
    """Perform a job, or send the signal that it waits for."""
    if name.startswith("m"):
        assert signal(kit, name, wid, **values) == "delivered"
    else:
        kit.run(name, wid, **values)


def difference(kit: Kit, wid: int, theirs: Mapping[str, Any], repeated: AbstractSet[str]) -> dict[str, Any]:
    """Return how the engines differ in what can be done next, {} if they do not.

    Nothing can be done in an instance that is an exception. Events that do not interrupt happen once in
    SpiffWorkflow, so that those that have happened are not compared.
    """
    ours = {"waits": sorted({*kit.jobs(wid)} - {"_EXCPT"}), "done": kit.status(wid) == "F"}
    if (
        "error" in theirs
        or ours["done"] != theirs["done"]
        or not {*ours["waits"]} ^ {*theirs["waits"]} <= repeated
    ):
        return {"ours": ours, "theirs": theirs}
    return {}
