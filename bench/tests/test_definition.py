"""The flows of the bench have the sizes that the report states."""

from __future__ import annotations

import pytest

from bench.work.definition import fifty, figure2, wide


@pytest.mark.parametrize("size", [4, 100, 1000])
def test_a_wide_flow_has_as_many_triggers_as_its_name_says(size: int) -> None:
    assert len(wide("w", size)["triggers"]) == size


def test_figure_2_has_three_transitions_and_an_end() -> None:
    triggers = figure2()["triggers"]
    assert [t["transition"] for t in triggers[:3]] == ["tr_a2", "tr_a3", "tr_final"]
    assert [t.get("final", False) for t in triggers] == [False, False, False, True]


def test_fifty_transitions_are_fifty() -> None:
    names = {t["transition"] for t in fifty()["triggers"] if "transition" in t}
    assert len(names) == 50
