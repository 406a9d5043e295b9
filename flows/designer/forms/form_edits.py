"""Changes of the form of a task that its tab makes, each with a summary in plain words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_noop as _

from flows.designer.draft.edits import Definition, NoSuchItem, title_parts
from flows.designer.forms import form_parts as parts
from flows.designer.forms.form_parts import Form, NoSuchPart, Place
from flows.summaries import Summary

Done = tuple[Form | None, Place | None, Summary]


@dataclass(frozen=True)
class FormEdit:
    """One change of the form of the rule at `place` (from 0).

    `at` is the part that is open and `typed` what it is to be; `action` is done after that, with the part
    at `at`, or from `at` to `to`, or with an `attribute`. `begun` is the form that a rule without one gets.
    """

    place: int
    action: str
    at: Place | None = None
    typed: Mapping[str, Any] | None = None
    to: Place | None = None
    source: Place | None = None
    attribute: str = ""
    begun: Mapping[str, Any] | None = None
    part: str = "triggers"

    def applied(self, definition: Definition) -> tuple[Definition, Summary, int | None]:
        """Return the changed definition, the summary, and the place of the rule. Raises NoSuchItem."""
        if self.place >= len(definition["triggers"]):
            raise NoSuchItem
        rule = dict(definition["triggers"][self.place])
        form, _at, summary = self._done(rule.get("form"))
        changed = {name: value for name, value in rule.items() if name != "form"}
        if form is not None:
            changed = rule | {"form": form}
        rules = [*definition["triggers"]]
        rules[self.place] = changed
        whole = Summary(
            _("%(item)s: %(options)s"), {"item": title_parts("triggers", rule), "options": summary}
        )
        return definition | {"triggers": rules}, whole, self.place

    def after(self, form: Any) -> Place | None:
        """Return the place of the part that is shown when the change is saved. Raises NoSuchItem."""
        return self._done(form)[1]

    def renames(self, _definition: Definition) -> list[tuple[str, str]]:
        """Return nothing: no attribute gets another name."""
        return []

    def _done(self, form: Any) -> Done:
        if self.action == "clear":
            return None, None, Summary(_("the default form"))
        if self.action == "begin":
            return dict(self.begun or {"sections": []}), None, Summary(_("a form of its own"))
        if not parts.is_listed(form):
            raise NoSuchItem
        try:
            if self.at is not None and self.typed is not None:
                form = parts.replaced(form, self.at, self.typed)
            return _ACTIONS[self.action](self, form)
        except NoSuchPart as missing:
            raise NoSuchItem from missing

    def _save(self, form: Form) -> Done:
        if self.at is None:
            raise NoSuchPart
        return form, self.at, _of(form, self.at, _("field %(field)s"), _("section %(field)s"))

    def _delete(self, form: Form) -> Done:
        if self.at is None:
            raise NoSuchPart
        texts = _("field %(field)s deleted"), _("section %(field)s deleted")
        return parts.deleted(form, self.at), None, _of(form, self.at, *texts)

    def _up(self, form: Form) -> Done:
        return self._moved(form, self.at, parts.beside(form, self.at, -1) if self.at else None)

    def _down(self, form: Form) -> Done:
        return self._moved(form, self.at, parts.beside(form, self.at, 1) if self.at else None)

    def _move(self, form: Form) -> Done:
        return self._moved(form, self.source, self.to)

    def _moved(self, form: Form, at: Place | None, to: Place | None) -> Done:
        if at is None or (to is not None and (at.field is None) != (to.field is None) and at.field is None):
            raise NoSuchPart
        changed, there = parts.moved(form, at, to) if to else (form, at)
        return changed, there, _of(changed, there, _("field %(field)s moved"), _("section %(field)s moved"))

    def _add(self, form: Form) -> Done:
        if self.to is None or not self.attribute:
            raise NoSuchPart
        changed, there = parts.with_field(form, self.to.section, self.attribute)
        return changed, there, _of(changed, there, _("field %(field)s added"), "")

    def _section(self, form: Form) -> Done:
        changed, there = parts.with_section(form)
        return changed, there, _of(changed, there, "", _("section %(field)s added"))


_ACTIONS: dict[str, Callable[[FormEdit, Form], Done]] = {
    "save": FormEdit._save,
    "delete": FormEdit._delete,
    "up": FormEdit._up,
    "down": FormEdit._down,
    "move": FormEdit._move,
    "add": FormEdit._add,
    "section": FormEdit._section,
}
# What a button of the tab may ask for.
ACTIONS = frozenset((*_ACTIONS, "begin", "clear"))
# What can be done without an open part, and leaves none typed.
OF_FORM = frozenset(("begin", "clear"))


def _of(form: Form, at: Place, field: str, section: str) -> Summary:
    """Return the summary of what was done with a part."""
    return Summary(
        section if at.field is None else field, {"field": parts.title_of(parts.part_at(form, at), at)}
    )
