"""The kernel's messages in the language of the user.

The English text of a message stands once, in the SQL of the kernel. An error has in its detail the template
of its message and the facts for its slots; here the sentence is made again from the translated template.
On pages the template has their words first (`page_words`).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext

from flows import kernel

_SLOT = re.compile(r"\{([a-z_]+)\}")
# A comment, or a text in quotes with those that continue it in the next lines.
_LITERAL = re.compile(r"--[^\n]*|(E?)('(?:[^']|'')*'(?:\s*\n\s*'(?:[^']|'')*')*)")
# A message begins with a capital, a quote or a slot, and ends with a full stop or the text of PostgreSQL.
# Internal errors, for developers, are made with format() and have its %s.
_SENTENCE = re.compile(r"(?!.*%[sIL])[A-Z\"{][^\n]* [^\n]*(?:[.?]| \{problem\})")
_CODE = re.compile("[A-Z_]+")
# The class of an exception, its message, and its place in a handler.
_RAISED = re.compile(r"([\w.]+: )(.*?)( \([^() ]+:\d+ in [^()]+\))?", re.DOTALL)
_LEAST = 8  # letters by which a template is recognized


_on_page: ContextVar[bool] = ContextVar("on_page", default=False)
# The paper's words, which SQL clients and programs read, and those of pages. Not in slots and keys.
_PAPER_WORDS = (
    (re.compile(r'(?<![{"])\btrigger(s?)\b(?![}"])'), r"rule\1"),
    (re.compile(r'(?<![{"])\bTrigger(s?)\b(?![}"])'), r"Rule\1"),
    (re.compile(r"\bis an enum without options\b"), "needs options to choose from"),
)


@contextmanager
def page_words() -> Iterator[None]:
    """Let messages of the kernel have the words of pages: "rule" instead of "trigger"."""
    before = _on_page.set(True)
    try:
        yield
    finally:
        _on_page.reset(before)


@lru_cache(2_000)
def in_page_words(template: str) -> str:
    """Return the template of a message as pages have it; other texts unchanged."""
    if template in sentences():
        for pattern, word in _PAPER_WORDS:
            template = pattern.sub(word, template)
    return template


def translate(text: str) -> str:
    """Return the text in the active language; unchanged without Django's settings."""
    if text and _on_page.get():
        text = in_page_words(text)
    try:
        return gettext(text) if text else ""
    except ImproperlyConfigured:
        return text


def put_facts(text: str, facts: Mapping[str, Any]) -> str:
    """Return the text with the facts in its slots, in the same way as wedsql._put_facts."""
    return _SLOT.sub(lambda slot: _fact(facts[slot[1]]) if slot[1] in facts else slot[0], text)


def _fact(value: Any) -> str:
    if value is None:
        return ""
    return ", ".join(map(_fact, value)) if isinstance(value, list) else str(value)


@cache
def sentences() -> frozenset[str]:
    """Return the templates of all messages and hints in the sources of the kernel."""
    return frozenset(
        text
        for path in kernel.files()
        for text in literals(path.read_text(encoding="utf-8"))
        if _SENTENCE.fullmatch(text)
    )


_recognized: set[str] = set()


def recognize(templates: Iterable[str]) -> None:
    """Let `stored` translate these sentences too, which another package stores; its catalog has them."""
    _recognized.update(templates)
    _every.cache_clear()


def literals(source: str) -> Iterator[str]:
    """Return the texts in single quotes of SQL source, without those in comments."""
    for found in _LITERAL.finditer(source):
        if found[2]:
            text = re.sub(r"'\s*\n\s*'", "", found[2])[1:-1].replace("''", "'")
            yield text.replace("\\\\", "\\") if found[1] else text


def stored(text: str) -> str:
    """Return a message of the kernel or a worker that a table has in English in the active language.

    Its template is recognized by its text, also after the code of a reason ("ATTEMPTS: ...") or the class of
    an exception, and before a place in a handler; anything else, such as the text of a person, is unchanged.
    """
    code, colon, rest = text.partition(": ")
    if colon and _CODE.fullmatch(code):
        return f"{code}: {stored(rest)}"
    if (found := translated(text, _every())) is None and (raised := _RAISED.fullmatch(text)):
        found = raised[1] + (translated(raised[2], _every()) or raised[2]) + (raised[3] or "")
    return text if found is None else found


def translated(text: str, every: frozenset[str], inner: Callable[[str], str] = str) -> str | None:
    """Return a sentence in the active language, or None if no template of these has it.

    inner: what becomes of the texts in its slots.
    """
    if text in every:
        return translate(text)
    template, facts = _template_of(text, every)
    if template is None:
        return None
    return put_facts(translate(template), {name: inner(fact) for name, fact in facts.items()})


# Lists show the same texts again and again, and each is compared with hundreds of patterns.
@lru_cache(maxsize=1024)
def _template_of(text: str, every: frozenset[str]) -> tuple[str | None, Mapping[str, str]]:
    """Return the template that a sentence is made of, and the facts in its slots."""
    for template, pattern in _patterns(every):
        if found := pattern.fullmatch(text):
            return template, found.groupdict()
    return None, {}


@cache
def _every() -> frozenset[str]:
    return sentences() | _recognized


@cache
def _patterns(every: frozenset[str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the templates with slots and what matches their sentences, those with most text first."""
    with_slots = [text for text in every if _SLOT.search(text) and len(_SLOT.sub("", text)) > _LEAST]
    with_slots.sort(key=lambda text: -len(_SLOT.sub("", text)))
    return tuple((text, _pattern(text)) for text in with_slots)


def _pattern(template: str) -> re.Pattern[str]:
    parts = _SLOT.split(template)
    seen: set[str] = set()
    for at in range(1, len(parts), 2):
        parts[at - 1] = re.escape(parts[at - 1])
        name = parts[at]
        parts[at] = f"(?P={name})" if name in seen else f"(?P<{name}>.*?)"
        seen.add(name)
    parts[-1] = re.escape(parts[-1])
    return re.compile("".join(parts), re.DOTALL)


def _print_missing() -> None:
    """Print entries for flows/locale/*/django.po for the messages that have no Portuguese."""
    import django
    from django.conf import settings
    from django.utils import translation

    settings.configure(USE_I18N=True, LOCALE_PATHS=[Path(__file__).parent / "locale"])
    django.setup()
    with translation.override("pt-br"):
        for text in sorted(sentences()):
            if gettext(text) == text:
                sys.stdout.write(f'msgid {json.dumps(text, ensure_ascii=False)}\nmsgstr ""\n\n')


if __name__ == "__main__":
    _print_missing()
