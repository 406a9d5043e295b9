"""What the tabs Rules, Attributes and Settings show of a draft."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from flows.definition import ATTRIBUTE, TRIGGER, Group
from flows.designer.draft.content import Design, by_item, of_settings
from flows.designer.draft.edits import title, with_timeout
from flows.designer.draft.excerpts import excerpt
from flows.designer.editor import named_objects
from flows.designer.editor.fields import OptionsForm, grouped
from flows.labels import FINAL, INTEGRITY, translate_label
from flows.types import Problem

# Options of a rule that its row of the table shows, or whose marks have words of their own.
_OWN_MARKS = {"mode", "due_attr", "due_after", "writes"}


@dataclass(frozen=True)
class Shown:
    """One rule or attribute in the table: its place (from 1), its title, marks and problems."""

    place: int
    title: str
    item: Mapping[str, Any]
    marks: tuple[str, ...]
    problems: tuple[Problem, ...]
    current: bool

    @property
    def type(self) -> str:
        return type_label(self.item)

    @property
    def transition(self) -> str:
        return _plain(self.item.get("transition"))


@dataclass(frozen=True)
class Described:
    """A problem with the line of the condition and the caret under its characters."""

    problem: Problem
    excerpt: tuple[str, str] | None


# The parameter of the address that chooses an item, by the list of the definition.
CHOICE = {"triggers": "rule", "attributes": "attribute"}


@dataclass(frozen=True)
class Listed:
    """A problem in the summary: what it is about, and the address where it is mended."""

    problem: Problem
    about: str
    address: str


def tab(design: Design, part: str, form: OptionsForm | None, place: int | None) -> dict[str, Any]:
    """Return the context of a tab; `form` is that of the item at `place`, None for a new one."""
    summary = [listed(design, problem) for problem in design.problems]
    if part == "settings":
        return {"summary": summary} | _form(form, described(of_settings(design.problems), {}))
    problems = by_item(design.problems, part)
    items = design.definition[part]
    chosen = place if form is not None else None
    rows = [_row(design, part, n, items[n], problems.get(n, {}), n == chosen) for n in range(len(items))]
    row = next((row for row in rows if row.current), None)
    own = described(problems.get(place, {}), row.item) if row and place is not None else {}
    found = {"summary": summary, "rows": rows, "row": row, "last": len(rows)} | _form(form, own)
    found |= {"choice": CHOICE[part], "paste_address": f"{design.address('paste')}?part={part}"}
    if part == "triggers":
        found["integrity"] = [row for row in rows if row.item.get("integrity")]
        found["unused"] = named_objects.unused(design)
        found["sharing"] = named_objects.sharing(design, place, rows) if row and place is not None else None
    return found | {"attributes": readable(design.definition)} if part == "triggers" and form else found


def type_label(item: Mapping[str, Any]) -> str:
    """Return the type of an attribute in words."""
    kind = str(item.get("type", ATTRIBUTE["type"].default))
    return str(ATTRIBUTE["type"].choices.get(kind, kind))


def readable(definition: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the attributes that conditions may read, for the editor of conditions."""
    return [
        {
            "name": item["name"],
            "type": str(item.get("type", ATTRIBUTE["type"].default)),
            "kind": type_label(item),
            "label": translate_label(str(item.get("label") or "")),
            "description": str(item.get("description") or ""),
            "options": [str(value) for value in options if value is not None],
        }
        for item in definition["attributes"]
        if isinstance(item.get("name"), str)
        for options in [item["options"] if isinstance(item.get("options"), list) else []]
    ]


def _form(form: OptionsForm | None, problems: dict[str, list[Described]]) -> dict[str, Any]:
    """Return the form with the problems at its fields, and those that have no field ("loose")."""
    if form is None:
        return {"form": None}
    loose = [each for name, found in problems.items() if name not in form.fields for each in found]
    return {"form": form, "groups": grouped(form, problems), "loose": loose}


def listed(design: Design, problem: Problem) -> Listed:
    """Return a problem with the name of the rule or attribute and the address where it is edited."""
    name = about(design.definition, problem)
    if len(problem.path) < 2:
        return Listed(problem, name, design.address("settings"))
    part, place = str(problem.path[0]), int(problem.path[1])
    tab = "rules" if part == "triggers" else "attributes"
    return Listed(problem, name, f"{design.address(tab)}?{CHOICE[part]}={place + 1}#panel")


def about(definition: Mapping[str, Any], problem: Problem) -> str:
    """Return the place and title of the rule or attribute that has a problem."""
    if len(problem.path) < 2:
        return _("Settings")
    part, place = str(problem.path[0]), int(problem.path[1])
    return f"{place + 1} {title(part, definition[part][place])}"


def described(
    problems: Mapping[str, Iterable[Problem]], item: Mapping[str, Any]
) -> dict[str, list[Described]]:
    """Return the problems of one item by option, with their excerpts."""
    text = item.get("predicate")
    text = text if isinstance(text, str) else ""
    return {
        name: [Described(problem, excerpt(text, problem.position)) for problem in found]
        for name, found in problems.items()
    }


def _row(
    design: Design,
    part: str,
    place: int,
    item: Mapping[str, Any],
    problems: Mapping[str, list[Problem]],
    current: bool,
) -> Shown:
    marks = trigger_marks(item) if part == "triggers" else attribute_marks(item)
    whole = with_timeout(design.definition, part, dict(item))
    listed = tuple(problem for found in problems.values() for problem in found)
    return Shown(place + 1, title(part, item), whole, tuple(marks), listed, current)


def trigger_marks(item: Mapping[str, Any]) -> list[str]:
    """Return short words for what is unusual of a rule."""
    marks = [_("final")] if item.get("final") is True else []
    marks += _integrity_marks(item)
    marks += [_("disabled")] if item.get("enabled") is False else []
    marks += [_("lease")] if item.get("mode") == "lease" else []
    marks += [_("waits")] if item.get("due_attr") or item.get("due_after") else []
    marks += [_("writes nothing") if not item["writes"] else _("limited writes")] if _limits(item) else []
    others = [
        str(option.label)
        for option in TRIGGER.shown
        if option.group not in (Group.MAIN, Group.CODES)
        and option.name not in (*_OWN_MARKS, "label", "description")
        if item.get(option.name, option.default) != option.default
    ]
    return marks + others[:2] + ([_("and %(n)s more") % {"n": len(others) - 2}] if len(others) > 2 else [])


def _integrity_marks(item: Mapping[str, Any]) -> list[str]:
    names = {"always": _("integrity: always"), "final": _("integrity: at final")}
    return [names[when] for when in (item.get("integrity"),) if isinstance(when, str) and when in names]


def _limits(rule: Mapping[str, Any]) -> bool:
    return isinstance(rule.get("writes"), list)


def attribute_marks(item: Mapping[str, Any]) -> list[str]:
    """Return short words for what is unusual of an attribute, and the values of an enum."""
    marks = [_("business key")] if item.get("business_key") is True else []
    marks += [_("what starts an instance")] if item.get("start_source") is True else []
    marks += [_("not repairable")] if item.get("repairable") is False else []
    marks += {"masked": [_("masked")], "hidden": [_("hidden")]}.get(str(item.get("visibility")), [])
    values = item.get("options")
    if not isinstance(values, list):
        return marks
    return marks + [str(value) for value in values[:6]] + (["…"] if len(values) > 6 else [])


def _plain(value: Any) -> str:
    return "" if value in (None, FINAL, INTEGRITY) else str(value)
