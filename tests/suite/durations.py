"""The recorded durations of test files by part, by which the suite is cut (tests/suite/durations.json)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("durations.json")
UNKNOWN = 4.0  # seconds of a file that was never recorded
Durations = dict[str, dict[str, float]]


def read(file: Path = FILE) -> Durations:
    """Return the seconds by part and file; none where nothing was recorded."""
    if not file.exists():
        return {}
    found: Durations = json.loads(file.read_text(encoding="utf-8"))
    return found


def of(part: str, file: str, recorded: Durations) -> float:
    """Return the seconds that a file is expected to take in a part."""
    mine = recorded.get(part)
    if mine and file not in mine and any(file in others for others in recorded.values()):
        return 0.2  # it has no test of this part
    return (mine or {}).get(file, UNKNOWN)


def summed(tests: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Return the seconds by file of tests with their records."""
    total: dict[str, float] = {}
    for test, record in tests.items():
        file = test.partition("::")[0]
        total[file] = total.get(file, 0.0) + record["seconds"]
    return {file: round(seconds, 1) for file, seconds in sorted(total.items()) if seconds >= 0.05}


def write(recorded: Durations, parts: Iterable[str], file: Path = FILE) -> None:
    """Write the durations of these parts; those of the others stay."""
    merged = read(file) | {name: recorded[name] for name in parts if name in recorded}
    file.write_text(json.dumps(merged, indent=1, sort_keys=True) + "\n", encoding="utf-8")
