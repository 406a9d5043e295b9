"""Compiled templates have the output of Django's own, and fail where those fail."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.template import Context, Engine, Template
from django.template.base import Node
from django.test import RequestFactory
from django.utils import translation

from pages.compiler.nodes import CompiledList
from pages.tests.random_templates import FILTERS, NAMES, Writer, values
from testkit import cases

TAGS = {name: f"django.templatetags.{name}" for name in ("i18n", "static", "l10n", "tz")} | {
    name: f"pages.templatetags.{name}" for name in ("wed", "components")
}


def engine(templates: dict[str, str], loader: str) -> Engine:
    plain = [("django.template.loaders.locmem.Loader", templates)]
    return Engine(loaders=[(loader, plain)], builtins=list(TAGS.values()))


PLAIN, COMPILED = "django.template.loaders.cached.Loader", "pages.compiler.loader.Loader"


def outcomes(templates: dict[str, str], loader: str) -> Iterator[object]:
    """Return what each rendering of a page gives: its output, or the type of its error."""
    made = engine(templates, loader)
    for language in ("en", "pt-br", "en"):
        for autoescape in (True, False):
            with translation.override(language):
                yield rendered(made, language, autoescape=autoescape)


def rendered(made: Engine, language: str, *, autoescape: bool) -> object:
    context = Context(values() | {"name": "part"}, autoescape=autoescape)
    context.request = RequestFactory().get("/x/?x=<y>")  # type: ignore[attr-defined]
    context["csrf_token"] = "token"
    try:
        return re.sub(r"0x[0-9a-f]+", "", made.get_template("page").render(context))
    except Exception as error:  # noqa: BLE001 - the error is what is compared
        return type(error)


@pytest.mark.parametrize("seed", range(2000 if cases.long() else 150))
def test_a_random_page_is_the_same(seed: int) -> None:
    templates = Writer(seed).templates()
    assert list(outcomes(templates, COMPILED)) == list(outcomes(templates, PLAIN)), templates


@pytest.mark.parametrize("name", NAMES)
def test_each_value_is_the_same_with_each_filter(name: str) -> None:
    for more in ("", *(f"|{each}" for each in FILTERS)):
        for page in ("{{ " + name + more + " }}", "{% if " + name + more + " %}yes{% else %}no{% endif %}"):
            templates = {"page": page}
            assert list(outcomes(templates, COMPILED)) == list(outcomes(templates, PLAIN)), page


def test_templates_of_the_site_are_compiled_unless_errors_are_located() -> None:
    templates = {"page": "{% if x %}{{ x }}{% endif %}"}
    assert isinstance(engine(templates, COMPILED).get_template("page").nodelist, CompiledList)
    located = Engine(debug=True, loaders=[(COMPILED, [("django.template.loaders.locmem.Loader", templates)])])
    assert not isinstance(located.get_template("page").nodelist, CompiledList)


def test_a_tag_that_is_not_known_is_rendered_by_itself() -> None:
    class Own(Node):
        def render(self, context: Context) -> str:
            return f"own {context['x']}"

    plain = Template("")
    plain.nodelist.append(Own())
    assert CompiledList(plain.nodelist).render(Context({"x": "<1>"})) == "own <1>"
