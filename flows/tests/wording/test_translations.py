"""Every message of pages, models and kernel has a Portuguese translation; the compiled catalog is current."""

from __future__ import annotations

import ast
import gettext
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

from flows import messages
from flows.models import Flow, TraceEntry

APP = Path(__file__).resolve().parents[2]
CATALOGUE = APP / "locale" / "pt_BR" / "LC_MESSAGES"
MARKS = {"_", "gettext", "gettext_lazy"}
PLACEHOLDER = re.compile(r"%\(\w+\)s|\{[a-z_]+\}")


def written() -> dict[str, str]:
    entry = r'^(msgctxt .+\n)?msgid (".+")\nmsgstr (".*")$'
    found = re.findall(entry, (CATALOGUE / "django.po").read_text(), re.MULTILINE)
    return {
        ast.literal_eval(original): ast.literal_eval(text) for context, original, text in found if not context
    }


def used() -> Iterator[str]:
    for path in APP.rglob("*.py"):
        if "tests" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MARKS:
                yield from (arg.value for arg in node.args if isinstance(arg, ast.Constant))


def test_every_sentence_is_translated() -> None:
    catalogue = written()

    assert set(used()) - catalogue.keys() == set()
    assert messages.sentences() - catalogue.keys() == set(), "python -m flows.messages prints what is missing"
    assert [original for original, translated in catalogue.items() if not translated] == []


def test_the_compiled_catalogue_is_the_written_one() -> None:
    with (CATALOGUE / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)

    for original, translated in written().items():
        assert compiled.gettext(original) == translated


def test_placeholders_survive() -> None:
    for original, translated in written().items():
        assert sorted(PLACEHOLDER.findall(original)) == sorted(PLACEHOLDER.findall(translated)), original


@pytest.mark.parametrize(("language", "word"), [("en", "flow"), ("pt-br", "fluxo")])
def test_models_speak_the_language_of_the_reader(language: str, word: str) -> None:
    with translation.override(language):
        assert str(Flow._meta.verbose_name) == word
        assert str(TraceEntry._meta.get_field("flow").verbose_name) == word
