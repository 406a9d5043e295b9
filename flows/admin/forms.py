"""The forms of a flow; errors of the database are shown at the field that they concern."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib.admin.widgets import AdminTextInputWidget
from django.core.exceptions import ValidationError
from django.db import DatabaseError, connection, transaction
from django.forms.models import BaseInlineFormSet
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from flows.admin.refusals import Refusal, refusal
from flows.definition import ATTRIBUTE
from flows.designer.editor.fields import FINAL, VerbatimField
from flows.designer.editor.widgets import ConditionTextarea
from flows.models import Attribute, Flow, FlowVersion, Trigger


class IntervalFormField(forms.CharField):
    """A duration in PostgreSQL's syntax: 30 seconds, 3d18h, 00:00:10."""

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if not text:
            return text
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("select %s::interval", [text])
        except DatabaseError as error:
            raise ValidationError(
                _("“%(text)s” is not a duration: write for example 30 seconds, 2 hours or 3d18h."),
                params={"text": text[:80]},
            ) from error
        return text


class DatabaseErrorForm(forms.ModelForm):
    """A form that shows the error with which the database rejected the same content."""

    refusal: Refusal | None = None

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        if self.refusal:
            field = self.refusal.field if self.refusal.field in self.fields else None
            self.add_error(field, self.refusal.as_error())


class DatabaseErrorFormSet(BaseInlineFormSet):
    """A formset that passes the database's errors to their rows and accepts at most `MAX_NEW_ROWS` new rows.

    Without the limit, a request that claims two thousand rows would occupy a process for a minute, because
    each row is built and rendered.
    """

    MAX_NEW_ROWS = 50

    def __init__(self, *args: Any, refusals: dict[str, Refusal] | None = None, **kwargs: Any) -> None:
        self.refusals = refusals or {}
        super().__init__(*args, **kwargs)
        self.max_num = self.absolute_max = len(self.get_queryset()) + self.MAX_NEW_ROWS

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        form.refusal = self.refusals.get(form.prefix)


class TriggerFormSet(DatabaseErrorFormSet):
    """The triggers of a flow; a new trigger starts with the flow's default timeout."""

    def __init__(self, *args: Any, instance: Flow | None = None, **kwargs: Any) -> None:
        # Read now: validating the page assigns the timeout that was typed to the instance.
        self.proposed = instance.default_timeout if instance and instance.pk else None
        super().__init__(*args, instance=instance, **kwargs)

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        if self.instance.pk and form.instance.pk is None and "timeout" in form.fields:
            form.initial["timeout"] = self.proposed


class FlowForm(DatabaseErrorForm):
    """The flow's own fields, the version at which the page was opened, and the reason of the change."""

    seen_version = forms.IntegerField(label=gettext_lazy("version"), widget=forms.HiddenInput, required=False)
    held = forms.IntegerField(
        label=gettext_lazy("tasks and cases that others lose"),
        widget=forms.HiddenInput,
        required=False,
        min_value=0,
        max_value=999_999_999,
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        widget=AdminTextInputWidget,
        required=False,
        max_length=1000,
        help_text=gettext_lazy("Why you change it; kept in the history of the flow."),
    )

    class Meta:
        model = Flow
        fields = "__all__"  # noqa: DJ007 - the admin's fieldsets name them
        widgets: ClassVar = {"description": forms.Textarea(attrs={"rows": 2, "cols": 60})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.initial["seen_version"] = self.instance.version
        if self.refusal is not None and self.refusal.held:
            self.fields["held"].widget = forms.NumberInput()

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if self.instance.pk and self.refusal is None:
            error = stale_version_error(self.instance, self.cleaned_data.get("seen_version"))
            if error:
                self.add_error(None, error.as_error())
        return cleaned


def stale_version_error(flow: Flow, seen: int | None) -> Refusal | None:
    """Return the refusal for a flow that was changed after the page was opened, otherwise None."""
    now = Flow.objects.filter(pk=flow.pk).values_list("version", flat=True).first()
    if now == seen:
        return None
    last = FlowVersion.objects.filter(flow_id=flow.pk).order_by("-version").first()
    who = last.actor if last else ""
    return Refusal(
        field=None,
        message=_(
            "This flow was changed to version %(now)s by %(who)s after you opened it at version %(seen)s."
        )
        % {"now": now, "who": who or _("another user"), "seen": seen},
        hint=_("Nothing was saved. Open the flow again to see the change, then make yours."),
    )


class Cell(forms.BoundField):
    """A field in a table, rendered with its own label and help text.

    On narrow screens and for screen readers the label replaces the table's column headings.
    """

    def as_widget(self, widget: Any = None, attrs: Any = None, only_initial: bool = False) -> SafeString:
        field = super().as_widget(widget, attrs, only_initial)
        if only_initial or (widget or self.field.widget).is_hidden:
            return field
        # aria-describedby of the field refers to this id; the table itself has no such element.
        help_text = format_html_join(
            "",
            '<div class="help wed-cell" id="{}_helptext">{}</div>',
            [(self.auto_id, self.help_text)] if self.help_text else [],
        )
        return format_html("{}{}{}", self.label_tag(attrs={"class": "wed-cell"}), field, help_text)


class AttributeForm(DatabaseErrorForm):
    """One attribute, in one line."""

    bound_field_class = Cell

    class Meta:
        model = Attribute
        fields = tuple(option.name for option in ATTRIBUTE.shown)
        field_classes: ClassVar = {"default": VerbatimField}


class TriggerForm(DatabaseErrorForm):
    """One trigger: a condition and the transition that it fires."""

    class Meta:
        model = Trigger
        exclude = ("flow",)  # noqa: DJ006 - the admin's fieldsets name the fields
        widgets: ClassVar = {"predicate": ConditionTextarea}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("name", "transition", "condition"):  # the kernel stores it for an empty field
            if self.initial.get(name) == FINAL:
                self.initial[name] = ""


def row_refusal(error: BaseException, form: forms.ModelForm) -> Refusal:
    """Return the refusal that the database's error means for this row of the page."""
    text = form.cleaned_data.get("predicate") or ""
    return refusal(error, form._meta.model, form.changed_data, text)
