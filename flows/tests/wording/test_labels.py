"""Labels of definitions are translated by entries for labels only, and never by the texts of pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.utils import translation

from flows.designer.draft.edits import title
from flows.labels import translate_label

DEMO = Path(__file__).resolve().parents[3] / "workers" / "demo"
# Texts of pages: in Portuguese "Order" is the order of a list, "State" the state of an instance.
WORDS = ["Order", "State", "Rules", "Name", "Save", "date"]


@pytest.mark.parametrize("word", WORDS)
def test_a_label_that_is_a_text_of_a_page_is_not_translated(word: str) -> None:
    with translation.override("pt-br"):
        assert translate_label(word) == word
        assert title("attributes", {"name": "order", "label": word}) == word


def test_a_label_is_translated_for_each_language() -> None:
    for language, expected in (("en", "Payment"), ("pt-br", "Pagamento"), ("en", "Payment")):
        with translation.override(language):
            assert translate_label("Payment") == expected


def test_technical_names_are_not_translated() -> None:
    with translation.override("pt-br"):
        assert title("triggers", {"name": "Payment", "transition": "tr_x"}) == "Payment"


def test_the_labels_of_the_demo_are_translated() -> None:
    written = (DEMO / "locale/pt_BR/LC_MESSAGES/django.po").read_text(encoding="utf-8")
    entries = re.findall(r'^msgctxt "label"\nmsgid "(.+)"\nmsgstr "(.+)"$', written, re.MULTILINE)
    assert len(entries) > 20
    with translation.override("pt-br"):
        assert [translate_label(label) for label, _ in entries] == [said for _, said in entries]
