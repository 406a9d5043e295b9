"""The forms of Camunda 8 (form-js), as JSON in the file: attributes, and the form of a task."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from flows import json_text
from flows.languages.bpmn.document.vocabulary import MODEL, ZEEBE
from flows.languages.bpmn.document.xml import Tag
from flows.languages.bpmn.names import slug
from flows.languages.bpmn.reader.field_limits import LENGTHS, NUMBERS, dropped, limit_of
from flows.languages.bpmn.reader.fields import Declare, Fields, fits, labelled, name_of
from flows.languages.bpmn.reader.loops import Used

Note = Callable[[str, str, Tag, str], None]
_PREFIX = "camunda-forms:bpmn:"
_MOST_FIELDS, _LONGEST, _DEEPEST = 200, 500, 5
_TYPES = {
    "textfield": "text", "textarea": "text", "number": "numeric", "checkbox": "boolean", "select": "enum",
    "radio": "enum", "checklist": "jsonb", "taglist": "jsonb", "datetime": "date", "filepicker": "jsonb",
    "dynamiclist": "jsonb",
}  # fmt: skip
_KINDS = {"textarea": "long", "checklist": "choices", "taglist": "choices", "filepicker": "file"}
_TEXTS = ("text", "html")
_SILENT = frozenset({"button", "separator", "spacer"})
_QUIET = frozenset(
    {"id", "type", "key", "label", "description", "defaultValue", "values", "validate", "readonly"}
    | {"disabled", "layout", "appearance", "components", "path", "decimalDigits", "subtype", "dateLabel"}
    | {"accept", "action", "text", "content", "isRepeating", "defaultRepetitions", "searchable"}
    | {"showOutline", "verticalAlignment", "serializeToString"}
)
"""Keys of components that are read, or that only say how a component looks."""
_COLUMNS = {"textfield": "text", "textarea": "text", "number": "numeric", "checkbox": "boolean",
            "datetime": "date", "select": "choice", "radio": "choice"}  # fmt: skip
_VALIDATE = {"min": "min", "max": "max", "minLength": "min_length", "maxLength": "max_length",
             "pattern": "pattern"}  # fmt: skip
_TAG = re.compile(r"<[^<>]{0,1000}>|[*_#`]{1,3}")


def form_of(
    tag: Tag, forms: Mapping[str, Tag], note: Note, used: Used, declare: Declare, *, own_form: bool
) -> Fields | None:
    """Return the fields of the form of Camunda 8 that a task names; None without one in the file."""
    for part in (each for outer in tag.of(MODEL, "extensionElements") for each in outer.children):
        if part.space != ZEEBE or part.name != "formDefinition" or part.get("externalReference"):
            continue
        used.add((id(part), ""))
        key = part.get("formKey")
        given = forms.get(key.removeprefix(_PREFIX)) if key.startswith(_PREFIX) else None
        if given is None:
            wanted = key or part.get("formId")
            note(
                "not_used", f"The form “{wanted[:60]}” is not in the file: it has no effect.", tag, "warning"
            )
            return None
        used.add((id(given), ""))
        return _Form(given, tag, note, declare, own_form).read()
    return None


@dataclass
class _Form:
    """Reads one form."""

    tag: Tag
    owner: Tag
    note: Note
    declare: Declare
    own_form: bool
    found: Fields = field(default_factory=Fields)
    warned: set[str] = field(default_factory=set)

    def warn(self, message: str) -> None:
        if message not in self.warned:
            self.warned.add(message)
            self.note("not_used", message, self.owner, "warning")

    def read(self) -> Fields | None:
        """Return the fields; None where the text is no form."""
        try:
            given = json_text.decode(self.tag.text)
        except (ValueError, RecursionError):
            given = None
        components = given.get("components") if isinstance(given, dict) else None
        if not isinstance(components, list):
            self.warn(f"The form “{self.tag.get('id')[:60]}” is no JSON of a form: it has no effect.")
            return None
        self.components(components, 0)
        if self.own_form:
            self.warn(f"The form “{self.tag.get('id')[:60]}” has no effect: the task has another one.")
        return self.found if self.found.shown else None

    def components(self, given: Any, depth: int) -> None:
        """Read the components of a form, or of a group."""
        if depth > _DEEPEST:
            self.warn("Groups of the form are nested too deep: the inner ones have no effect.")
            return
        for each in given if isinstance(given, list) else []:
            if len(self.found.shown) >= _MOST_FIELDS:
                self.warn(f"The form has more than {_MOST_FIELDS} fields: the others have no effect.")
                return
            if isinstance(each, dict):
                self.component(each, depth)

    def component(self, given: Mapping[str, Any], depth: int) -> None:
        type_ = str(given.get("type"))
        if type_ in _SILENT:
            return
        if type_ == "group":
            self.ignored(given, {"key", "readonly", "disabled", "validate"})
            self.found.sections.append({"title": self.text(given, "label"), "fields": []})
            if not self.found.sections[-1]["title"]:
                del self.found.sections[-1]["title"]
            self.components(given.get("components"), depth + 1)
            self.found.sections.append({"fields": []})
        elif type_ in _TEXTS:
            self.paragraph(given)
        elif type_ not in _TYPES or not isinstance(given.get("key"), str) or not slug(given["key"]):
            name = str(given.get("key") or given.get("id") or "")
            self.warn(f"The component “{name[:60]}” of type “{type_[:40]}” has no effect.")
        else:
            self.field(given, type_)

    def paragraph(self, given: Mapping[str, Any]) -> None:
        """Let a paragraph be the help of a section that begins there."""
        self.ignored(given, set())
        text = given.get("text") if given.get("type") == "text" else given.get("content")
        plain = " ".join(_TAG.sub(" ", text).split()) if isinstance(text, str) else ""
        if plain.startswith("="):
            self.warn(f"The text “{plain[:60]}” is computed, so it has no effect.")
        elif plain:
            if len(plain) > _LONGEST:
                self.warn(f"The text “{plain[:60]}” is longer than {_LONGEST} characters: the rest is cut.")
            self.found.sections.append({"help": plain[:_LONGEST], "fields": []})

    def field(self, given: Mapping[str, Any], component: str) -> None:
        key = given["key"]
        name, label = name_of(key), self.text(given, "label") or self.text(given, "dateLabel") or key[:100]
        type_, options = self.typed(given, component, key)
        attribute: dict[str, Any] = {"type": type_, "label": label}
        asked: dict[str, Any] = {}
        if component in _KINDS and type_ == _TYPES[component]:
            asked = {"kind": _KINDS[component]}
        if type_ == "enum":
            attribute |= {"options": options, **self.labels(given, key, options)}
        elif asked.get("kind") == "choices":
            asked |= {"options": options}
        asked |= self.columns(given, key) if component == "dynamiclist" else {}
        self.declare(name, attribute, self.owner)
        asked |= self.hidden(given)
        self.ignored({name: each for name, each in given.items() if name != "conditional"}, set())
        if given.get("conditional") and "shown" not in asked:
            self.no_effect("conditional", key)
        asked |= self.described(given, key, type_, options)
        writes = not any(self.switch(given, each, key) for each in ("readonly", "disabled"))
        limits = self.validated(given, key, type_)
        if not writes:
            for each in limits:
                self.no_effect(each, key)
            limits = {}
            asked.pop("default", None)
        self.found.add(name, writes, **asked, **limits)

    def typed(self, given: Mapping[str, Any], component: str, key: str) -> tuple[str, list[str]]:
        """Return the type of the attribute of a component, and what can be chosen."""
        type_ = _TYPES[component]
        if component == "number" and given.get("decimalDigits") == 0:
            return "integer", []
        if component == "datetime" and given.get("subtype") in ("datetime", "time"):
            if given["subtype"] == "time":
                self.warn(f"The field “{key[:60]}” is a time of day, which is read as a text.")
            return ("text" if given["subtype"] == "time" else "timestamptz"), []
        options = (
            [*self.options(given, key, labelled=component not in _LISTS)]
            if component in ("select", "radio", *_LISTS)
            else []
        )
        if component in ("select", "radio", *_LISTS) and not options:
            self.warn(f"The field “{key[:60]}” has no values in the file, so it is read as a text.")
            return "text", []
        return type_, options

    def hidden(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return when a field is hidden, in FEEL as it is: form_types.fitted translates it."""
        conditional = given.get("conditional")
        when = conditional.get("hide") if isinstance(conditional, dict) and len(conditional) == 1 else None
        if isinstance(when, str) and when.startswith("=") and len(when) <= _LONGEST:
            return {"shown": when}
        return {}

    def labels(self, given: Mapping[str, Any], key: str, options: list[str]) -> dict[str, Any]:
        """Return the labels of the values of an attribute, as an option of it."""
        known = [each for each in given.get("values") or () if isinstance(each, dict)]
        texts = {_text(each.get("value")): each.get("label") for each in reversed(known)}
        lines, left = labelled(options, {one: str(label or "") for one, label in texts.items()})
        if left:
            self.warn(
                f"The label of the value “{left[0][:60]}” of the field “{key[:60]}” cannot be one: "
                "people see the value."
            )
        return {"option_labels": lines} if lines else {}

    def options(self, given: Mapping[str, Any], key: str, *, labelled: bool = False) -> Iterator[str]:
        """Return the values that can be chosen, each once; warn of their labels unless these are read."""
        values = given.get("values")
        seen = set()
        for each in values if isinstance(values, list) else []:
            value = each.get("value") if isinstance(each, dict) else None
            text = _text(value)
            if text and text not in seen and len(text) <= _LONGEST:
                seen.add(text)
                if not labelled and each.get("label") not in (None, "", value, text):
                    message = f"The labels of the values of the field “{key[:60]}” have no effect: people see"
                    self.warn(f"{message} the values.")
                yield text

    def columns(self, given: Mapping[str, Any], key: str) -> dict[str, Any]:
        """Return the columns of a list of rows: those of its components that a table has."""
        found: list[dict[str, Any]] = []
        components = given.get("components")
        for each in components if isinstance(components, list) else []:
            name = name_of(str(each.get("key") or "")) if isinstance(each, dict) else ""
            type_ = _COLUMNS.get(str(each.get("type"))) if name else None
            options = [*self.options(each, name)] if type_ == "choice" else []
            if type_ is None or (type_ == "choice" and not options) or any(c["name"] == name for c in found):
                self.warn(f"A component of the list “{key[:60]}” has no effect: it is no column of a table.")
                continue
            one: dict[str, Any] = {"name": name, "label": self.text(each, "label") or name, "type": type_}
            validate = _object(each.get("validate"))
            one |= {"options": options} if options else {}
            one |= {"required": True} if validate.get("required") is True else {}
            for limit in [each for each in validate if each != "required"]:
                self.no_effect(limit, name)
            found.append(one)
        return {"kind": "table", "columns": found[:20]} if found else {}

    def described(
        self, given: Mapping[str, Any], key: str, type_: str, options: list[str]
    ) -> dict[str, Any]:  # fmt: skip
        """Return the help, the unit, the width and the default of a field."""
        look = _object(given.get("appearance"))
        layout = _object(given.get("layout"))
        width = {8: "half", 5: "third", 6: "third"}.get(layout.get("columns") or 0, "")
        if self.text(look, "prefixAdorner"):
            self.no_effect("prefixAdorner", key)
        accept = [each.strip() for each in str(given.get("accept") or "").split(",") if each.strip()]
        if accept:
            self.no_effect("accept", key)
        found = {
            "help": self.text(given, "description"),
            "unit": self.text(look, "suffixAdorner"),
            "width": width,
            "default": self.default(given.get("defaultValue"), key, type_, options),
        }
        return {name: text for name, text in found.items() if text}

    def default(self, value: Any, key: str, type_: str, options: list[str]) -> str:
        if value in (None, "", [], {}):
            return ""
        text = value if isinstance(value, str) else json_text.encode(value)
        if text.startswith("=") or len(text) > _LONGEST or not fits(text, type_, options):
            message = f"The default “{text[:60]}” of the field “{key[:60]}” is no value of its type: it has"
            self.warn(f"{message} none.")
            return ""
        return text

    def validated(self, given: Mapping[str, Any], key: str, type_: str) -> dict[str, Any]:
        """Return whether a field is required, and its limits."""
        rules = _object(given.get("validate"))
        found: dict[str, Any] = {}
        for name, value in rules.items():
            if value in (None, "", False):
                continue
            if name == "required" and value is True:
                found["required"] = True
                continue
            text = value if isinstance(value, str) else json_text.encode(value)
            option = _VALIDATE.get(name, "")
            limit = limit_of(option, text, type_)
            if limit is None and not (option in (*NUMBERS, *LENGTHS) and text == "0" and type_ == "text"):
                self.no_effect(name, key)
            elif limit is not None:
                found[option] = limit
        for name in dropped(found):
            self.no_effect(name, key)
        return found

    def switch(self, given: Mapping[str, Any], name: str, key: str) -> bool:
        value = given.get(name)
        if value not in (None, True, False):
            self.no_effect(name, key)
        return value is True

    def text(self, given: Mapping[str, Any], name: str) -> str:
        """Return a text of a component; "" for one that is computed."""
        value = given.get(name)
        text = " ".join(value.split()) if isinstance(value, str) else ""
        if text.startswith("=") or len(text) > _LONGEST:
            self.warn(f"“{name}” is computed or too long, so it has no effect: “{text[:60]}”.")
            return ""
        return text

    def ignored(self, given: Mapping[str, Any], also: set[str]) -> None:
        """Warn of what a component says and nothing reads."""
        name = str(given.get("key") or given.get("id") or "")
        for key, value in given.items():
            said = value not in (None, "", False, [], {})
            if said and (key not in _QUIET or key in also):
                self.no_effect(key, name)

    def no_effect(self, name: str, key: str) -> None:
        self.warn(f"“{name[:40]}” of the field “{key[:60]}” has no effect: the form does not check it.")


_LISTS = ("checklist", "taglist")


def _text(value: Any) -> str:
    """Return a value that can be chosen as a text."""
    return value if isinstance(value, str) else json_text.encode(value) if value is not None else ""


def _object(value: Any) -> Mapping[str, Any]:
    """Return an object of JSON; an empty one for anything else."""
    return value if isinstance(value, dict) else {}
