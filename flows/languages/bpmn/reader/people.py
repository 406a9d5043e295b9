"""Who performs the task of a person, and until when, as BPMN and the extensions of its engines say it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from flows.languages.bpmn import times
from flows.languages.bpmn.document import options
from flows.languages.bpmn.document.vocabulary import ACTIVITI, CAMUNDA, FLOWABLE, MODEL, ZEEBE
from flows.languages.bpmn.document.xml import Tag
from flows.languages.bpmn.expressions import name_of
from flows.languages.bpmn.iso import is_duration
from flows.languages.bpmn.model import PERSONS, TASKS, Element, Expression
from flows.languages.bpmn.names import slug, usable
from flows.languages.bpmn.reader.fields import Declare, fields
from flows.languages.bpmn.reader.form_js import form_of
from flows.languages.bpmn.reader.loops import Used
from flows.languages.bpmn.reader.task_inputs import people

Note = Callable[[str, str, Tag, str], None]
ENGINES = (CAMUNDA, FLOWABLE, ACTIVITI)
_COMPUTED = ("=", "${", "#{", "$")
_ADDRESS = re.compile(r"https?://[^\s<>\"]{1,480}")
_VARIABLE = re.compile(r"\$\{(\w+)\}", re.ASCII)
_STRING = re.compile(r'=\s*"([^"\\]*)"\s*')
_ITEM = re.compile(r"(?:(user|group)\s*\(([^()]*)\)|([^,()]+))\s*(?:,|$)")
_ZEEBE: Mapping[str, Mapping[str, str]] = {
    "assignmentDefinition": {
        each: each for each in ("assignee", "candidateUsers", "candidateGroups")
    },
    "taskSchedule": {"dueDate": "dueDate", "followUpDate": "followUpDate"},
    "priorityDefinition": {"priority": "priority"},
    "userTask": {},
}  # fmt: skip
_OWNERS = ("humanPerformer", "potentialOwner", "performer")


def performer(process: Tag, used: Used) -> str:
    """Return who performs the user tasks and manual tasks of a process, if it says that."""
    found = options.given(process).get("performer", "")
    if found in ("person", "worker"):
        used.add((id(process), "performer"))
    return found if (id(process), "performer") in used else ""


def with_person(
    tag: Tag, element: Element, everyone: str, named: Mapping[str, Tag], note: Note, used: Used,
    declare: Declare,
) -> Element:  # fmt: skip
    """Return a task with whether a person performs it, and the options that say who, and until when.

    `everyone` is what the process says for its tasks of persons; `declare` adds an attribute.
    """
    given = dict(element.options)
    wanted = given.pop("performer", "")
    if wanted not in ("", "person", "worker"):
        note("bad_option", f"“performer” is person or worker, not “{wanted[:40]}”.", tag, "error")
    if element.compensates and wanted == "person":
        note("bad_option", "A worker performs an activity for compensation.", tag, "error")
    by_person = ((wanted or everyone or "person") == "person" and tag.name in PERSONS) or wanted == "person"
    if not by_person or element.compensates or TASKS[tag.name] != "worker":
        return replace(element, options=given)

    def at_task(code: str, message: str, _part: Tag, severity: str) -> None:
        note(code, message, tag, severity)

    reading = _Reading(tag, element, named, at_task, used, declare)
    return replace(element, options=reading.options() | given, person=True)


@dataclass
class _Reading:
    """Reads one task of a person."""

    tag: Tag
    element: Element
    named: Mapping[str, Tag]
    note: Note
    used: Used
    declare: Declare
    found: dict[str, str] = field(default_factory=dict)

    def options(self) -> dict[str, str]:
        """Return the options that the file gives the task in other words than ours."""
        for kind, text, part in sorted(self.said(), key=lambda said: [*READERS].index(said[0])):
            if text.strip():
                READERS[kind](self, " ".join(text.split()), part)
        for owner in self.tag.of(MODEL, *_OWNERS):
            self.owner(owner)
        own = any(name in self.element.options for name in ("form", "writes"))
        found = fields(self.tag, self.note, self.used, self.declare, own_form=own)
        found = found or form_of(self.tag, self.named, self.note, self.used, self.declare, own_form=own)
        if found is not None:
            self.found["writes"] = ", ".join(found.written)
            self.found |= {"form": found.form} if found.form else {}
        return self.found

    def said(self) -> Iterator[tuple[str, str, Tag]]:
        """Return the statements of extensions and of inputs, each with its kind."""
        yield from people(self.tag, self.used)
        for space, name in self.tag.attributes:
            if space in ENGINES and name in READERS and (name != "formKey" or self.is_address(space)):
                self.used.add((id(self.tag), name))
                yield name, self.tag.attributes[space, name], self.tag
        for part in (each for outer in self.tag.of(MODEL, "extensionElements") for each in outer.children):
            if part.space == ZEEBE and part.name in _ZEEBE:
                self.used.add((id(part), ""))
                for name, kind in _ZEEBE[part.name].items():
                    yield kind, part.get(name), part
            elif part.space == ZEEBE and part.name == "formDefinition" and part.get("externalReference"):
                self.used.add((id(part), ""))
                yield "formKey", part.get("externalReference"), part

    def is_address(self, space: str) -> bool:
        """Return whether the form of an engine is a web address; else a warning names it as of no effect."""
        return _ADDRESS.fullmatch(self.tag.attributes[space, "formKey"]) is not None

    def ignored(self, message: str, tag: Tag) -> None:
        self.note("not_used", message, tag, "warning")

    def assignee(self, text: str, tag: Tag) -> None:
        literal = _STRING.fullmatch(text)
        text = literal[1].strip() if literal else text
        if "candidate" in self.found or not text:
            self.ignored(f"The user “{text[:60]}” has no effect: another person performs the task.", tag)
            return
        name = name_of(Expression(text)) if text.startswith(_COMPUTED[:3]) else ""
        if not literal and text.startswith(_COMPUTED) and not name:
            message = (
                f"The assignee “{text[:60]}” is no user and no attribute: those with the role of the task "
                "perform it."
            )
            self.ignored(message, tag)
            return
        if not name:
            name = f"p_{slug(self.element.id)}"
            label = f"{self.element.name or self.element.id}: person"
            self.declare(name, {"type": "text", "default": text, "label": label}, self.tag)
        else:
            self.declare(name, {"type": "text", "label": name}, self.tag, only="text")
        self.found["candidate"] = name

    def users(self, text: str, tag: Tag) -> None:
        several = [each.strip() for each in text.split(",") if each.strip()]
        if len(several) == 1:
            self.assignee(several[0], tag)
        elif len(several) > 1:
            message = (
                f"The users “{text[:60]}” are several: name a group of them. Those with the role of the task "
                "perform it."
            )
            self.ignored(message, tag)

    def groups(self, text: str, tag: Tag) -> None:
        literal = _STRING.fullmatch(text)
        several = [each.strip() for each in (literal[1] if literal else text).split(",") if each.strip()]
        if not literal and text.startswith(_COMPUTED):
            self.ignored(f"The group “{text[:60]}” is computed, so it is not the role of the task.", tag)
            return
        for group in several:
            self.role(group, tag)

    def role(self, group: str, tag: Tag) -> None:
        if self.found.setdefault("role", group) != group:
            self.ignored(f"The group “{group[:60]}” has no effect: the task has another role.", tag)

    def due(self, text: str, tag: Tag) -> None:
        found = next((t for f, t in (times.simplified(each, text) for each in ("duration", "date"))
                      if f == "duration" and is_duration(t)), "")  # fmt: skip
        if found:
            self.found["deadline"] = found
        else:
            message = f"The due date “{text[:60]}” is no duration such as P2D, so the task has no deadline."
            self.ignored(message, tag)

    def priority(self, text: str, tag: Tag) -> None:
        if re.fullmatch(r"-?\d{1,4}", text):
            self.found["priority"] = text
        else:
            self.ignored(f"The priority “{text[:60]}” is no whole number, so it has no effect.", tag)

    def followed(self, text: str, tag: Tag) -> None:
        message = f"The follow-up date “{text[:60]}” has no effect: whoever holds a task puts it aside."
        self.ignored(message, tag)

    def form(self, text: str, tag: Tag) -> None:
        if _ADDRESS.fullmatch(text):
            self.found["application"] = _VARIABLE.sub(lambda found: f"{{{usable(found[1].lower())}}}", text)
        else:
            self.ignored(f"The form “{text[:60]}” is no web address, so it has no effect.", tag)

    def owner(self, owner: Tag) -> None:
        """Read a resource role of BPMN: a resource, or an expression that names users and groups."""
        self.used.add((id(owner), ""))
        for part in owner.children:
            if part.space != MODEL or part.name in ("documentation", "extensionElements"):
                continue
            if part.name == "resourceRef":
                found = self.named.get(part.text.strip().rpartition(":")[2])
                name = " ".join(found.get("name").split()) if found is not None else ""
                if name:
                    self.role(name, owner)
                else:
                    self.ignored(f"The resource of “{owner.name}” has no name, so it is no role.", owner)
            elif part.name == "resourceAssignmentExpression":
                text = " ".join(each.text.strip() for each in part.walk()).strip()
                self.assigned(owner, " ".join(text.split()))
            else:
                self.ignored(f"“{part.name[:60]}” of “{owner.name}” has no effect.", owner)

    def assigned(self, owner: Tag, text: str) -> None:
        """Read the expression of a resource role: user(ana), group(clerks), or a name alone."""
        first = "group" if owner.name == "potentialOwner" else "user"
        if text.startswith(_COMPUTED):
            (self.groups if first == "group" else self.assignee)(text, owner)
            return
        named: dict[str, list[str]] = {"user": [], "group": []}
        for found in _ITEM.finditer(text):
            named[found[1] or first].append((found[2] or found[3] or "").strip())
        for kind, read in (("user", self.users), ("group", self.groups)):
            if any(named[kind]):
                read(", ".join(filter(None, named[kind])), owner)


READERS: Mapping[str, Callable[[_Reading, str, Tag], None]] = {
    "assignee": _Reading.assignee,
    "candidateUsers": _Reading.users,
    "candidateGroups": _Reading.groups,
    "dueDate": _Reading.due,
    "priority": _Reading.priority,
    "followUpDate": _Reading.followed,
    "formKey": _Reading.form,
}
