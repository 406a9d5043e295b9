"""The patterns of the gallery: complete, without problems, their scenarios pass, and workers serve them.

flows/tests/kernel/languages/test_k_patterns.py runs them.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import translation

import workers
from flows import api
from flows.definition import stand_ins
from flows.patterns import catalogue, code, patterns
from flows.patterns.gallery import open_example
from flows.patterns.table import OTHERS, PAGE, with_table
from flows.tests.pages import unique
from workers.discovery import autodiscover


def test_the_catalogue_has_the_43_patterns_and_all_files() -> None:
    entries = {each.number: each for group in catalogue() for each in group.entries}
    assert sorted(entries) == list(range(1, 44)) and sum(len(group.entries) for group in catalogue()) == 43
    places = {each.number: group.name for group in catalogue() for each in group.entries}
    for name, pattern in patterns().items():
        assert name == f"wcp{pattern.number}" and pattern.group == places[pattern.number]
        assert pattern.english_title == entries[pattern.number].english_title
        assert pattern.runs and pattern.english_lesson.endswith(".") and pattern.english_story.endswith(".")
    waiting = {number for number, each in entries.items() if each.needs}
    assert waiting == set(entries) - {pattern.number for pattern in patterns().values()}
    with translation.override("pt-br"):
        titles = [*catalogue(), *entries.values()]
        assert [each.title for each in titles if each.title == each.english_title] == []


def test_the_page_has_the_table_of_the_catalogue() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_table(page), "python -m flows.patterns.table writes it"
    assert page.count("| yes |") == len(patterns()) and page.count("| not yet |") == 43 - len(patterns())
    assert all(found <= set(range(1, 44)) for found in OTHERS.values())


@pytest.mark.django_db
@pytest.mark.parametrize("name", patterns())
def test_a_pattern_has_no_problem_and_its_scenarios_pass_and_exercise_each_rule(name: str) -> None:
    pattern = patterns()[name]
    assert api.conditions.check_definition("", pattern.definition) == []
    outcomes = list(api.trials.run_scenarios(pattern.definition, pattern.scenarios))
    assert [one.deviation for one in outcomes if one is None or not one.ok] == []
    covered = api.conditions.coverage(pattern.definition, outcomes)
    assert [rule.title for rule in covered.rules if not rule.exercised] == []


def test_every_transition_of_a_pattern_is_a_signal_or_has_a_handler_and_a_stand_in() -> None:
    registry = autodiscover()
    for pattern in patterns().values():
        for trigger in (each for each in pattern.definition["triggers"] if "final" not in each):
            assert trigger["transition"] == f"pattern_{pattern.number}_{trigger['name']}"
            entry = registry.find("any_flow", trigger["transition"])
            assert entry is not None
            assert stand_ins.stand_in("any_flow", trigger["transition"]) is entry.simulate is not None


@pytest.mark.parametrize("name", patterns())
def test_the_shown_code_of_a_pattern_does_what_its_handlers_do(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pattern, found = patterns()[name], {}

    def transition(transition: str, *, simulate: Any) -> Any:
        return lambda handler: found.update({transition: (handler, simulate)})

    monkeypatch.setattr(workers, "transition", transition)
    exec(compile(pattern.handlers, name, "exec"), {"__name__": name})  # noqa: S102
    registry = autodiscover()
    for trigger in pattern.definition["triggers"]:
        if code.needs_worker(trigger):
            handler, simulate = found.pop(trigger["transition"])
            entry = registry.find("any_flow", trigger["transition"])
            assert entry and entry.simulate
            state = {each["name"]: 7 for each in pattern.definition["attributes"]}
            simulated = simulate(state)
            several = simulated if isinstance(simulated, list) else [simulated]
            assert several == entry.simulate(state)
            assert handler(state, None) in pattern.results[trigger["name"]]
            assert entry.handler(state, None) in pattern.results[trigger["name"]]  # type: ignore[arg-type]
    assert not found


def test_a_result_is_read_as_its_values() -> None:
    read = code.values("a = 1, b = b - 2, c = 'x', d = null, e = true", {"b": 5})
    assert read == {"a": 1, "b": 3, "c": "x", "d": None, "e": True}
    with pytest.raises(code.NotSimple):
        code.values("a = b * 2", {"b": 1})


@pytest.mark.django_db
def test_a_pattern_of_children_opens_with_children_of_the_new_flow() -> None:
    flow = unique()
    draft = open_example(patterns()["wcp22"], flow)
    assert [each["child"] for each in draft.definition["triggers"] if each.get("child")] == [flow]
