"""Expressions of other languages than FEEL, as FEEL has them.

Modellers write conditions in the expression language of Java (JUEL) with the functions of Camunda and
Flowable, in Java with those of jBPM, in JavaScript, Groovy, Python or XPath. Of these the tests of values are
written as FEEL. A text that is anything else stays as it is, for whoever refuses it or leaves it to people.
"""

from __future__ import annotations

from flows.languages.bpmn.dialects.grammar import Foreign, tree
from flows.languages.bpmn.dialects.idioms import Writer

__all__ = ["as_feel"]


def as_feel(text: str, language: str) -> str:
    """Return an expression with the idioms of its language as FEEL has them; the text where it has none."""
    writer = Writer()
    try:
        found = writer.feel(tree(text, paths="xpath" in language))
    except (Foreign, RecursionError):
        return text
    return found if writer.changed else text
