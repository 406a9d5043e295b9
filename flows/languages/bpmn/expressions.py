"""Expressions of a file as SQL, whatever their language."""

from __future__ import annotations

import re
from collections.abc import Mapping

from flows.languages.bpmn.dialects import as_feel
from flows.languages.bpmn.feel import NotSimple, may_hold, names_in, to_sql
from flows.languages.bpmn.model import Expression
from flows.languages.bpmn.names import slug, usable
from flows.languages.bpmn.problems import BpmnProblem

_SQL = ("sql", "text/sql")
_READ = ("feel", "xpath", "juel")
_PROGRAMS = ("java", "mvel", "python", "groovy")
"""Languages whose simple comparisons are read: also JavaScript."""
_DATA_OBJECT = re.compile(
    r"""(?s:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')|"""
    r"""(?:(?:\w+:)?getDataObject|(?:execution|kcontext)\.getVariable(?:Local)?)\(\s*['"]([^'"()]{1,60})['"]\s*\)"""
)
"""A text, which stays, or a variable by its name."""
_TEXT = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_METHOD = re.compile(r"(?:[^\W\d]\w*|\))\s*\.\s*([^\W\d]\w*)\s*\(|\b[a-z]\w*:([a-z]\w*)\(")
"""A call of a method, which FEEL does not have."""
_MARKED = re.compile(r"[$#]\{([^{}]*)\}")
_SEVERAL = re.compile(r"\}[^{}]*[$#]\{")
"""Several parts of an expression that are marked each."""
_PRESENT = re.compile(r"\b(?:now|today)\s*\(\s*\)")
"""A function of the present moment, which no condition has."""
_RETURNED = re.compile(r"\s*return\b(.*?);?\s*", re.DOTALL)


class NotUnderstood(ValueError):
    """An expression cannot be translated; `problem` says where it is."""

    def __init__(self, problem: BpmnProblem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def sql(expression: Expression, default: str, element: str, types: Mapping[str, str] | None = None) -> str:
    """Return an expression as SQL; `types` are those of attributes. Raises NotUnderstood."""
    language = (expression.language or default).lower()
    if language in _SQL:
        return expression.text
    if language and not any(each in language for each in (*_READ, *_PROGRAMS)):
        message = f"An expression in “{language[:60]}” is not supported; write it in SQL or FEEL."
        raise NotUnderstood(_problem(message, expression, element))
    before = bare(expression.text)[1]
    try:
        text = _read(expression, language, types)[0]
        return to_sql(text, types)
    except NotSimple as error:
        place = error.position + before
        called = method(expression, default, types)
        if called:
            message = (
                f"The expression calls a method, “{called[:40]}”, which only a program can do; let a task "
                "before it write the result into an attribute."
            )
        elif language or before:
            message = f"The expression is not in FEEL's simple subset, at character {place}: {error}"
        else:
            message = (
                f"The expression is not in FEEL's simple subset, at character {place}: {error} "
                'If it is SQL, give it language="sql".'
            )
        raise NotUnderstood(_problem(message, expression, element)) from error


def is_program(expression: Expression, default: str, types: Mapping[str, str] | None = None) -> bool:
    """Return whether only a program can compute an expression: it calls methods, or is in its language."""
    language = (expression.language or default).lower()
    known = (*_SQL, *_READ, *_PROGRAMS)
    other = bool(language) and not any(each in language for each in known)
    return other or bool(method(expression, default, types))


def is_unread(expression: Expression, default: str, types: Mapping[str, str]) -> bool:
    """Return whether an expression is not read here: a text for readers, or one that a program computes.

    What says that it is in FEEL or SQL, and is wrong, is not meant.
    """
    if is_program(expression, default, types):
        return True
    if _PRESENT.search(_TEXT.sub("''", expression.text)):
        return (expression.language or default).lower() not in _SQL
    language = (expression.language or default).lower()
    if "feel" in language or language in _SQL or expression.text.strip().startswith("="):
        return False
    try:
        sql(expression, default, "", types)
    except NotUnderstood:
        return True
    return not may_hold(_read(expression, language, types)[0].strip())


def method(expression: Expression, default: str, types: Mapping[str, str] | None = None) -> str:
    """Return the method that an expression calls; empty for none, and where it is SQL."""
    if (expression.language or default).lower() in _SQL:
        return ""
    text = _read_or_bare(expression, (expression.language or default).lower(), types)
    found = _METHOD.search(_TEXT.sub("''", text))
    return next(filter(None, found.groups()), "") if found is not None else ""


def feel_names(expression: Expression, default: str) -> frozenset[str]:
    """Return the names in an expression; none where it is SQL, in which a word may be a keyword."""
    if (expression.language or default).lower() in _SQL:
        return frozenset()
    return names_in(_read_or_bare(expression, (expression.language or default).lower()))


def name_of(expression: Expression) -> str:
    """Return the attribute that an expression only names; empty if it is anything else."""
    text = bare(expression.text)[0].strip().lower()
    return text if text.isidentifier() and text.isascii() else ""


def returned(text: str) -> str:
    """Return the expression that a script of one statement returns, or the text."""
    found = _RETURNED.fullmatch(text)
    return found[1] if found is not None else text


def bare(text: str) -> tuple[str, int]:
    """Return an expression without the signs around it, and how many characters are before it."""
    if text.startswith("="):
        return text[1:], 1
    if text[:2] in ("${", "#{") and text.endswith("}") and not _SEVERAL.search(text):
        return text[2:-1], 2
    if _MARKED.search(text):
        return _MARKED.sub(r"(\1)", text), 2
    return text, 0


def _read(expression: Expression, language: str, types: Mapping[str, str] | None = None) -> tuple[str, int]:
    """Return an expression as FEEL as far as it has it, and how many characters are before it.

    What begins with = or is in FEEL stays: it has no idioms of other languages. Raises NotSimple.
    """
    text, before = bare(expression.text)
    if text not in expression.text and any(map(_MARKED.search, _TEXT.findall(expression.text))):
        raise NotSimple("A text with a part that is computed is not supported.", 1)
    marked = expression.text.startswith("=")
    if not marked:
        text = returned(text.rstrip()).rstrip().rstrip(";")
    text = _DATA_OBJECT.sub(lambda found: usable(slug(found[1])) if found[1] else found[0], text)
    if marked or "feel" in language:
        return text, before
    from_zero = bool(before) or any(each in language for each in ("juel", *_PROGRAMS))
    return as_feel(text, language, types, from_zero=from_zero), before


def _read_or_bare(expression: Expression, language: str, types: Mapping[str, str] | None = None) -> str:
    """Return an expression as FEEL, or as it is where FEEL would read it otherwise."""
    try:
        return _read(expression, language, types)[0]
    except NotSimple:
        return bare(expression.text)[0]


def _problem(message: str, expression: Expression, element: str) -> BpmnProblem:
    return BpmnProblem("bad_expression", message, expression.line, expression.column, "error", element)
