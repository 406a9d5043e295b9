"""Cuts the parts into shards of similar duration; those of each part are spread over the run."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from tests.suite import durations
from tests.suite.parts import Part

LENGTH = 240.0  # seconds of a shard; each one starts a server, and imports the site
HALVED = (
    4  # a part of so many shards has its last one in halves: at the end no processor waits long for another
)


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
    """Return the shards of all parts: commands, while databases are prepared, then the parts mixed.

    Shards of one part wait, or compute, alike: several with processes at a time would leave a processor idle.
    The shards of a part are spread evenly, its longest first, and the part with the longest begins.
    """
    places: list[tuple[bool, float, float, Shard]] = []
    for part in parts:
        mine = sorted(cut_part(part, recorded, length), key=lambda shard: -shard.seconds)
        places += [
            (not part.commands, number / len(mine), -shard.seconds, shard)
            for number, shard in enumerate(mine)
        ]
    return [shard for *_place, shard in sorted(places, key=lambda one: one[:3])]


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
    return [*slices, *_grouped(part, rest, length)]


def _grouped(part: Part, expected: dict[str, float], length: float) -> list[Shard]:
    """Return shards with these files, of the same length; of many, the last one is cut into halves."""
    number = math.ceil(sum(expected.values()) / length)
    shares = [1.0] * number if number < HALVED else [1.0] * (number - 1) + [0.5, 0.5]
    groups = [(share, Shard(part)) for share in shares]
    for file, seconds in sorted(expected.items(), key=lambda one: -one[1]):
        _, emptiest = min(groups, key=lambda one: (one[1].seconds + seconds) / one[0])
        emptiest.files.append(file)
        emptiest.seconds += seconds
    for _, group in groups:
        group.files.sort()
    return [group for _, group in groups if group.files]
