"""K-20: labels of options and queues, which a definition has as lines, are checked and read the same way."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.definition.option_labels import Labels
from flows.tests.kit import Kit, refused

OPTIONS = ["sold_out", "sold", "a = b", "[x]"]
RIGHT = {
    "sold_out = Sold out": ("", "sold_out", "Sold out"),
    "sold_out [pt-br] = Esgotado": ("pt-br", "sold_out", "Esgotado"),
    "sold=Sold": ("", "sold", "Sold"),
    "a = b = Both = equal": ("", "a = b", "Both = equal"),
    "[x] [de] =  X ": ("de", "[x]", "X"),
}
WRONG = ("", "gone = Gone", "sold_out", "sold_out =", "sold_out = ", "sold_out [PT] = Esgotado",
         "sold_out x = y", "sold_out = " + "x" * 300, "sold = two\nlines")  # fmt: skip


def labelled(*lines: str) -> dict[str, Any]:
    attribute = {"name": "stock", "type": "enum", "options": OPTIONS, "option_labels": list(lines)}
    return {"attributes": [attribute], "triggers": []}


@pytest.mark.parametrize("line", RIGHT)
def test_a_line_has_a_value_its_language_and_its_label(kit: Kit, line: str) -> None:
    language, value, label = RIGHT[line]
    assert api.conditions.check_definition(kit.name, labelled(line), conn=kit.conn) == []
    assert Labels([line], OPTIONS).by_language == {language: {value: label}}


@pytest.mark.parametrize("line", WRONG)
def test_a_line_about_no_option_is_rejected_at_its_place(kit: Kit, line: str) -> None:
    kit.attrs("other")
    (problem,) = api.conditions.check_definition(kit.name, labelled(line), conn=kit.conn)
    assert (problem.code, problem.path) == ("WD009", ("attributes", 0, "option_labels"))
    assert problem.hint


def test_a_value_has_one_label_in_a_language(kit: Kit) -> None:
    twice = labelled("sold = Sold", "sold [de] = Verkauft", "sold [de] = Weg")
    (problem,) = api.conditions.check_definition(kit.name, twice, conn=kit.conn)
    assert "two labels" in problem.message and "[de]" in problem.message


def test_only_an_attribute_with_options_has_labels_of_them(kit: Kit) -> None:
    kit.attrs("a")
    with refused("WD009") as why:
        kit.rows("update {f}.wed_attr set option_labels = array['x = X'] where aname = 'a'")
    assert why.facts["column"] == "option_labels"


def test_a_definition_without_an_option_keeps_no_label_of_it(kit: Kit) -> None:
    api.flows.publish(kit.name, labelled("sold = Sold"), conn=kit.conn)
    with refused("WD009"):
        kit.rows("update {f}.wed_attr set options = array['gone'] where aname = 'stock'")
    assert api.flows.definition(kit.name, conn=kit.conn)["attributes"][0]["option_labels"] == ["sold = Sold"]


def test_queues_have_labels_of_any_name(kit: Kit) -> None:
    lines = ["cards = Card company", "cards [pt-br] = Operadora"]
    kit.policy(queue_labels=lines)
    assert Labels(lines).by_language == {"": {"cards": "Card company"}, "pt-br": {"cards": "Operadora"}}
    for wrong in ("cards", "= X", "[pt-br] = X"):
        with refused("WD009") as why:
            kit.policy(queue_labels=[wrong])
        assert why.facts["column"] == "queue_labels"


def test_a_thousand_labels_are_kept_and_no_more(kit: Kit) -> None:
    kit.policy(queue_labels=[f"q{n} = Queue {n}" for n in range(1000)])
    with refused("WD009") as why:
        kit.policy(queue_labels=[f"q{n} = Queue {n}" for n in range(1001)])
    assert "1000" in why.message
