"""Compiled templates have the output of Django's own, and fail where those fail."""

from __future__ import annotations

import gc
import re
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.template import Context, Engine, Template
from django.template.base import Node
from django.test import RequestFactory
from django.urls import get_script_prefix, set_script_prefix
from django.utils import translation
from django.utils.safestring import SafeString

from pages.compiler import constants
from pages.compiler.constants import Fixed
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


FIXED = "<a href=\"{% url 'login' %}\">{% translate \"Instances\" %}</a>{% static 'pages/app.js' %}"


def test_texts_that_are_the_same_on_each_page_are_made_once_for_each_language_and_place() -> None:
    page = engine({"page": FIXED}, COMPILED).get_template("page")
    assert [type(part) for part in page.nodelist.parts] == [Fixed]  # type: ignore[attr-defined]
    found = set()
    for _again in range(2):
        for language in ("en", "pt-br"):
            for prefix in ("/", "/below/"):
                with translation.override(language), under(prefix):
                    found.add(page.render(Context()))
    assert len(found) == 4
    assert len([each for each in found if "/below/" in each]) == 2


def test_a_part_in_another_language_has_its_own_texts() -> None:
    text = "{% include 'part' %}"
    page = f"{text}{{% language 'pt-br' %}}{text}{{% endlanguage %}}{text}"
    templates = {"page": page, "part": "{% translate 'Instances' %}"}
    assert list(outcomes(templates, COMPILED)) == list(outcomes(templates, PLAIN))


@contextmanager
def under(prefix: str) -> Iterator[None]:
    before = get_script_prefix()
    set_script_prefix(prefix)
    try:
        yield
    finally:
        set_script_prefix(before)


def test_the_kept_variants_of_a_site_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "_variants", {})
    page = engine({"page": "{% url 'login' %}"}, COMPILED).get_template("page")
    for n in range(constants.MOST + 10):
        with under(f"/{n}/"):
            assert page.render(Context()).startswith(f"/{n}/")
    assert len(constants._variants) == constants.MOST


CHAIN = (
    "{% if x == 'a' %}1{% elif x == 'b' %}2{% elif x == 'a' %}3{% elif x == '5' %}{{ x }}"
    "{% else %}none{% endif %}"
)


class Failing:
    def __call__(self) -> str:
        raise ValueError


class EqualToAll:
    def __eq__(self, _other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


CHOSEN = ["a", "b", "c", SafeString("b"), "5", 5, None, Failing(), EqualToAll(), lambda: "b", ["a"]]
CHAINS = [CHAIN, CHAIN.replace("{% else %}none", ""), CHAIN.replace("x == 'b'", "x == y")]


@pytest.mark.parametrize("value", CHOSEN, ids=repr)
@pytest.mark.parametrize("page", CHAINS)
def test_a_choice_among_texts_is_the_same(page: str, value: object) -> None:
    compiled, plain = both(page, {"x": value, "y": "b"})
    assert compiled == plain


def both(page: str, values: dict[str, object]) -> list[str]:
    made = (engine({"page": page}, loader).get_template("page") for loader in (COMPILED, PLAIN))
    return [each.render(Context(dict(values))) for each in made]


SHORT = [
    "",
    "abcd",
    "abcde",
    "abcdef",
    "é",
    "e\u0301a",
    "e\u0301e\u0301abc",
    SafeString("<b>"),
    "<b>",
    5,
    None,
]


@pytest.mark.parametrize("value", SHORT)
@pytest.mark.parametrize("length", ["5", "0", "-1", "'x'", "'5'", "n"])
def test_a_text_is_shortened_as_by_django(length: str, value: object) -> None:
    page = "{{ x|truncatechars:L }}{{ x|default:'none'|truncatechars:L }}".replace("L", length)
    compiled, plain = both(page, {"x": value, "n": 5})
    assert compiled == plain


class Counted:
    """Counts what is called on the way of a path."""

    calls = 0

    def call(self) -> list[dict[str, str]]:
        self.calls += 1
        return [{"name": "x"}]

    @property
    def row(self) -> list[str]:
        return [str(self.call())]


@pytest.mark.parametrize("path", ["call.0.name", "call.0.missing.x", "call.missing", "row.0", "row.7.x"])
def test_what_is_called_on_the_way_of_a_path_is_called_once(path: str) -> None:
    made, counted = engine({"page": "{{ it." + path + " }}"}, COMPILED), Counted()
    made.get_template("page").render(Context({"it": counted}))
    assert counted.calls == 1


def test_the_class_of_a_value_is_not_kept() -> None:
    page = engine({"page": "{{ row.name }}{{ row.0 }}{% if row.x == row %}{% endif %}"}, COMPILED)
    kind = type("MadeForOneRequest", (), {"name": "x"})
    page.get_template("page").render(Context({"row": kind()}))
    kept = weakref.ref(kind)
    del kind
    gc.collect()
    assert kept() is None
