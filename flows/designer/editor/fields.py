"""Form fields of the options of a definition, generated from their description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext as _

from flows import json_text
from flows.definition import TITLES, Group, Option, Options
from flows.designer.editor.widgets import NOTHING, ConditionTextarea, FormTextarea, NamesSelect
from flows.labels import FINAL, INTEGRITY, rule_name

# PostgreSQL's ranges of the numeric options.
_RANGES = {"integer": (-(2**31), 2**31 - 1), "smallint": (-(2**15), 2**15 - 1)}
_LONGEST = 100_000


class LinesField(forms.CharField):
    """A list of short texts, one per line; an empty field gives None."""

    widget = forms.Textarea(attrs={"rows": 2, "cols": 16, "class": "wed-lines"})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(str, value)) if isinstance(value, (list, tuple)) else value

    def to_python(self, value: Any) -> list[str] | None:  # type: ignore[override]
        lines = value if isinstance(value, list) else (super().to_python(value) or "").splitlines()
        return [line.strip() for line in lines if line.strip()] or None

    def has_changed(self, initial: Any, data: Any) -> bool:
        return (initial or None) != self.to_python(data)


class WritesField(LinesField):
    """The names of the attributes that a transition may write; an empty field gives None, which is all.

    The line NOTHING gives an empty list: the transition may write nothing.
    """

    def __init__(self, **kwargs: Any) -> None:
        text = _("The attributes that the transition may write, one per line: empty is all, “-” is none.")
        super().__init__(**(kwargs | {"help_text": text}))

    def prepare_value(self, value: Any) -> Any:
        return NOTHING if value == [] else super().prepare_value(value)

    def to_python(self, value: Any) -> list[str] | None:  # type: ignore[override]
        found = super().to_python(value)
        if found and NOTHING in found:
            if len(found) > 1:
                raise forms.ValidationError(_("Choose attributes, or that nothing may be written."))
            return []
        return found

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return initial != self.to_python(data)
        except forms.ValidationError:
            return True


class TextField(forms.CharField):
    """A text of several lines; the line ends CR LF, which browsers send, become LF."""

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        return text.replace("\r\n", "\n") if isinstance(text, str) else text


class VerbatimField(TextField):
    """A text whose leading and trailing spaces are kept."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**(kwargs | {"strip": False}))


class DocumentField(forms.CharField):
    """A JSON document; an empty field gives None."""

    def prepare_value(self, value: Any) -> Any:
        return json_text.encode(value, indent=2) if isinstance(value, (dict, list)) else value

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        try:
            return json_text.decode_typed(text) if text else None
        except (ValueError, RecursionError) as error:
            raise forms.ValidationError(_("This is not JSON: %(error)s") % {"error": error}) from error

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return (initial or None) != self.to_python(data)
        except forms.ValidationError:
            return True


class OptionsForm(forms.Form):
    """The options of a rule, an attribute or a flow. What was typed is kept even if it is not valid there.

    Only what cannot be a value of the option's type is rejected; the kernel checks the rest of the draft.
    """

    def __init__(
        self,
        options: Options,
        values: Mapping[str, Any],
        data: Mapping[str, Any] | None = None,
        required: str = "",
        attributes: Mapping[str, str] | None = None,
        conditions: Mapping[str, str] | None = None,
    ) -> None:
        """Make the fields; `conditions` are the named ones, which a rule has by their name alone."""
        initial = {
            option.name: value if option.type == "jsonb" else _shown(value)
            for option in options.shown
            for value in [values.get(option.name, option.default)]
        }
        super().__init__(data, initial=initial, use_required_attribute=False)
        self.options, self.conditions = options, conditions or {}
        for option in options.shown:
            self.fields[option.name] = _field(option, initial[option.name])
        if "predicate" in self.fields:
            self.fields["label"].widget.attrs["placeholder"] = rule_name(values)
        if attributes and "writes" in self.fields:
            self.fields["writes"].widget = NamesSelect(attributes)
            self.fields["writes"].help_text = _(
                "The attributes that the transition may write; without a choice it may write all."
            )
        if self.conditions:
            self._offer_conditions()
        if required:
            self.fields[required].required = True

    def _offer_conditions(self) -> None:
        """Let people choose a named condition; an empty condition becomes the one with the chosen name."""
        field = self.fields["condition"]
        field.widget.attrs["list"] = "named-conditions"
        field.help_text = _("Choose a known one and leave the condition empty to have the same condition.")

    def clean(self) -> dict[str, Any]:
        """Take the condition from its name where a name was chosen, and no condition was written."""
        found = super().clean() or self.cleaned_data
        name = str(found.get("condition") or "")
        if name in self.conditions and name != self.initial["condition"] and not found.get("predicate"):
            found["predicate"] = self.conditions[name]
        return found

    def values(self) -> dict[str, Any]:
        """Return the values of the options as a definition has them."""
        return {
            option.name: _value(option, self.cleaned_data[option.name])
            for option in self.options.shown
            if option.name in self.cleaned_data
        }


