"""The parts of the suite have all tests, and the shards of a part all of its files."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from tests.suite import durations, parts, shards
from tests.suite.parts import CHECKOUT, Part

ALL = Part("all", "", ("flows", "tests", "pages", "monitor", "workers", "wedsql_site", "bench"))


@pytest.mark.parametrize("length", [1.0, 20.0, 90.0, 10_000.0])
def test_each_file_is_in_one_shard_or_in_all_slices(length: float) -> None:
    part = Part("pages", "not kernel", ("pages", "monitor"))
    recorded: durations.Durations = {"pages": {file: n % 50 for n, file in enumerate(part.files())}}
    found: dict[str, list[str]] = {}
    for shard in shards.cut([part], recorded, length):
        for file in shard.files:
            found.setdefault(file, []).append(shard.slice)

    assert sorted(found) == part.files()
    assert all(len(slices) == int(slices[0].partition("/")[2]) for slices in found.values())


def test_the_longest_shards_of_a_part_come_first() -> None:
    lengths = [shard.seconds for shard in shards.cut([ALL], {}, 50.0)]

    assert lengths == sorted(lengths, reverse=True)
    assert max(lengths) <= 2 * 50.0


def test_the_last_shards_of_a_long_part_are_short() -> None:
    lengths = [shard.seconds for shard in shards.cut([ALL], {}, 100.0)]

    assert max(lengths[-2:]) <= 0.6 * lengths[0]


def test_the_shards_of_a_part_are_spread_over_the_run() -> None:
    cut = [
        shard.part.name for shard in shards.cut(parts.short(), durations.read()) if not shard.part.commands
    ]
    for name in {"pages", "kernel", "processes", "browsers"}:
        places = [number for number, each in enumerate(cut) if each == name]
        gaps = [after - before for before, after in pairwise([-1, *places, len(cut)])]

        assert len(places) > 1
        assert max(gaps) <= 2.5 * len(cut) / len(places), (name, places)


@pytest.mark.parametrize("chosen", [parts.short, parts.long])
def test_every_test_file_is_in_a_part(chosen: object) -> None:
    covered = {file for part in chosen() for file in part.files()}  # type: ignore[operator]

    assert covered == {*ALL.files()}
    assert {*ALL.files()} == {
        path.relative_to(CHECKOUT).as_posix()
        for path in CHECKOUT.rglob("test_*.py")
        if not {".venv", "var"} & {*path.relative_to(CHECKOUT).parts}
    }


def test_the_files_of_the_quick_check_exist() -> None:
    missing = [place for place in parts.CHECK.places if not (CHECKOUT / place).exists()]

    assert missing == []


def test_a_wrong_name_of_a_part_is_answered_with_those_there_are() -> None:
    with pytest.raises(SystemExit, match="no part kernal; there are: static, kernel, orders"):
        parts.named(["kernal"])


def test_the_documentation_lists_the_parts() -> None:
    page = (CHECKOUT / "docs" / "testing.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", page.partition("## The parts")[2], flags=re.MULTILINE)

    assert {part.name for part in parts.short()} <= {*listed}
    assert all(f"`{command}`" in page for command in ("make test", "make check", "make test-long"))
