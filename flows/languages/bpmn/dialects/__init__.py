"""Expressions of other languages than FEEL, as FEEL has them.

Modellers write conditions in the expression language of Java (JUEL) with the functions of Camunda and
Flowable, in Java with those of jBPM, in JavaScript, Groovy, Python or XPath. Of these the tests of values are
written as FEEL. A text that is anything else stays as it is, for whoever refuses it or leaves it to people.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from flows.languages.bpmn.dialects.grammar import Foreign, tree
from flows.languages.bpmn.dialects.idioms import Writer

__all__ = ["as_feel"]


_CAST = re.compile(
    r"\(\s*(?:java\.lang\.)?(?:Boolean|String|Integer|Long|Double|Float|Number|boolean|int|long|double|float)"
    r"\s*\)(?=\s*[\w(\"'])"
)
_STEP = re.compile(r"(?<=/)[A-Za-z_][\w-]*:(?=\w)")
_LAST_STEP = re.compile(r"/text\(\)")
_HYPHENATED = re.compile(r"\b(starts|ends|string)-(with|length)\s*\(")
_CONVERTED = re.compile(r"\b(?:number|string|boolean)\s*(?=\()")


def as_feel(
    text: str, language: str, types: Mapping[str, str] | None = None, *, from_zero: bool = False
) -> str:
    """Return an expression with the idioms of its language as FEEL has them; the text where it has none.

    types: of attributes, with which a number or a truth value may be compared that is written as a text.
    from_zero: whether the language counts the items of a list from 0; FEEL counts from 1.
    """
    sized = "mvel" in language or language.endswith("java")
    writer = Writer(types or {}, from_zero=from_zero, sized=sized)
    plain = _of_xpath(text) if "xpath" in language else _CAST.sub("", text)
    try:
        found = writer.feel(tree(plain, paths="xpath" in language))
    except (Foreign, RecursionError):
        return text
    return found if writer.changed or plain != text else text


def _of_xpath(text: str) -> str:
    """Return an expression of XPath without prefixes of names and conversions."""
    text = _LAST_STEP.sub("", _STEP.sub("", text))
    return _CONVERTED.sub("", _HYPHENATED.sub(r"\1_\2(", text))
