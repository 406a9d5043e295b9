"""Keeps what the shards of a run did, so that an interrupted run of the same commit goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from tests.suite.execution import Result
from tests.suite.parts import CHECKOUT
from tests.suite.shards import Shard

_KEPT = ("code", "seconds", "tests", "output")
FOLDER = CHECKOUT / "var" / "tests" / "shards"


def keep(result: Result, commit: str, folder: Path = FOLDER) -> None:
    """Write what a shard did, unless the run of it was broken off; a test that failed has failed."""
    if result.code not in (0, 1) or not result.tests:
        return
    folder.mkdir(parents=True, exist_ok=True)
    content = json.dumps({name: getattr(result, name) for name in _KEPT})
    _file(result.shard, commit, folder).write_text(content, encoding="utf-8")


def kept(shards: Sequence[Shard], commit: str, folder: Path = FOLDER) -> list[Result]:
    """Return the results of the shards that ended at this commit; none where files differ from it."""
    return [found for shard in shards if (found := _read(shard, _file(shard, commit, folder)))]


def forget(folder: Path = FOLDER) -> None:
    """Remove what was kept: the run has ended, or another begins."""
    for file in folder.glob("*.json"):
        file.unlink()


def _read(shard: Shard, file: Path) -> Result | None:
    if file.stem.startswith("dirty") or not file.exists():
        return None
    found = json.loads(file.read_text(encoding="utf-8"))
    return Result(shard, **found)


def _file(shard: Shard, commit: str, folder: Path) -> Path:
    """Return the file of a shard: another name for other files, another slice, options or commit."""
    what = [shard.part.name, shard.part.marks, *shard.part.options, shard.slice, *shard.files]
    state = "dirty" if commit.endswith("-dirty") else commit
    return folder / f"{state}-{hashlib.sha256('|'.join(what).encode()).hexdigest()[:20]}.json"
