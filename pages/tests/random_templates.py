"""Random templates of all tags that pages use, and values at which templates stumble."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from django.utils.functional import SimpleLazyObject
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy


class Pair(NamedTuple):
    left: str
    right: object


class Thing:
    """An object with what templates stumble over."""

    name = "a <thing>"
    none = None

    def method(self) -> str:
        return "called & escaped"

    def needs(self, argument: str) -> str:
        return argument

    def delete(self) -> str:
        raise AssertionError

    delete.alters_data = True  # type: ignore[attr-defined]

    @property
    def silent(self) -> str:
        raise Silent

    @property
    def broken(self) -> str:
        raise AttributeError("inside")

    def fails(self) -> str:
        raise LookupError("loud")

    def __str__(self) -> str:
        return "<thing>"


class Silent(Exception):
    silent_variable_failure = True


class Raw:
    do_not_call_in_templates = True
    name = "raw"

    def __call__(self) -> str:
        raise AssertionError

    def __str__(self) -> str:
        return "raw"


def values() -> dict[str, Any]:
    at = datetime(2026, 3, 1, 12, 30, 15, 123456, UTC)
    return {
        "text": "a <b> & 'c'",
        "safe": SafeString("<i>safe</i>"),
        "empty": "",
        "none": None,
        "n": 1234567,
        "zero": 0,
        "share": 0.25,
        "exact": Decimal("1234.50"),
        "yes": True,
        "no": False,
        "at": at,
        "day": date(2026, 3, 1),
        "length_": timedelta(hours=3),
        "lazy": gettext_lazy("Instances"),
        "things": [Thing(), Thing()],
        "thing": Thing(),
        "lazily": SimpleLazyObject(Thing),
        "raw": Raw(),
        "rows": [("one", 1), ("two <", 2)],
        "pairs": [Pair("l", 1), Pair("<r>", None)],
        "words": ["x", "<y>", "z"],
        "by_name": {"name": "in a dict", "items": "shadowed", "1": "digit", "<k>": 1},
        "call": lambda: "called",
        "generator": SafeString("ab"),
        "forms": {"a": {"b": {"c": "deep"}}},
        "class_": Thing,
        "numbers": range(3),
    }


NAMES = (
    "text", "safe", "empty", "none", "n", "zero", "share", "exact", "yes", "no", "at", "day", "length_",
    "lazy", "thing", "thing.name", "thing.method", "thing.needs", "thing.delete", "thing.silent",
    "thing.missing", "thing.none.x", "lazily.name", "lazily.method", "raw", "raw.name", "pairs.0.left",
    "pairs.1.right", "words.1", "words.7", "by_name.name", "by_name.items", "by_name.values", "by_name.1",
    "by_name.keys", "call", "class_.name", "missing", "missing.deep", "forms.a.b.c", "forms.a.x",
    "numbers.1", "text.upper", "row", "row.0", "forloop.counter", "forloop.last",
    "forloop.parentloop.counter", "thing.broken", "thing.fails", "_('Instances')", "'a <literal>'", "12",
    "1.5", "request", "request.path", "request.GET.x", "autoescape", "template", "dicts", "block.super",
    "True", "None",
)  # fmt: skip
FILTERS = (
    "default:'-'", "default_if_none:text", "join:', '", "length", "upper", "yesno:'a,b,c'", "add:1", "safe",
    "escape", "truncatechars:5", "date:'Y-m-d H:i'", "first", "slice:':2'", "default:missing", "capfirst",
    "stringformat:'s'", "force_escape", "linebreaksbr", "urlencode", "add:thing.name", "floatformat:1",
    "get:'name'",
)  # fmt: skip
OPERATORS = ("==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not", "and", "or")


class Writer:
    """Writes random templates."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - not a secret

    def expression(self) -> str:
        pick = self.random
        chosen = [pick.choice(FILTERS) for _ in range(pick.choice((0, 0, 0, 1, 1, 2)))]
        return "|".join([pick.choice(NAMES), *chosen])

    def condition(self) -> str:
        pick = self.random
        first = f"{pick.choice(('', '', 'not '))}{self.expression()}"
        more = pick.choice((0, 0, 1, 2))
        return " ".join([first, *(f"{pick.choice(OPERATORS)} {self.expression()}" for _ in range(more))])

    def body(self, depth: int) -> str:
        return "".join(self.piece(depth) for _ in range(self.random.randint(1, 3)))

    def piece(self, depth: int) -> str:
        pick, name = self.random, self.random.choice
        kinds = ["text", "variable", "variable", "variable", "translate", "block", "tag", "url"]
        kind = name([*kinds, "if", "if", "for", "with", "include", "escape", "other"] if depth else kinds)
        inner = self.body(depth - 1) if depth else ""
        one, other = self.expression(), self.expression()
        return {
            "text": name(("plain <b>", "\n", "{% comment %}no{% endcomment %}", "{# no #}")),
            "variable": "{{ " + one + " }}",
            "translate": name(
                (
                    '{% translate "Instances" %}',
                    '{% translate "100% of “x” <b>" %}',
                    '{% translate "Cases" as t %}{{ t }}',
                    "{% translate text %}",
                    '{% translate "Cases" context "c" %}',
                    '{% translate "Cases"|upper %}',
                    '{% translate "Cases" noop %}',
                )
            ),
            "block": name(
                (
                    "{% blocktranslate %}5% of {{ text }} and {{ missing }}{% endblocktranslate %}",
                    "{% blocktranslate with x="
                    + one
                    + " trimmed %}\n {{ x }}\n {{ n }} {% endblocktranslate %}",
                    "{% blocktranslate count k=n %}{{ k }} s{% plural %}{{ k }} p{% endblocktranslate %}",
                    "{% blocktranslate count k="
                    + one
                    + " asvar z %}{{ k }}{% plural %}{{ k }}s{% endblocktranslate %}{{ z }}",
                )
            ),
            "tag": name(
                (
                    "{% fact _('Instances') %}" + "{{ " + one + " }}{% endfact %}",
                    "{% cell text 'num' %}x{% endcell %}",
                    "{% column _('Cases') css=text %}",
                    "{% pill 'R' '●' lazy as p %}{{ p }}",
                    "{{ n|number }}",
                    "{% moment at %}",
                    "{% moment none %}",
                    "{% moment at precise=True %}",
                    "{{ length_|duration }}",
                    "{% status text %}",
                )
            ),
            "url": name(
                (
                    "{% url 'login' %}",
                    "{% url 'nowhere' %}",
                    "{% url 'nowhere' as u %}[{{ u }}]",
                    "{% url 'login' as u %}{{ u }}",
                    "{% url 'search' %}?{{ text|urlencode }}",
                    "{% url missing %}",
                )
            ),
            "if": "{% if "
            + self.condition()
            + " %}"
            + inner
            + "{% elif "
            + self.condition()
            + " %}E{% else %}F{% endif %}",
            "for": name(
                (
                    "{% for row in "
                    + name(("rows", "words", "missing", "things", "numbers", "none", one))
                    + " %}"
                    + inner,
                    "{% for a, b in "
                    + name(("rows", "pairs", "words", "by_name.items"))
                    + " reversed %}{{ a }}{{ b }}"
                    + inner,
                    "{% for row in words %}{% cycle 'odd' 'even' %}{% ifchanged row %}!{% endifchanged %}"
                    + inner,
                )
            )
            + name(("", "{% empty %}none"))
            + "{% endfor %}",
            "with": "{% with row=" + one + " text=" + other + " %}" + inner + "{% endwith %}{{ text }}",
            "include": name(
                (
                    "{% include 'part' %}",
                    "{% include 'part' with row=" + one + " %}",
                    "{% include 'part' with row=" + one + " only %}",
                    "{% include name %}",
                    "{% include 'nowhere' %}" if pick.random() < 0.1 else "",
                )
            ),
            "escape": "{% autoescape off %}" + inner + "{% endautoescape %}",
            "other": name(
                (
                    "{% firstof " + one + " 'x' %}",
                    "{% spaceless %} <b> " + inner + " </b> {% endspaceless %}",
                    "{% filter upper %}" + inner + "{% endfilter %}",
                    "{% language 'pt-br' %}{% translate 'Cases' %}" + inner + "{% endlanguage %}",
                    "{% static 'pages/app.js' %}",
                    "{% verbatim %}{{ x }}{% endverbatim %}",
                    "{% csrf_token %}",
                )
            ),
        }[kind]

    def templates(self) -> dict[str, str]:
        return {
            "part": "[" + self.body(1) + "]",
            "base": "{% block a %}A"
            + self.body(1)
            + "{% endblock %}-{% block b %}B{% endblock %}"
            + self.body(1),
            "middle": "{% extends 'base' %}{% block b %}M{{ block.super }}" + self.body(1) + "{% endblock %}",
            "page": self.random.choice(("{% extends 'middle' %}", "{% extends 'base' %}", ""))
            + "{% block a %}{{ block.super }}"
            + self.body(3)
            + "{% endblock %}"
            + self.body(2),
        }
