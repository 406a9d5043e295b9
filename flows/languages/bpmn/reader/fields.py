"""The fields of the forms of engines: attributes, which the task of a person writes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Protocol

from flows import json_text
from flows.definition.option_labels import Labels
from flows.languages.bpmn.document.vocabulary import ACTIVITI, CAMUNDA, FLOWABLE, MODEL
from flows.languages.bpmn.document.xml import Tag
from flows.languages.bpmn.names import slug, usable
from flows.languages.bpmn.reader import field_limits
from flows.languages.bpmn.reader.loops import Used

Note = Callable[[str, str, Tag, str], None]
_TYPES = {
    "string": "text", "long": "numeric", "double": "numeric", "int": "integer", "integer": "integer",
    "boolean": "boolean", "date": "date", "enum": "enum", "": "text",
}  # fmt: skip
_NAME = re.compile(r"[a-z][a-z0-9_]{0,49}")
_NUMBER = re.compile(r"-?\d{1,9}(\.\d{1,9})?")
_LONGEST_LABEL = 300  # characters of a line
_CLOCK = re.compile(r"[Hhkm]")


class Declare(Protocol):
    """Adds an attribute that a task needs, unless there is one: of the type `only`, if that is given."""

    def __call__(self, name: str, given: Mapping[str, Any], tag: Tag, only: str = "") -> None:
        """Add it."""


@dataclass
class Fields:
    """The fields of a form in their sections: those that the task writes, each with its options."""

    sections: list[dict[str, Any]] = field(default_factory=lambda: [{"fields": []}])
    written: list[str] = field(default_factory=list)

    def add(self, name: str, writes: bool, **options: Any) -> None:
        """Add a field to the last section, unless the form has one of its attribute."""
        if any(each["attribute"] == name for each in self.shown):
            return
        self.sections[-1]["fields"].append({"attribute": name, **options})
        self.written += [name] if writes else []

    @property
    def shown(self) -> list[dict[str, Any]]:
        """Return the fields of all sections."""
        return [each for section in self.sections for each in section["fields"]]

    @property
    def form(self) -> str:
        """Return the form of the task as JSON; "" where the default one asks for the same."""
        sections = [each for each in self.sections if each["fields"]]
        if len(sections) == 1 and len(sections[0]) == 1 and all(len(each) == 1 for each in self.shown):
            return ""
        return json_text.encode({"sections": sections})


def name_of(id_: str) -> str:
    """Return the name of the attribute of a field."""
    return usable(id_.lower() if _NAME.fullmatch(id_.lower()) else slug(id_))


def fields(
    tag: Tag, note: Note, used: Used, declare: Declare, *, own_form: bool = False
) -> Fields | None:  # fmt: skip
    """Return the attributes of the form of a task; None without a form.

    `own_form`: the file gives the task a form or what it writes, so that the engine's form has no effect.
    """
    found = Fields()
    for part in _parts(tag, note, used):
        used |= {(id(each), "") for each in part.walk()}
        name, id_ = name_of(part.get("id")), part.get("id")
        type_, options = _typed(part, id_, note)
        label = part.get("label") or part.get("name") or id_
        default = _default(part, id_, type_, options, note)
        declare(name, {"type": type_, "label": label, **options, **default}, tag)
        writes, asked = _asked(part, id_, type_, note, own_form=own_form)
        found.add(name, writes, **asked)
    return found if found.shown else None


def _parts(tag: Tag, note: Note, used: Used) -> Iterator[Tag]:
    """Return the fields of a form, as Camunda, Flowable and Activiti write them."""
    for part in (each for outer in tag.of(MODEL, "extensionElements") for each in outer.children):
        if part.space == CAMUNDA and part.name == "formData":
            used.add((id(part), ""))
            if part.get("businessKey"):
                message = "“businessKey” of the form has no effect: give an attribute business_key."
                note("not_used", message, part, "warning")
            yield from part.of(CAMUNDA, "formField")
        elif part.space in (FLOWABLE, ACTIVITI) and part.name == "formProperty":
            yield part


def _typed(part: Tag, id_: str, note: Note) -> tuple[str, dict[str, Any]]:
    """Return the type of the attribute of a field, and the options of an enumeration."""
    given = part.get("type")
    values = [each for each in part.children if each.name == "value"]
    if given == "enum" and values:
        options = [*dict.fromkeys(each.get("id") for each in values)]
        lines, left = labelled(options, {each.get("id"): each.get("name") for each in reversed(values)})
        if left:
            message = (
                f"The name of the value “{left[0][:60]}” of the field “{id_[:60]}” is no label: "
                "people see the id."
            )
            note("not_used", message, part, "warning")
        return "enum", {"options": options, **({"option_labels": lines} if lines else {})}
    if given == "enum" or given not in _TYPES:
        message = f"The field “{id_[:60]}” has the type “{given[:40]}”, which is read as a text."
        if given == "enum":
            message = f"The field “{id_[:60]}” has no values, so it is read as a text."
        note("not_used", message, part, "warning")
        return "text", {}
    if given == "date" and _CLOCK.search(part.get("datePattern").replace("MM", "")):
        return "timestamptz", {}
    return _TYPES[given], {}


def labelled(options: Sequence[str], labels: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the labels of options as a definition has them, and the options whose labels it cannot have."""
    lines, left = [], []
    for value in options:
        label = " ".join(labels.get(value, "").split())
        line = f"{value} = {label}"
        if label in ("", value):
            continue
        if (
            label.isprintable()
            and len(line) <= _LONGEST_LABEL
            and Labels([line], options).by_language == {"": {value: label}}
        ):
            lines.append(line)
        else:
            left.append(value)
    return lines, left


