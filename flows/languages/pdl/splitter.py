"""A text in PDL cut into blocks and clauses, by braces and semicolons outside of texts in quotes.

A brace that is missing is noticed where a block begins that cannot be within the one before, so that one
mistake does not hide those after it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_TOKEN = re.compile(r'"[^"]*"|["{};]|[^"{};]+')
_WORD = re.compile(r"[A-Za-z]+(?:[-_][A-Za-z]+)*")
_MODEL = re.compile(r"TASK\s+[^\s:]+", re.IGNORECASE)  # a task of a workflow has a colon
_OUTERMOST = ("WORKFLOW", "APPLICATION", "MODEL")


@dataclass(frozen=True)
class Clause:
    """A piece of the text without spaces around it; `closed` says that a semicolon follows."""

    start: int
    end: int
    closed: bool = True


@dataclass
class Block:
    """A block: its header, and what is within its braces."""

    header: Clause
    word: str
    clauses: list[Clause] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)


@dataclass(frozen=True)
class Fault:
    """What is wrong with braces, quotes and semicolons; `place` is an offset, `names` are of the message."""

    code: str
    place: int
    name: str = ""


@dataclass
class Splitter:
    """Cuts a text; its `blocks` are the outermost ones, `stray` what is outside of them."""

    text: str
    blocks: list[Block] = field(default_factory=list)
    stray: list[Clause] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    _open: list[Block] = field(default_factory=list)
    _start: int = -1
    _end: int = -1

    def split(self) -> Splitter:
        """Cut the text and return this."""
        actions = {"{": self._begin, "}": self._close, ";": self._finish}
        for found in _TOKEN.finditer(self.text):
            sign = found.group()
            if sign in actions:
                actions[sign](found.start())
            elif sign == '"':
                self.faults.append(Fault("unclosed_text", found.start()))
                self._extend(found.start(), len(self.text.rstrip()))
                break
            else:
                bare = sign.strip()
                if bare:
                    start = found.start() + sign.index(bare[0])
                    self._extend(start, start + len(bare))
        self._take_rest()
        for block in reversed(self._open):
            self.faults.append(Fault("unclosed_block", block.header.start, self._said(block)))
        return self

    def _extend(self, start: int, end: int) -> None:
        if self._start < 0:
            self._start = start
        self._end = end

    def _piece(self, closed: bool = True) -> Clause | None:
        if self._start < 0:
            return None
        piece = Clause(self._start, self._end, closed)
        self._start = -1
        return piece

    def _said(self, block: Block) -> str:
        """Return the header of a block in one short line."""
        return " ".join(self.text[block.header.start : block.header.end].split())[:60]

    def _begin(self, place: int) -> None:
        header = self._piece() or Clause(place, place)
        word = _WORD.match(self.text, header.start, header.end)
        said = word.group().upper().replace("-", "_") if word else ""
        is_model = _MODEL.fullmatch(self.text, header.start, header.end) is not None
        block = Block(header, "MODEL" if is_model else said)
        while self._open and not _may_contain(self._open, block):
            missing = self._open.pop()
            self.faults.append(Fault("missing_brace", header.start, self._said(missing)))
        (self._open[-1].blocks if self._open else self.blocks).append(block)
        self._open.append(block)

    def _close(self, place: int) -> None:
        self._take_rest()
        if self._open:
            self._open.pop()
        else:
            self.faults.append(Fault("extra_brace", place))

    def _finish(self, place: int) -> None:
        piece = self._piece()
        if piece is None:
            self.faults.append(Fault("extra_semicolon", place))
        else:
            self._add(piece)

    def _take_rest(self) -> None:
        piece = self._piece(closed=False)
        if piece is not None:
            self._add(piece)

    def _add(self, piece: Clause) -> None:
        (self._open[-1].clauses if self._open else self.stray).append(piece)


def _may_contain(opened: Sequence[Block], block: Block) -> bool:
    """Return whether a block may be within the innermost of those that are open."""
    within = opened[0].word not in ("TASK", "MODEL", "APPLICATION")
    return len(opened) == 1 and within and block.word not in _OUTERMOST
