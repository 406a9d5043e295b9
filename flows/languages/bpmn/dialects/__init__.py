"""Expressions of other languages than FEEL, as FEEL has them.

Modellers write conditions in the expression language of Java (JUEL) with the functions of Camunda and
Flowable, in Java with those of jBPM, in JavaScript, Groovy, Python or XPath. Of these the tests of values are
written as FEEL. A text that is anything else stays as it is, for whoever refuses it or leaves it to people.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from flows.languages.bpmn.dialects.grammar import Foreign, tree
from flows.languages.bpmn.dialects.idioms import Writer
from flows.languages.bpmn.dialects.languages import Different, Language
from flows.languages.bpmn.feel.words import NotSimple

__all__ = ["as_feel"]


_TEXT = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"
_TEXT_OF_XPATH = r"\"[^\"]*\"|'[^']*'"
_CAST = (
    r"\(\s*(?:java\.lang\.)?(?:Boolean|String|Integer|Long|Double|Float|Number|boolean|int|long|double|float)"
    r"\s*\)(?=\s*[\w(\"'])"
)
_COMMENT = r"//[^\n]*|/\*(?s:.*?)\*/"
_LEFT_OUT_OF_XPATH = (
    r"(?<=/)[A-Za-z_][\w-]*:(?=\w)"  # prefixes of names
    r"|/text\(\)|\b(?:number|string|boolean)\s*(?=\()"
)
_HYPHENATED = r"[^\W\d]\w*(?:-\w+)+"
_WITH_COMMENTS = frozenset({"java", "javascript", "groovy", "mvel"})
_DIFFERENT = "FEEL reads this differently from the language of the expression."


def as_feel(
    text: str, language: str, types: Mapping[str, str] | None = None, *, from_zero: bool = False
) -> str:
    """Return an expression with the idioms of its language as FEEL has them; the text where it has none.

    types: of attributes, with which a number or a truth value may be compared that is written as a text.
    from_zero: whether the language counts the items of a list from 0; FEEL counts from 1. Raises NotSimple
    for what FEEL would read otherwise.
    """
    spoken = Language.of(language, from_zero=from_zero)
    writer = Writer(types or {}, spoken)
    plain = _plain(text, spoken)
    try:
        found = writer.feel(tree(plain, paths=spoken.has_paths))
    except Different:
        raise NotSimple(_DIFFERENT, 1) from None
    except (Foreign, RecursionError):
        if spoken.is_program:
            raise NotSimple("Only simple comparisons in this language are supported.", 1) from None
        return text
    return found if writer.changed or plain != text else text


def _plain(text: str, language: Language) -> str:
    """Return an expression without comments, and conversions that FEEL does not need; texts stay."""
    if not language.has_paths:
        text = _outside(_TEXT, _CAST, "", text)
        return _outside(_TEXT, _COMMENT, " ", text) if language.name in _WITH_COMMENTS else text
    texts = _TEXT if language.from_zero else _TEXT_OF_XPATH
    text = _outside(texts, _LEFT_OUT_OF_XPATH, "", text)
    if language.from_zero:
        return text
    text = _outside(texts, _HYPHENATED, lambda found: found[0].replace("-", "_"), text)
    return re.sub(texts, lambda found: found[0].replace("\\", "\\\\"), text)


def _outside(texts: str, pattern: str, by: str | Callable[[re.Match[str]], str], text: str) -> str:
    """Replace what is not within a text."""

    def replaced(found: re.Match[str]) -> str:
        if found["text"] is not None:
            return found[0]
        return by if isinstance(by, str) else by(found)

    return re.sub(f"(?P<text>{texts})|{pattern}", replaced, text)