def _default(
    part: Tag, id_: str, type_: str, options: Mapping[str, Any], note: Note
) -> dict[str, Any]:  # fmt: skip
    """Return the default of a field, which the attribute has from the start."""
    text = part.get("defaultValue") or part.get("default")
    other = [name for name in ("expression", "variable") if part.get(name)]
    if other:
        message = f"“{other[0]}” of the field “{id_[:60]}” has no effect."
        note("not_used", message, part, "warning")
    if not text:
        return {}
    if text.startswith(("=", "${", "#{")) or not fits(text, type_, options.get("options", ())):
        message = f"The default “{text[:60]}” of the field “{id_[:60]}” is no value of its type: it has none."
        note("not_used", message, part, "warning")
        return {}
    return {"default": text}


def fits(text: str, type_: str, options: Any) -> bool:
    """Return whether a text is a value of a type; of an enum one of the options."""
    if type_ == "boolean":
        return text in {"true", "false"}
    if type_ in ("integer", "numeric"):
        found = _NUMBER.fullmatch(text)
        return found is not None and not (type_ == "integer" and found[1])
    if type_ == "date":
        try:
            return date.fromisoformat(text).isoformat() == text
        except ValueError:
            return False
    return type_ == "text" or (type_ == "enum" and text in options)


def _asked(
    part: Tag, id_: str, type_: str, note: Note, *, own_form: bool
) -> tuple[bool, dict[str, Any]]:  # fmt: skip
    """Return whether people write a field, and its options in the form; warn of what has no effect."""
    constraints = [each for each in part.walk() if each.name == "constraint"]
    given = [each.get("name") for each in constraints]
    read_only = "readonly" in given or not part.flag("writable", True)
    hidden = not part.flag("readable", True)
    required = "required" in given or part.flag("required")
    limits, ignored = field_limits.of_constraints(constraints, type_)
    found = ({"required": True} if required and not (read_only or hidden) else {}) | limits
    found = {} if read_only else found
    ignored += [name for name in ("required", *limits) if name in given and name not in found]
    ignored += ["required"] if required and "required" not in {*found, *ignored} else []
    if own_form:
        ignored += [*found, *(["readable"] if hidden else [])]
        found, hidden = {}, False
    ignored += ["datePattern"] if part.get("datePattern") else []
    ignored += ["properties"] if any(each.name == "properties" for each in part.children) else []
    for name in ignored:
        message = f"“{name[:40]}” of the field “{id_[:60]}” has no effect: the form does not check it."
        note("not_used", message, part, "warning")
    return not read_only, found | ({"shown": False} if hidden else {})
