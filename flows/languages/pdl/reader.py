"""Reads texts in PDL, with all problems at once: each piece between semicolons and braces by itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from lark import Token, Tree

from flows.languages.pdl import blocks
from flows.languages.pdl.clauses import Clauses, read_clauses
from flows.languages.pdl.model import Application, Library, Ref, TaskModel, Workflow
from flows.languages.pdl.notes import Notes
from flows.languages.pdl.parser import TooDeep, Unexpected, parse
from flows.languages.pdl.problems import BadPdl, PdlProblem
from flows.languages.pdl.splitter import Block, Clause, Fault, Splitter

LARGEST = 5 * 1024 * 1024  # bytes of all texts together
MOST_SIGNS = 100_000  # of all texts together: each may begin a piece that is read by itself
_SIGNS = '{};,("'
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True)
class Text:
    """One text, with the name of its file where there are several."""

    text: str
    file: str = ""


@dataclass
class _Reader:
    """Reads one text into what is found in all of them."""

    notes: Notes
    workflows: list[Workflow] = field(default_factory=list)
    models: list[TaskModel] = field(default_factory=list)
    applications: list[Application] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)
    partial: bool = False

    def read(self) -> None:
        split = Splitter(self.notes.text).split()
        for fault in split.faults:
            self.fault(fault)
        for piece in split.stray:
            message = f"“{self.shown(piece)}” is in no block."
            self.notes.note("no_block", message, piece.start)
        for block in split.blocks:
            self.block(block)

    def shown(self, piece: Clause) -> str:
        return " ".join(self.notes.text[piece.start : piece.end].split())[:60]

    def fault(self, fault: Fault) -> None:
        """Note what is wrong with braces, quotes and semicolons."""
        name, place = fault.name, fault.place
        match fault.code:
            case "unclosed_text":
                self.notes.note(fault.code, "The text has no end: a closing quote is missing.", place)
            case "unclosed_block":
                self.notes.note(fault.code, f"The block “{name}” has no end: “}}” is missing.", place)
            case "missing_brace":
                message = f"The block “{name}” does not end before this one: “}}” is missing."
                self.notes.note(fault.code, message, place)
            case "extra_brace":
                self.notes.note(fault.code, "This “}” closes no block: remove it.", place)
            case _:
                self.notes.tolerate("This “;” ends no clause: remove it.", place)

    def tree(self, piece: Clause, start: str, element: str = "") -> Tree[Token] | None:
        """Return the tree of a header; None where it cannot be read."""
        found = tree(self.notes, piece, start, element)
        self.partial = self.partial or found is None
        return found

    def block(self, block: Block) -> None:
        """Read one of the outermost blocks."""
        found = self.tree(block.header, "top")
        if found is None:
            return
        id_, place = _id(found), self.notes.place(block.header.start)
        if found.data == "model":
            model = blocks.model(self.clauses(block, id_, "model"), place)
            self.models += [model] if model else []
            self.unread |= set() if model else {id_}
        elif found.data == "application":
            application = blocks.application(self.clauses(block, id_, "application"), place)
            self.applications += [application] if application else []
            self.unread |= set() if application else {id_}
        else:
            self.workflow(block, id_)

    def workflow(self, block: Block, id_: str) -> None:
        for piece in block.clauses:
            message = f"“{self.shown(piece)}” is in no block of the workflow."
            self.notes.note("no_block", message, piece.start, id_)
        data, activities = [], []
        for each in block.blocks:
            found = self.tree(each.header, "inner", id_)
            if found is None:
                continue
            kind, name, place = str(found.data), _id(found), self.notes.place(each.header.start)
            clauses = self.clauses(each, name, "task" if kind == "task" else kind)
            if kind in ("task", "sub_workflow"):
                model = [part for part in found.children if isinstance(part, Token) and part.type == "IDENT"][
                    -1
                ]
                ref = Ref(str(model), self.notes.place(each.header.start + (model.start_pos or 0)))
                activities.append(blocks.activity(clauses, ref, kind == "sub_workflow", place))
            else:
                datum = blocks.datum(clauses, kind.upper(), place)
                data += [datum] if datum else []
                self.unread |= set() if datum else {name}
        self.workflows.append(Workflow(id_, (*data,), (*activities,), self.notes.place(block.header.start)))

    def clauses(self, block: Block, id_: str, kind: str) -> Clauses:
        return read_clauses(self.notes, block, id_, kind, tree)


def tree(notes: Notes, piece: Clause, start: str, element: str = "") -> Tree[Token] | None:
    """Return the tree of a piece of a text; None where it cannot be read, which is noted."""
    try:
        found = parse(notes.text[piece.start : piece.end], start)
    except TooDeep:
        notes.note(
            "too_deep", "More than 50 parentheses of the rule are within each other.", piece.start, element
        )
        return None
    except Unexpected as error:
        _note_unexpected(notes, piece, error, element)
        return None
    for token in found.scan_values(lambda value: isinstance(value, Token)):
        notes.check_word(token, piece.start, element)
    return found


def _note_unexpected(notes: Notes, piece: Clause, error: Unexpected, element: str) -> None:
    listed = ", ".join(error.expected)
    if error.found.startswith('"') and error.found.count('"') == 1:
        rest = notes.text[piece.start + error.place + 1 : piece.end]
        if '"' not in rest:
            return  # a text without an end, which is noted already
    if error.found:
        message = f"“{error.found}” is not expected here, but: {listed}."
    else:
        message = f"It ends here, but this is expected: {listed}."
    notes.note("syntax", message, piece.start + error.place, element)


def _id(found: Tree[Token]) -> str:
    return next(str(part) for part in found.children if isinstance(part, Token) and part.type == "IDENT")


def read(texts: Iterable[Text] | str, *, strict: bool = False) -> tuple[Library, list[PdlProblem]]:
    """Return the definitions of texts, with warnings of their differences from the printed grammar.

    Raises BadPdl with all errors. strict: those spellings are errors, too.
    """
    given = [Text(texts)] if isinstance(texts, str) else [*texts]
    check_size(sum(len(each.text.encode(errors="surrogatepass")) for each in given))
    _check_signs(given)
    found: list[_Reader] = []
    for each in given:
        notes = Notes(each.text, each.file, strict)
        found.append(reader := _Reader(notes))
        unstorable = _UNSTORABLE.search(each.text)
        if unstorable:
            sign = f"U+{ord(unstorable.group()):04X}"
            notes.note("bad_character", f"The character {sign} cannot be stored.", unstorable.start())
        else:
            reader.read()
    problems = [problem for each in found for problem in each.notes.problems]
    library = Library(
        tuple(one for each in found for one in each.workflows),
        tuple(one for each in found for one in each.models),
        tuple(one for each in found for one in each.applications),
        frozenset(id_ for each in found for id_ in each.unread),
        any(each.partial for each in found),
    )
    if any(problem.severity == "error" for problem in problems):
        raise BadPdl(problems, library)
    return library, problems


def check_size(size: int) -> None:
    """Reject texts of so many bytes together, if these are too many. Raises BadPdl."""
    if size > LARGEST:
        message = "The texts have more than 5 MB and are not read: import each workflow by itself."
        raise BadPdl([PdlProblem("too_large", message)])


def _check_signs(texts: Iterable[Text]) -> None:
    """Reject texts with too many pieces, whatever they are, since reading these would take minutes."""
    if sum(each.text.count(sign) for each in texts for sign in _SIGNS) > MOST_SIGNS:
        message = (
            "The texts have more than 100000 braces, semicolons, commas, parentheses and quotes and are not"
            " read: import each workflow by itself."
        )
        raise BadPdl([PdlProblem("too_large", message)])
