"""Reading XML with places and limits: no document type, no entities, a bounded size, depth and number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from flows.languages.bpmn.document.encodings import decoded
from flows.languages.bpmn.document.vocabulary import DIAGRAM, DRAFTS, MODEL
from flows.languages.bpmn.problems import BadBpmn, BpmnProblem

LARGEST = 5 * 1024 * 1024
"""Bytes of a file."""
MOST_ELEMENTS = 50_000
DEEPEST = 100
INSTRUCTION = "wedsql-process"
"""The processing instruction before the root that names the process that a file is about."""
# The attributes of BPMN's schema whose blanks count; those of all others, ids and truth values among them,
# are collapsed as XML Schema says (part 2, section 4.3.6).
_TEXTS = frozenset(
    {"name", "errorCode", "escalationCode", "exporter", "exporterVersion"}
    | {"scriptFormat", "textFormat", "value"}
)
_SEPARATOR = "\n"  # no name of a namespace has one
_DECLARATION = re.compile(r"\ufeff?(<\?xml\s[^>]*\?>\s*)?")
_PLAIN = re.compile(r"[^\s?<>]+")
_INSTRUCTION = re.compile(rf"<\?{INSTRUCTION}\s[^>]*\?>\s*")


@dataclass
class Tag:
    """One element of a file with its place; names in a namespace are (namespace, name).

    `process` of the root is the id of the process that an exported file is about.
    """

    space: str
    name: str
    attributes: Mapping[tuple[str, str], str]
    line: int
    column: int
    children: list[Tag] = field(default_factory=list)
    text: str = ""
    process: str = ""

    def get(self, name: str, default: str = "") -> str:
        """Return an attribute without a namespace."""
        return self.attributes.get(("", name), default)

    def flag(self, name: str, default: bool = False) -> bool:
        """Return an attribute that is true or false, which XML Schema also writes as 1 and 0."""
        text = self.get(name).strip()
        return text in ("true", "1") or (default and text not in ("false", "0"))

    @property
    def id(self) -> str:
        """Return the id of the element; empty without one."""
        return self.get("id")

    def of(self, space: str, *names: str) -> Iterator[Tag]:
        """Return the children with one of these names."""
        return (each for each in self.children if each.space == space and each.name in names)

    def walk(self) -> Iterator[Tag]:
        """Return the element and all within it, in the order of the file."""
        pending = [self]
        while pending:
            tag = pending.pop()
            yield tag
            pending += reversed(tag.children)


class _Refused(Exception):
    """The file has something that is not read, at the present place."""


class _Reader:
    def __init__(self) -> None:
        self.parser = expat.ParserCreate("utf-8", namespace_separator=_SEPARATOR)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.EntityDeclHandler = self.doctype
        self.parser.ProcessingInstructionHandler = self.instruction
        self.process = ""
        self.open: list[Tag] = []
        self.document: list[Tag] = []
        self.count = 0

    def doctype(self, *_what: object) -> None:
        raise _Refused("A file with a document type (DOCTYPE) or entities is not read.")

    def instruction(self, target: str, text: str) -> None:
        """Keep the name of the process that an exported file is about."""
        if target == INSTRUCTION and not self.open:
            self.process = text.strip()

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self.count += 1
        if self.count > MOST_ELEMENTS:
            raise _Refused(f"The file has more than {MOST_ELEMENTS} elements.")
        if len(self.open) >= DEEPEST:
            raise _Refused(f"Elements are within each other more than {DEEPEST} times.")
        tag = Tag(*_name(name), _attributes(_name(name)[0], attributes), *self.place)
        if self.open:
            self.open[-1].children.append(tag)
        else:
            self.document.append(tag)
        self.open.append(tag)

    def end(self, _name: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        self.open[-1].text += text

    @property
    def place(self) -> tuple[int, int]:
        return self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1


def parse(content: bytes) -> Tag:
    """Return the root of a file. Raises BadBpmn."""
    if len(content) > LARGEST:
        message = f"The file has more than {LARGEST} bytes (5 MB)."
        raise BadBpmn([BpmnProblem("too_large", message)])
    reader = _Reader()
    try:
        reader.parser.Parse(decoded(content).encode(), True)
    except _Refused as error:
        raise BadBpmn([BpmnProblem("refused", str(error), *reader.place)]) from error
    except expat.ExpatError as error:
        message = f"It is not XML: {expat.ErrorString(error.code)}."
        raise BadBpmn([BpmnProblem("syntax", message, error.lineno, error.offset + 1)]) from error
    except UnicodeDecodeError as error:
        message = f"It is not text in {error.encoding.upper()} (byte {error.start}). Save it in UTF-8."
        before = content[: error.start]
        last = before[before.rfind(b"\n") + 1 :].decode(error.encoding, "replace")
        place = before.count(b"\n") + 1, len(last) + 1
        raise BadBpmn([BpmnProblem("syntax", message, *place)]) from error
    root = reader.document[0]
    root.process = reader.process
    return root


def definitions(content: bytes) -> Tag:
    """Return the root of a file of BPMN. Raises BadBpmn for another file."""
    root = parse(content)
    if (root.space, root.name) != (MODEL, "definitions"):
        raise BadBpmn([BpmnProblem("no_bpmn", "It is not BPMN 2.0: the root is not definitions.", 1, 1)])
    return root


def marked(text: str, process: str) -> str:
    """Return a file that says which of its processes it is about, so that it comes back as that."""
    if not _PLAIN.fullmatch(process):
        return text
    text = _INSTRUCTION.sub("", text, count=1)
    head = _DECLARATION.match(text)
    at = head.end() if head is not None else 0
    instruction = f"<?{INSTRUCTION} {process}?>\n"
    return text[:at] + instruction + text[at:]


def _attributes(space: str, attributes: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """Return the attributes of an element in this namespace by name; the types of BPMN's own are known."""
    found = {_name(key): value for key, value in attributes.items()}
    if space not in (MODEL, DIAGRAM):
        return found
    return {
        (within, name): value if within or name in _TEXTS else " ".join(value.split())
        for (within, name), value in found.items()
    }


def _name(name: str) -> tuple[str, str]:
    space, _separator, local = name.rpartition(_SEPARATOR)
    return MODEL if space in DRAFTS else space, local


def local(name: str) -> str:
    """Return a name that refers to an element without its prefix."""
    return name.strip().rpartition(":")[2]
