"""A text of a definition is read with the line and column of each part, and refused where it is dangerous."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flows.definition import places
from flows.definition.files import NotReadable

PREDICATES = [
    "a = 'x' and wrong > 3",
    "wrong",
    "a = 'x'\nand wrong\n  or b",
    "'quoted' = wrong and it's: fine # not",
    'say "wrong" : now',
    "a: b and wrong",
    "long " * 40 + "wrong" + " end" * 30,
    "  lead and wrong",
    "ação wrong 👍 wrong",
    "tab\there wrong",
]


@pytest.mark.parametrize("name", ["yaml", "json"])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_a_position_in_a_condition_is_found_in_the_text(predicate: str, name: str) -> None:
    definition: dict[str, Any] = {"attributes": [], "triggers": [{"transition": "t", "predicate": predicate}]}
    text = places.write(definition, name)
    found = places.read(text, name)
    assert found.definition == definition

    place = found.place(("triggers", 0, "predicate"), predicate.index("wrong") + 1, len("wrong"))

    line = text.split("\n")[place.line - 1]
    if text[place.start : place.end] != "wrong":  # written with escapes: the whole text is marked
        assert "\\" in text[place.start : place.end]
    assert line[place.column - 1 :].startswith(text[place.start : place.end].split("\n")[0])


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        (("attributes", 0, "name"), 2, 9),
        (("attributes", 0, "type"), 2, 3),  # not there: the attribute
        (("triggers", 1), 6, 3),
        (("max_firings",), 7, 14),
        (("label",), 1, 1),
    ],
)
def test_a_part_is_found_or_the_nearest_around_it(
    path: tuple[str | int, ...], line: int, column: int
) -> None:
    text = "attributes:\n- name: a\ntriggers:\n- predicate: a\n  mode: x\n- final: true\nmax_firings: 7\n"
    place = places.read(text, "yaml").place(path)

    assert (place.line, place.column) == (line, column)


BOMB = "a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\nattributes: []\ntriggers: []\n"


@pytest.mark.parametrize(
    ("text", "name", "line"),
    [
        ("attributes: []\n triggers: []", "yaml", 2),
        ("{\n 'attributes': []}", "json", 2),
        ("just a text", "yaml", 1),
        ("", "yaml", 1),
        ("attributes: 7\ntriggers: []", "yaml", 1),
        ("attributes: []\ntriggers:\n- 7\n", "yaml", 3),
        ("attributes: []\nattributes: []\ntriggers: []\n", "yaml", 2),
        (BOMB, "yaml", 2),
        ("attributes: " + "[" * 5_000, "yaml", 0),
        ('{"attributes": [], "triggers": [], "label": ' + "[" * 60 + "]" * 60 + "}", "json", 0),
        ('{"attributes": ' + "[" * 100_000 + "]" * 100_000 + "}", "json", 0),
        ("attributes: []\ntriggers: []\nlabel: !!timestamp 2020-01-01\n", "yaml", 0),
        ("attributes: []\ntriggers: []\nlabel: !!python/object:os.system x\n", "yaml", 3),
        ("attributes: []\ntriggers: []\nlabel: !!float .nan\n", "yaml", 0),
        ('{"attributes": [], "triggers": [], "label": NaN}', "json", 0),
        (json.dumps({"attributes": [], "triggers": [], "label": "\0"}), "json", 0),
        (json.dumps({"attributes": [], "triggers": [], "label": "\ud800"}), "json", 0),
        ("x" * (places.LARGEST + 1), "yaml", 0),
    ],
)
def test_a_text_that_is_no_definition_is_refused_at_its_line(text: str, name: str, line: int) -> None:
    with pytest.raises(NotReadable) as caught:
        places.read(text, name)

    assert line in (0, caught.value.line)


def test_writing_and_reading_keeps_what_no_option_has() -> None:
    definition = {"odd": 1, "attributes": [{"id": 3, "kind": "x", "name": "a"}], "triggers": []}

    assert places.read(places.write(definition, "yaml"), "yaml").definition == {
        "odd": 1,
        "attributes": [{"name": "a", "kind": "x"}],
        "triggers": [],
    }


def test_a_definition_that_is_too_long_is_not_read() -> None:
    text = json.dumps({"attributes": [], "triggers": [], "label": "x" * places.LARGEST})
    with pytest.raises(NotReadable, match="at most 1000000 are read"):
        places.read(text, "json")


def test_json_that_is_no_yaml_has_no_places() -> None:
    read = places.read(json.dumps({"k" * 2_000: 1, "attributes": [{}], "triggers": []}), "json")

    assert (read.place(("attributes", 0)).start, read.nodes) == (0, {})
