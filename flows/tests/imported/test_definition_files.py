"""JSON and YAML keep a definition exactly, and invalid files are rejected with the line of the error."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from flows import api
from flows.definition import ATTRIBUTE, FLOW, TRIGGER, Definition, Option, Options
from flows.definition.files import FORMATS, JSON, YAML, Format, NotReadable
from flows.tests.pages import unique
from testkit.cases import examples

# Texts that PostgreSQL can store.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
NAMES = st.from_regex(r"[a-z][a-z0-9]{0,9}", fullmatch=True)
ATTRIBUTES = [{"name": "day", "type": "date"}, {"name": "size", "type": "text"}]
# Options whose values must fit the rest of the definition.
FITTING: dict[str, st.SearchStrategy[Any]] = {
    "predicate": st.sampled_from(["size = 'on'", "size = 'a: b'\n  and day is null", "size = '#  '"]),
    "transition": NAMES.map(lambda name: f"tr_{name}"),
    "queue_labels": st.lists(st.sampled_from(["desk = The desk", "desk [pt-br] = O balcão"]), unique=True),
    "start_at": st.lists(st.sampled_from(["R/PT1H", "2027-01-01T06:00Z"]), unique=True),
    "writes": st.lists(st.sampled_from(["day", "size"]), unique=True),
    "due_attr": st.just("day"),
    "mutex": st.sampled_from(["desk", "Á: b"]),
    "lock": st.sampled_from(["desk", "box {size}"]),
    "sets_when_taken": st.sampled_from(["size = 'taken'", "size = 'Á: b', day = null"]),
    "child_count": st.sampled_from(["2", "length(size)"]),
    "child_set": st.lists(st.sampled_from(["number = child_number", "day = day"]), max_size=2),
    "child_wait": st.just("children / 2"),
    "child_result": st.just(["size = 'on'"]),
    "outcomes": st.lists(st.sampled_from(["Yes: size = 'on'", "No", "Á: day = null"]), unique=True),
    "candidate": st.just("size"),
    "responsible": st.sampled_from(["alice", "Á: b"]),
    "application": st.sampled_from(["https://x.example/{size}", "/orders/"]),
    "form": st.sampled_from(
        [
            {"sections": []},
            {"sections": [{"title": "Á: b", "fields": [{"attribute": "size", "shown": "day is null"}]}]},
        ]
    ),
    "warnings": st.lists(st.sampled_from(["24", "0.5", "48 transfer"]), unique=True),
    "option_labels": st.none(),  # those of options
    "task_calendar": st.none(),  # one that there is
    "role": st.sampled_from(["", "Clerk", "Á: b", "x" * 60]),
    "final": st.just(False),
}
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "text": TEXTS,
    "text[]": st.lists(TEXTS, max_size=3),
    "boolean": st.booleans(),
    "integer": st.integers(1, 1000),
    "smallint": st.integers(-(2**15), 2**15 - 1),
    "interval": st.sampled_from(["00:00:01", "3 days 18:00:00", "1 mon", "1 year 2 mons 3 days 00:00:00.5"]),
}


def values(option: Option) -> st.SearchStrategy[Any]:
    """Return a strategy for values of an option that the kernel accepts."""
    usual = st.sampled_from(sorted(option.choices)) if option.choices else VALUES.get(option.type, st.none())
    found = FITTING.get(option.name, usual)
    return found if not option.nullable or option.name == "transition" else st.none() | found


def given_of(options: Options) -> st.SearchStrategy[dict[str, Any]]:
    required = ("predicate", "transition", "name")
    strategies = {o.name: values(o) for o in options.values()}
    return st.fixed_dictionaries(
        {name: strategy for name, strategy in strategies.items() if name in required},
        optional={name: strategy for name, strategy in strategies.items() if name not in required},
    )


@st.composite
def definitions(draw: st.DrawFn) -> Definition:
    """Draw definitions with any options; generated attributes are texts with any default and options."""
    more = draw(st.lists(given_of(ATTRIBUTE), max_size=3, unique_by=lambda a: a["name"]))
    plain = [attribute | {"name": f"x_{n}", "type": "text"} for n, attribute in enumerate(more)]
    triggers = [_possible(trigger) for trigger in draw(st.lists(given_of(TRIGGER), max_size=3))]
    return draw(given_of(FLOW)) | {"attributes": [*ATTRIBUTES, *plain], "triggers": triggers}


def _possible(trigger: dict[str, Any]) -> dict[str, Any]:
    """Return a trigger that the kernel accepts: with the compensation that it names, if it names one.

    An integrity condition has a name, no transition, and is not final.
    """
    if trigger.get("compensation") == "transition" and not trigger.get("compensated_by"):
        trigger |= {"compensated_by": "tr_undo"}
    trigger |= {"performer": "worker", "sets": None}  # a SET clause is over attributes that there are
    if not trigger.get("integrity"):
        return trigger
    return trigger | {"name": f"n{trigger['name'] or ''}", "transition": None, "final": False}


@pytest.mark.parametrize("kind", [JSON, YAML])
@settings(deadline=None)
@given(definition=definitions())
def test_what_is_written_is_read_again(kind: Format, definition: Definition) -> None:
    assert kind.parse(kind.write(definition)) == definition


@pytest.mark.django_db
@pytest.mark.parametrize("kind", [JSON, YAML])
@settings(max_examples=examples(10), deadline=None, phases=[Phase.explicit, Phase.generate])
@given(definition=definitions())
def test_the_kernel_returns_what_the_file_had(kind: Format, definition: Definition) -> None:
    with transaction.atomic():
        first, second = unique(), unique()
        api.flows.create(first)
        api.flows.publish(first, definition)
        stored = api.flows.definition(first)
        api.flows.create(second)
        api.flows.publish(second, kind.parse(kind.write(stored)))
        again = api.flows.definition(second)
        changed = api.flows.difference(definition, stored)
        transaction.set_rollback(True)

    assert changed == []
    assert again | {"flow": first} == stored


@pytest.mark.parametrize(
    ("kind", "text", "line", "word"),
    [
        ("json", '{\n"a": 1,\n}', 3, "JSON"),
        ("json", '{"label": "x", "label": "y"}', 1, "twice"),
        ("json", "[]", 1, "definition"),
        ("json", "[" * 100_000, 0, "JSON"),
        ("yaml", "label: x\nlabel: y", 2, "twice"),
        ("yaml", "label: x\n  triggers: []", 2, "YAML"),
        ("yml", "label: &a x\ndescription: *a", 2, "aliases"),
        ("yaml", "a text", 1, "definition"),
        ("yaml", "!!python/object/apply:os.system [true]", 1, "YAML"),
    ],
)
def test_what_is_no_definition_is_refused_with_its_line(kind: str, text: str, line: int, word: str) -> None:
    with pytest.raises(NotReadable, match=word) as refused:
        FORMATS[kind].parse(text)

    assert refused.value.line == line


def test_yaml_by_hand_has_the_types_of_json() -> None:
    text = "timeout: 00:05:00\nlabel: on\nday: 2026-01-02\nn: 7\nnone:\nno: ~\nyes: true\nlong: |\n  a\n  b\n"

    assert YAML.read(text) == {
        "timeout": "00:05:00", "label": "on", "day": "2026-01-02", "n": 7, "none": None, "no": None,
        "yes": True, "long": "a\nb\n",
    }  # fmt: skip


def test_yaml_is_written_for_people() -> None:
    trigger = {"timeout": None, "predicate": "a = '1'\nand b = '2'", "transition": "tr_x", "name": "t"}
    text = YAML.write({"triggers": [trigger], "attributes": [{"type": "text", "name": "a"}], "flow": "f"})

    assert text == (
        "flow: f\nattributes:\n- name: a\n  type: text\ntriggers:\n- transition: tr_x\n"
        "  predicate: |-\n    a = '1'\n    and b = '2'\n  timeout: null\n  name: t\n"
    )


def test_yaml_has_no_aliases() -> None:
    rules = [{"transition": "tr_x", "predicate": "a = '1'", "writes": ["a"]}] * 2
    definition: Any = {"attributes": [{"name": "a"}], "triggers": rules}
    text = YAML.write(definition)

    assert "&id" not in text and YAML.parse(text) == definition


@pytest.mark.parametrize(
    ("odd", "written"),
    [
        ("\u2028", "\\L"),
        ("\u2029", "\\P"),
        ("\x85", "\\N"),
        ("\ufeff", "\\uFEFF"),
        ("\x01", "\\x01"),
        ("\x7f", "\\x7F"),
        ("\r", "\\r"),
    ],
)
def test_yaml_escapes_line_ends_and_invisible_characters(odd: str, written: str) -> None:
    definition: Any = {"attributes": [{"name": "a", "label": odd}], "triggers": []}
    text = YAML.write(definition)

    assert written in text and odd not in text and YAML.parse(text) == definition