def _shown(value: Any) -> Any:
    if isinstance(value, dict):  # a draft keeps values of any form
        return json_text.encode(value)
    return "" if value in (FINAL, INTEGRITY) else value


def _value(option: Option, typed: Any) -> Any:
    """Return the typed value as the definition has it: an empty field is null, or else the default."""
    if typed not in ("", None):
        return typed
    return None if option.nullable else option.default if option.default is not None else ""


def _field(option: Option, present: Any) -> forms.Field:
    texts = {"label": option.label, "help_text": option.help, "required": False}
    if option.choices:
        choices = ({"": "-"} if option.nullable else {}) | dict(option.choices)
        shown = str("" if present is None else present)
        choices.setdefault(shown, shown)  # a draft may have a value that is none of them
        return forms.ChoiceField(choices=list(choices.items()), **texts)
    if option.type == "boolean":
        return forms.BooleanField(**texts)
    if option.type in _RANGES:
        low, high = _RANGES[option.type]
        return forms.IntegerField(min_value=low, max_value=high, **texts)
    if option.type == "jsonb":
        attrs = {"rows": option.lines, "class": "mono", "spellcheck": "false"}
        return DocumentField(widget=FormTextarea(attrs), max_length=_LONGEST, **texts)
    if option.type == "text[]":
        kind = WritesField if option.name == "writes" else LinesField
        return kind(max_length=_LONGEST, **texts)
    return _text_field(option, texts)


def _text_field(option: Option, texts: dict[str, Any]) -> forms.Field:
    if option.name == "predicate":
        return TextField(widget=ConditionTextarea({"rows": 4}), max_length=_LONGEST, **texts)
    if option.lines > 1 or option.name == "description":
        return TextField(widget=forms.Textarea(attrs={"rows": 2}), max_length=_LONGEST, **texts)
    kind = VerbatimField if option.name == "default" else TextField
    attrs = {"autocomplete": "off"} | ({"class": "mono"} if option.column != option.name else {})
    return kind(widget=forms.TextInput(attrs=attrs), max_length=_LONGEST, **texts)


# What final and integrity conditions have, too; all other options are about the transition that a rule fires.
_OF_EVERY_RULE = {
    "label", "predicate", "final", "integrity", "enabled", "description", "name", "condition",
}  # fmt: skip
_OF_OPTIONS = {"options", "option_labels"}


@dataclass(frozen=True)
class ShownField:
    """A field with its problems; it is hidden unless what is defined is as it `needs` it."""

    field: BoundField
    problems: Sequence[Any]
    needs: str
    hidden: bool


@dataclass(frozen=True)
class FieldGroup:
    """The fields of one group; a group without a title is always open, others when something is set in it."""

    title: Any
    fields: tuple[ShownField, ...]
    open: bool

    @property
    def hidden(self) -> bool:
        """Return whether none of its fields applies."""
        return all(each.hidden for each in self.fields)


def grouped(form: OptionsForm, problems: Mapping[str, Sequence[Any]]) -> list[FieldGroup]:
    """Return the fields of a form in the groups of their options, each with its problems."""
    found = []
    for group, options in groupby(form.options.shown, lambda option: option.group):
        listed = list(options)
        fields = tuple(_shown_field(form, option, problems.get(option.name, [])) for option in listed)
        is_set = group is not Group.CODES and any(form.initial[o.name] not in (o.default, "") for o in listed)
        wrong = any(form[o.name].errors or problems.get(o.name) for o in listed)
        found.append(FieldGroup(TITLES[group], fields, is_set or wrong))
    return found


def _shown_field(form: OptionsForm, option: Option, problems: Sequence[Any]) -> ShownField:
    """Return a field; one with a problem is shown even where it does not apply."""
    field, needs = form[option.name], _needs(form, option)
    hidden = bool(needs) and not problems and not field.errors and not _is(form, needs)
    return ShownField(field, problems, needs, hidden)


def _needs(form: OptionsForm, option: Option) -> str:
    """Return the condition under which an option applies: "fires", "enum", "" for always."""
    if "predicate" in form.fields:
        return "" if option.name in _OF_EVERY_RULE else "fires"
    return "enum" if option.name in _OF_OPTIONS else ""


def _is(form: OptionsForm, needs: str) -> bool:
    if needs == "enum":
        return bool(form["type"].value() == "enum")
    return not form["final"].value() and not form["integrity"].value()
