"""Every text that a template or a module marks for translation is in a Portuguese catalogue."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import translation
from django.utils.translation import trans_real
from django.utils.translation.template import templatize

BASE = Path(settings.BASE_DIR)
PACKAGES = ("flows", "monitor", "pages", "wedsql_site", "workers")
TO_DO = "add the Portuguese to the catalogue (locale/pt_BR/LC_MESSAGES/django.po) and compile it with msgfmt"
MARKS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
# What `templatize`, with which makemessages reads templates, writes for a marked text.
MARKED = re.compile(r"""\b(?:_|n?gettext)\((u?'(?:[^'\\]|\\.)*'|u?"(?:[^"\\]|\\.)*")""")


def in_template(text: str) -> Iterator[str]:
    yield from map(ast.literal_eval, MARKED.findall(templatize(text)))


def in_module(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MARKS:
            yield from (str(arg.value) for arg in node.args[:1] if isinstance(arg, ast.Constant))


def missing(texts: Iterator[str]) -> set[str]:
    """Return the texts that neither the catalogues of the packages nor those of libraries have."""
    with translation.override("pt-br"):
        known = trans_real.catalog()._catalog  # type: ignore[attr-defined]
        return {text for text in texts if text not in known and (text, 0) not in known}


@pytest.mark.parametrize("directory", sorted(each.name for each in (BASE / "templates").iterdir()))
def test_texts_of_templates_are_in_a_catalogue(directory: str) -> None:
    top = BASE / "templates" / directory
    paths = [top] if top.is_file() else [*top.rglob("*.html")]
    found = {str(path): missing(in_template(path.read_text(encoding="utf-8"))) for path in paths}
    assert {name: texts for name, texts in found.items() if texts} == {}, TO_DO


@pytest.mark.parametrize("package", PACKAGES)
def test_texts_of_modules_are_in_a_catalogue(package: str) -> None:
    paths = [path for path in (BASE / package).rglob("*.py") if "tests" not in path.parts]
    found = {str(path): missing(in_module(path.read_text(encoding="utf-8"))) for path in paths}
    assert {name: texts for name, texts in found.items() if texts} == {}, TO_DO


def test_a_text_that_no_catalogue_has_is_found() -> None:
    counted = "{% blocktranslate count n=1 %}Zs{% plural %}Zt{% endblocktranslate %}"
    marked = '{% translate "Zq" %}{% column _("Zr") %}' + counted
    assert missing(in_template(marked)) == {"Zq", "Zr", "Zs"}
    assert missing(in_module('x = _("Zu")')) == {"Zu"}
