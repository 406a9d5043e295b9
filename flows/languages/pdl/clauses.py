"""The clauses of a block: read, each once, in the order of the printed grammar, and whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from lark import Token, Tree

from flows.languages.pdl.model import Place, Ref
from flows.languages.pdl.notes import Notes
from flows.languages.pdl.splitter import Block, Clause

# The clauses of each kind of block in the order of the printed grammar: True where it must be there, False
# where it may, None where the printed grammar demands it and the text of the dissertation does not.
ORDER: Mapping[str, Mapping[str, bool | None]] = {
    "file": {"NAME": True},
    "query": {"DATABASE": True, "EXPRESSION": True},
    "string": {"VALUE": True},
    "number": {"VALUE": True},
    "task": {
        "DEPENDS": False, "IN_CONTEXT": False, "OUT_CONTEXT": False, "ROLE": False, "DESCRIPTION": False,
    },
    "sub_workflow": {"DEPENDS": False},
    "model": {
        "TYPE": True, "APPLICATION": False, "PRIORITY": None, "DEADLINE": False,
        "DISCONNECTED_OPERATION": None, "RETRIES": False,
    },
    "application": {
        "FILENAME": True, "SIZE": True, "OS": True, "CPU": True, "INSTALLER": False, "HOSTS": True,
    },
}  # fmt: skip
MOST_DIGITS = 9
Reading = Callable[[Notes, Clause, str, str], Tree[Token] | None]


@dataclass
class Clauses:
    """The clauses of one block by their words, with what they say."""

    notes: Notes
    id: str
    header: int
    trees: dict[str, Tree[Token]] = field(default_factory=dict)
    starts: dict[str, int] = field(default_factory=dict)
    bad: set[str] = field(default_factory=set)

    def __contains__(self, word: object) -> bool:
        return word in self.trees

    def place(self, token: Token, word: str) -> Place:
        """Return the place of a token of a clause."""
        return self.notes.place(self.starts[word] + (token.start_pos or 0))

    def tokens(self, word: str) -> list[Token]:
        """Return the tokens of a clause after its word."""
        found = self.trees.get(word)
        return [each for each in found.children[1:] if isinstance(each, Token)] if found else []

    def texts(self, word: str) -> tuple[str, ...]:
        """Return the texts of a clause, without their quotes."""
        return tuple(str(each)[1:-1] for each in self.tokens(word))

    def text(self, word: str) -> str:
        """Return the text of a clause; empty without one."""
        return (*self.texts(word), "")[0]

    def refs(self, word: str) -> tuple[Ref, ...]:
        """Return the ids of a clause."""
        return tuple(Ref(str(each), self.place(each, word)) for each in self.tokens(word))

    def number(self, word: str, most: int = 10**MOST_DIGITS, least: int = 0) -> int | None:
        """Return the number of a clause; None without one. It is noted if it is out of its bounds."""
        tokens = self.tokens(word)
        if not tokens:
            return None
        digits = str(tokens[0])
        if len(digits) > MOST_DIGITS + 1 or not least <= int(digits) <= most:
            message = f"{word} is a whole number from {least} to {most}, not {digits[:40]}."
            self.notes.note("bad_number", message, self.starts[word] + (tokens[0].start_pos or 0), self.id)
            return least
        return int(digits)


def read_clauses(notes: Notes, block: Block, id_: str, kind: str, read: Reading) -> Clauses:
    """Return the clauses of a block; what is wrong with them is noted."""
    found = Clauses(notes, id_, block.header.start)
    order = [*ORDER[kind]]
    last, in_order = -1, True
    for piece in block.clauses:
        made = read(notes, piece, f"{kind}_clause", id_)
        if not piece.closed:
            notes.tolerate("The “;” after this clause is missing.", piece.end, id_)
        if made is None:
            first = notes.text[piece.start : piece.end].split(None, 1)[0].upper().replace("-", "_")
            found.bad.add("FILENAME" if first == "NAME" and kind == "application" else first)
            continue
        word = _word(notes, made, piece, kind, id_)
        if word in found.trees:
            notes.note("doubled_clause", f"{word} is there twice: remove one.", piece.start, id_)
            continue
        found.trees[word], found.starts[word] = made, piece.start
        if in_order and order.index(word) < last:
            in_order = False
            listed = ", ".join(order)
            message = f"{word} comes earlier in the printed grammar, whose order is {listed}."
            notes.tolerate(message, piece.start, id_)
        last = order.index(word)
    _check_whole(found, kind)
    return found


def _word(notes: Notes, made: Tree[Token], piece: Clause, kind: str, id_: str) -> str:
    """Return the word of a clause, as the printed grammar has it."""
    word = made.children[0]
    assert isinstance(word, Token)  # noqa: S101 - each clause begins with its word
    if kind == "application" and word.type == "NAME":
        notes.tolerate(f"“{word}” is read as FILENAME, as the printed grammar has it.", piece.start, id_)
        return "FILENAME"
    if word.type == "INSTALLER" and len(made.children) == 1:
        notes.tolerate("INSTALLER without a text is read as no INSTALLER.", piece.start, id_)
    if word.type == "DEPENDS" and len(made.children) == 1:
        notes.tolerate("DEPENDS without a rule is read as no DEPENDS.", piece.start, id_)
    return word.type


def _check_whole(found: Clauses, kind: str) -> None:
    """Note clauses that are missing."""
    misspelt = bool(found.bad - {*ORDER[kind]})
    for word, needed in ORDER[kind].items():
        if word in found or word in found.bad or misspelt:
            continue
        if needed:
            found.notes.note("missing_clause", f"{word} is missing.", found.header, found.id)
        elif needed is None:
            default = {"PRIORITY": "0", "DISCONNECTED_OPERATION": "FALSE"}[word]
            message = f"{word} is missing, which the printed grammar demands; it is read as {default}."
            found.notes.tolerate(message, found.header, found.id)
