"""Cuts the parts into shards of similar duration; the longest are run first."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from tests.suite import durations
from tests.suite.parts import Part

LENGTH = 190.0  # seconds of a shard: at the end of a run, no processor waits much longer for another


@dataclass
class Shard:
    """Some files of a part, one slice of a long file, or a command."""

    part: Part
    files: list[str] = field(default_factory=list)
    seconds: float = 0.0
    slice: str = "1/1"

    @property
    def name(self) -> str:
        """Return the part with the only file, or the number of files."""
        what = self.files[0] if len(self.files) == 1 else f"{len(self.files)} files"
        return f"{self.part.name}: {what}" + ("" if self.slice == "1/1" else f" ({self.slice})")


def cut(parts: list[Part], recorded: durations.Durations, length: float = LENGTH) -> list[Shard]:
    """Return the shards of all parts: commands, while databases are prepared, then the longest first."""
    found = [shard for part in parts for shard in cut_part(part, recorded, length)]
    return sorted(found, key=lambda shard: (not shard.part.commands, -shard.seconds))


def cut_part(part: Part, recorded: durations.Durations, length: float) -> list[Shard]:
    """Return the shards of a part: slices of long files, and groups of the others; or its commands."""
    if part.commands:
        return [Shard(part, [each], durations.of(part.name, each, recorded)) for each in part.commands]
    expected = {file: durations.of(part.name, file, recorded) for file in part.files()}
    slices = [
        Shard(part, [file], seconds / number, f"{k}/{number}")
        for file, seconds in expected.items()
        if (number := math.ceil(seconds / length)) > 1
        for k in range(1, number + 1)
    ]
    rest = {file: seconds for file, seconds in expected.items() if seconds <= length}
    groups = [Shard(part) for _ in range(math.ceil(sum(rest.values()) / length))]
    for file, seconds in sorted(rest.items(), key=lambda one: -one[1]):
        shortest = min(groups, key=lambda group: group.seconds)
        shortest.files.append(file)
        shortest.seconds += seconds
    for group in groups:
        group.files.sort()
    return [*slices, *(group for group in groups if group.files)]
