"""Read from the sources in SQL which functions and tables of other folders each folder of the kernel names.

The text of functions is read, texts that functions are generated from included; comments and messages are
not. Names that are put together at run time are not seen. A hook (flows/sql/10_common/04_hooks.sql) belongs
to the folder that declares it; those that call it and those that take part in it name it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pglast.parser import ParseError, scan

from flows import kernel

FINISH = "finish"  # the files that end the installation, which see everything
_DEFINED = re.compile(r"create or replace (?:function|procedure|view) (?:wedsql|wed_match) ?\. ?(\w+)")
_NAMED = re.compile(r"\b(?:wedsql|wed_match) ?\. ?(\w+)")
_TABLE = re.compile(r"create (?:unlogged )?(?:table|sequence|type)(?: if not exists)? wedsql\.(\w+)")
_RENAMED = re.compile(r"alter table wedsql\.(\w+) rename to (\w+)")
_MESSAGE = re.compile(r"'[A-Z{\"].* .*[.?]'", re.DOTALL)
_HOOK = re.compile(r"\( ?'(\w+)' ?, ?'(?:each|any|first|least|merge)'")
_COMMENT = re.compile(r"--[^\n]*")
_COMMENTS = ("SQL_COMMENT", "C_COMMENT")


@dataclass(frozen=True, order=True)
class Arrow:
    """A function or table of one folder that another folder names."""

    folder: str
    other: str
    name: str

    def __str__(self) -> str:
        return f"{self.folder} -> {self.other}: {self.name}"


def folder(path: Path) -> str:
    """Return the folder of a source: that of the engine's numbered ones, or the name of a capability."""
    if path.parent == kernel.SQL_DIR:
        return FINISH
    return path.parent.parent.name if path.parent.name == "sql" else path.parent.name


def sources() -> dict[str, str]:
    """Return the code of each folder, without comments and messages."""
    found: dict[str, str] = {}
    for path in kernel.files():
        name = folder(path)
        found[name] = f"{found.get(name, '')}\n{code(path.read_text(encoding='utf-8'))}"
    return found


def code(text: str) -> str:
    """Return SQL without its comments and messages; the bodies of functions are read in the same way."""
    try:
        tokens = scan(text)
    except ParseError:  # a part of a statement, from which one is generated
        return _COMMENT.sub("", text)
    source = text.encode()
    parts = ((each.name, source[each.start : each.end + 1].decode()) for each in tokens)
    return " ".join(_part(kind, part) for kind, part in parts if kind not in _COMMENTS)


def _part(kind: str, text: str) -> str:
    if kind != "SCONST":
        return text
    if text.startswith("$"):
        tag = text[: text.index("$", 1) + 1]
        return code(text[len(tag) : -len(tag)])
    return "" if _MESSAGE.fullmatch(text) else text


def functions(found: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each function or view, overloaded ones once per definition, with its folder."""
    for name, text in found.items():
        yield from ((each, name) for each in _DEFINED.findall(text))


def hooks(found: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the generated function of each hook, with the folder that declares it."""
    for name, text in found.items():
        yield from ((f"_call_{each}", name) for each in _HOOK.findall(text))


def tables() -> set[str]:
    """Return the tables, sequences and types that the numbered changes create."""
    texts = [
        path.read_text(encoding="utf-8")
        for path in sorted((kernel.SQL_DIR / "tables").glob("*.sql"))
        if not path.stem.endswith(".reverse")
    ]
    names = {name for text in texts for name in _TABLE.findall(text)}
    renamed = {old: new for text in texts for old, new in _RENAMED.findall(text)}
    return {renamed.get(name, name) for name in names if not name.endswith("_")}


def arrows(found: Mapping[str, str], places: Mapping[str, Iterable[str]]) -> set[Arrow]:
    """Return what each folder names of other folders; `places` are the folders of functions and tables."""
    return {
        Arrow(name, other, each)
        for name, text in found.items()
        for each in _named(text, places)
        for other in places.get(each, ())
        if name not in places[each]
    }


def _named(text: str, places: Mapping[str, Iterable[str]]) -> set[str]:
    named = set(_NAMED.findall(text))
    taken = {f"_call_{each.removeprefix('_on_').rpartition('_')[0]}" for each in named if each[:4] == "_on_"}
    return named | taken & set(places)
