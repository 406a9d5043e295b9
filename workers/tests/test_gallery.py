"""Each example of the gallery: no problem, no warning, its scenarios pass, and workers run it to its end."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation

from flows import api
from flows.definition import stand_ins
from flows.errors import DraftExists, WedError
from flows.languages.pdl import compile_workflow, read
from flows.patterns import catalogue, example_named, gallery, patterns
from flows.tests.pages import unique
from flows.tests.pdl.pdl import texts as pdl_texts
from testkit.processes import Processes
from workers.discovery import autodiscover

NAMES = sorted(gallery.examples())
# What the sample handlers do with each first state: all end, by different ways.
STARTS: dict[str, list[dict[str, Any]]] = {
    "sequence": [{"person": "Ana"}, {"person": "Bruno", "laptop": "L-7"}],
    "parallel": [{"topic": "Two words"}],
    "choice": [{"amount": 1000}, {"amount": 1001}, {"amount": 250_000}],
    "loop": [{"topic": "Loops"}],
    "four_eyes": [
        {"amount": 900, "requested_by": "ana"},
        {"amount": 20_000, "requested_by": "ana"},
    ],
    "escalation": [{"question": "Where is my book?"}],
    "compensation": [{"traveller": "Ana", "price": 700}, {"traveller": "Ana", "price": 7000}],
    "order": [{"items": 3, "total": 60}, {"items": 80, "total": 60}, {"items": 1, "total": 6000}],
    "loan": [
        {"income": 4000, "amount": 9000},
        {"income": 4000, "amount": 11_000},
        {"income": 900, "amount": 9000},
    ],
    "field_visit": [{"address": "Rua Nova 1"}],
    "manutencao": [{}],
}
# Of tasks that depend on each other the checks do not see that they are never ready at the same time.
ALLOWED = {"manutencao": {"both_write"}}


def performed(example: gallery.Example) -> list[str]:
    """Return the transitions that workers perform."""
    rules = example.definition["triggers"]
    return [
        rule["transition"] for rule in rules if "final" not in rule and rule.get("performer") != "database"
    ]


def test_the_gallery_has_these_examples() -> None:
    assert list(gallery.examples()) == [
        "sequence", "parallel", "choice", "loop", "four_eyes", "escalation", "compensation", "order", "loan",
        "field_visit", "manutencao",
    ]  # fmt: skip
    assert STARTS.keys() == gallery.examples().keys()


@pytest.mark.django_db
@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_checked_without_a_warning_and_its_scenarios_pass(name: str) -> None:
    example = gallery.examples()[name]
    assert api.conditions.check_definition("", example.definition) == []
    found = api.flows.lint("", example.definition)
    assert {one.check for one in found if one.severity != "info"} == ALLOWED.get(name, set())
    outcomes = list(api.trials.run_scenarios(example.definition, example.scenarios))
    assert [one.deviation for one in outcomes if one is None or not one.ok] == []
    assert len(outcomes) >= 2
    covered = api.conditions.coverage(example.definition, outcomes)
    assert [rule.title for rule in covered.rules if not rule.exercised] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_transition_has_its_handler_and_a_stand_in(name: str) -> None:
    registry = autodiscover()
    transitions = performed(gallery.examples()[name])
    assert all(one.startswith(f"sample_{name}_") for one in transitions)
    for one in transitions:
        entry = registry.find("any_flow", one)
        assert entry is not None and entry.flow is None
        assert stand_ins.stand_in("any_flow", one) is entry.simulate is not None


def test_no_handler_of_the_gallery_is_without_a_rule() -> None:
    served = {entry.transition for entry in autodiscover() if entry.transition.startswith("sample_")}
    assert served == {each for one in gallery.examples().values() for each in performed(one)}


def by_workers(rule: dict[str, Any]) -> dict[str, Any]:
    """Return a rule as the gallery has it: handlers perform what people do, and a deadline is a timeout."""
    if rule.get("performer") != "person":
        return rule
    rule |= {"performer": "worker", "timeout": rule.pop("deadline")}
    return {name: value for name, value in rule.items() if name not in ("outcomes", "offline")}


def test_the_workflow_of_tasks_is_what_its_text_in_pdl_becomes() -> None:
    made = compile_workflow(read(pdl_texts())[0]).compiled.definition
    example = gallery.examples()["manutencao"].definition
    prefix = "sample_manutencao_"
    for one, other in zip(made["attributes"], example["attributes"], strict=True):
        assert {**one, "label": ""} == {**other, "label": ""}
    for one, other in zip(made["triggers"][:-1], example["triggers"][:-1], strict=True):
        rule = by_workers(one)
        transition = {"transition": prefix + rule.pop("transition")}
        rule.pop("description", None)
        assert {**rule, **transition, "label": ""} == {**other, "label": ""}


def texts(example: gallery.Example) -> Iterator[str]:
    yield from (example.english_title, example.english_story, example.english_lesson)
    yield example.definition["label"]
    for part in ("attributes", "triggers"):
        yield from (each.get("label", "") for each in example.definition[part])
    for scenario in example.scenarios:
        yield from (scenario.name, scenario.story)


def translated(text: str) -> str:
    return translation.pgettext("gallery", text)


@pytest.mark.parametrize("name", [*NAMES, *patterns()])
def test_every_text_is_translated(name: str) -> None:
    same = {"Total", "Hotel", ""}
    example = example_named(name)
    assert example
    with translation.override("pt-br"):
        found = {text for text in texts(example) if translated(text) == text}
    assert found - same == set()


def test_the_compiled_catalogue_is_the_written_one() -> None:
    po = Path(__file__).parents[1] / "locale" / "pt_BR" / "LC_MESSAGES" / "django.po"
    pairs = re.findall(r'^msgctxt "gallery"\nmsgid (".+")\nmsgstr (".*")$', po.read_text(), re.MULTILINE)
    used = {text for example in gallery.examples().values() for text in texts(example)}
    used |= {text for pattern in patterns().values() for text in texts(pattern)}
    used |= {each.english_title for group in catalogue() for each in (group, *group.entries)}
    with translation.override("pt-br"):
        for original, portuguese in pairs:
            assert ast.literal_eval(original) in used
            assert translated(ast.literal_eval(original)) == ast.literal_eval(portuguese)


@pytest.mark.django_db
def test_an_example_opens_as_a_draft_with_its_scenarios_and_publishes_nothing() -> None:
    flow = unique()
    with translation.override("pt-br"):
        draft = gallery.open_example(gallery.examples()["order"], flow, actor="ann")
    assert draft.running_version == 0 and draft.definition["label"] == "Pedido"
    assert draft.definition["triggers"][0]["label"] == "Cobrar o cartão"
    assert [each.changed_by for each in api.trials.list_scenarios(flow)] == ["ann"] * 3
    with pytest.raises(DraftExists):
        gallery.open_example(gallery.examples()["loan"], flow)
    assert len(api.trials.list_scenarios(flow)) == 3
    api.drafts.discard(draft.at)
    with translation.override("pt-br"):
        gallery.open_example(gallery.examples()["order"], flow, label="My orders")
    assert {each.revision for each in api.trials.list_scenarios(flow)} == {2}
    with pytest.raises(WedError):
        gallery.open_example(gallery.examples()["order"], "no name")


@pytest.mark.parametrize("name", NAMES)
def test_the_code_of_the_handlers_can_name_a_flow(name: str) -> None:
    example = gallery.examples()[name]
    named = example.handlers_of("mine")
    rules = len(performed(example))
    calls = [node for node in ast.walk(ast.parse(named)) if isinstance(node, ast.Call)]
    decorators = [call for call in calls if getattr(call.func, "id", "") == "transition"]
    flows = [word.value for call in decorators for word in call.keywords if word.arg == "flow"]
    assert [getattr(one, "value", None) for one in flows] == ["mine"] * rules
    assert example.handlers_of("") == example.handlers


@pytest.mark.slow
def test_real_workers_run_every_example_to_its_end(
    dsn: str, connect: Any, processes: Processes, django_db_blocker: Any
) -> None:
    flows = {name: unique(name) for name in NAMES}
    with django_db_blocker.unblock():
        for name, flow in flows.items():
            draft = gallery.open_example(gallery.examples()[name], flow)
            assert api.publications.request(draft.at).status == "published"
            for state in STARTS[name]:
                api.instances.start(flow, state)
    conn = connect()
    options = [word for flow in flows.values() for word in ("--flow", flow)]
    running = (
        "select 1 from wedsql.instance i join wedsql.flow f on f.id = i.flow_id"
        " where f.name = any (%s) and i.status = 'R'"
    )
    for _ in range(6):
        if not conn.execute(running, [list(flows.values())]).fetchone():
            break
        worker = processes.manage("wedworker", *options, "--once")
        assert worker.wait(60) == 0, processes.output()
        conn.execute("select pg_sleep(2.1)")
        conn.execute("select wedsql.reap()")
    rows = conn.execute(
        "select f.name, i.status::text, count(*) from wedsql.instance i"
        " join wedsql.flow f on f.id = i.flow_id where f.name = any (%s) group by f.name, i.status",
        [list(flows.values())],
    ).fetchall()
    assert sorted(rows) == sorted((flows[name], "F", len(states)) for name, states in STARTS.items())
    with django_db_blocker.unblock():
        for flow in flows.values():
            outcomes = list(
                api.trials.run_scenarios(
                    api.drafts.running_definition(flow)[1], api.trials.list_scenarios(flow)
                )
            )
            assert all(one is not None and one.ok for one in outcomes)
