"""Writes the changes of the flow's page to the kernel's tables, in an order that the kernel accepts.

What they define is read from there, and the rows are taken back: `flows.admin.definition` submits it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.db import DatabaseError, transaction

from flows.admin.forms import DatabaseErrorFormSet, row_refusal
from flows.admin.refusals import Refusal, SaveRefused
from flows.models import Attribute, Flow, Trigger


class DefinitionSave:
    """One save of a flow's rows; collects the errors of several rows before it fails."""

    def __init__(self, flow: Flow, formsets: Iterable[DatabaseErrorFormSet]) -> None:
        self.flow = flow
        self.refusals: dict[str, Refusal] = {}
        self.sets = {formset.model: formset for formset in formsets}

    def run(self) -> None:
        """Save all rows; raises SaveRefused.

        Triggers are deleted before attributes, and attributes that are still referenced are deleted again
        after the triggers were saved, so that one save may remove an attribute and its last reference.
        """
        for formset in self.sets.values():
            formset.save(commit=False)  # fills the lists that the admin's log is written from
        self._each(self._removed(Trigger), self._delete)
        kept = [form for form in self._removed(Attribute) if not self._try(form, self._delete)]
        self._each(self._written(Attribute), self._save)
        self._stop_if_refused()
        self._each(sorted(self._written(Trigger), key=_gains_final), self._save)
        self._each(kept, self._delete)
        self._stop_if_refused()

    def _removed(self, model: type) -> list[Any]:
        formset = self.sets.get(model)
        return [form for form in formset.deleted_forms if form.instance.pk] if formset else []

    def _written(self, model: type) -> list[Any]:
        formset = self.sets.get(model)
        gone = formset.deleted_forms if formset else []
        return [form for form in (formset or []) if form.has_changed() and form not in gone]

    def _each(self, forms_: Iterable[forms.ModelForm], act: Callable[[forms.ModelForm], None]) -> None:
        for form in forms_:
            self._try(form, act, keep=True)

    def _try(self, form: forms.ModelForm, act: Callable[[forms.ModelForm], None], keep: bool = False) -> bool:
        try:
            with transaction.atomic():
                act(form)
        except DatabaseError as error:
            if keep:
                self.refusals[form.prefix or ""] = row_refusal(error, form)
            return False
        return True

    def _delete(self, form: forms.ModelForm) -> None:
        type(form.instance).objects.filter(pk=form.instance.pk).delete()

    def _save(self, form: forms.ModelForm) -> None:
        row = form.instance
        row.flow = self.flow
        if row.pk is None:
            row.save(force_insert=True)
            return
        # Only what was changed: renaming an attribute may have rewritten the predicate of this row.
        fields = {field.name for field in row._meta.concrete_fields}
        row.save(update_fields=[name for name in form.changed_data if name in fields])

    def _stop_if_refused(self) -> None:
        if self.refusals:
            raise SaveRefused(self.refusals)


def _gains_final(form: forms.ModelForm) -> bool:
    """Return a sort key that puts the row that becomes final after the one that no longer is."""
    return bool(form.cleaned_data.get("final"))
