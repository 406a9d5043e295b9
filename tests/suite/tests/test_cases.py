"""A short run has some of the cases, and a long one all of them."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any, cast

import pytest

from testkit import cases
from tests.suite import recorder


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WEDSQL_LONG", raising=False)


@pytest.fixture
def long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEDSQL_LONG", "1")


SIZES = list(itertools.product(range(1, 8), range(1, 8), range(1, 9)))


@pytest.mark.usefixtures("short")
def test_the_pairs_of_a_short_run_have_each_member_of_both_sides() -> None:
    for rows, columns, one_in in SIZES:
        found = cases.pairs(range(rows), range(columns), one_in)
        assert {one for one, _ in found} == {*range(rows)}, (rows, columns, one_in)
        assert {other for _, other in found} == {*range(columns)}, (rows, columns, one_in)
        assert len(found) == len({*found}) <= rows * columns / min(one_in, rows, columns) + rows + columns


@pytest.mark.usefixtures("short")
def test_the_parts_of_all_tests_together_have_all_cases() -> None:
    parts = [cases.some("abcdefgh", 3, first) for first in range(3)]

    assert sorted(itertools.chain(*parts)) == [*"abcdefgh"]
    assert cases.some("abcdefgh", 3) == ["a", "d", "g"]
    assert cases.some("abcdefgh", 3, first=4) == parts[1]
    assert (cases.examples(100), cases.examples(2)) == (25, 1)


@pytest.mark.usefixtures("long")
def test_a_long_run_has_all_cases() -> None:
    assert cases.some("abcdefgh", 3, first=1) == [*"abcdefgh"]
    assert cases.pairs("ab", "xyz", 6) == [*itertools.product("ab", "xyz")]
    assert cases.examples(100) == 100


def test_each_kernel_test_is_run_here_or_elsewhere_and_no_other_test_elsewhere() -> None:
    def is_elsewhere(name: str, *marks: str) -> bool:
        item = SimpleNamespace(nodeid=name, get_closest_marker=lambda mark: mark in marks)
        return recorder.elsewhere(cast(Any, item))

    names = [f"flows/tests/kernel/test_k_x.py::test_{number}" for number in range(600)]
    away = [name for name in names if is_elsewhere(name)]
    assert 60 < len(away) < 140
    assert not any(is_elsewhere(name, "cost") for name in names)
    assert not any(is_elsewhere(name.replace("kernel/", "")) for name in names)
