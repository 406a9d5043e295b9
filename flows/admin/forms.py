"""The forms of a flow: one-line fields, and the database's own answers at the field that they are about."""

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
from flows.models import Attribute, Flow, FlowVersion, Trigger

FINAL = "_FINAL"


class LinesField(forms.CharField):
    """A list of short texts, one a line; nothing written is no list."""

    widget = forms.Textarea(attrs={"rows": 2, "cols": 16, "class": "wed-lines"})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, (list, tuple)) else value

    def to_python(self, value: Any) -> list[str] | None:  # type: ignore[override]
        lines = value if isinstance(value, list) else (super().to_python(value) or "").splitlines()
        return [line.strip() for line in lines if line.strip()] or None

    def has_changed(self, initial: Any, data: Any) -> bool:
        return (initial or None) != self.to_python(data)


class IntervalFormField(forms.CharField):
    """A duration as PostgreSQL reads it: 30 seconds, 3d18h, 00:00:10."""

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


class TextField(forms.CharField):
    """A text of several lines, with the line ends that the database keeps whatever the browser sends."""

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        return text.replace("\r\n", "\n") if isinstance(text, str) else text


class VerbatimField(forms.CharField):
    """A text that is kept with the spaces around it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs, strip=False)


class AnsweredForm(forms.ModelForm):
    """A form that shows what the database answered to the same content a moment ago."""

    answer: Refusal | None = None

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        if self.answer:
            field = self.answer.field if self.answer.field in self.fields else None
            self.add_error(field, self.answer.as_error())


class AnsweredFormSet(BaseInlineFormSet):
    """Hands the database's answers to the rows that they are about; at most `MOST_NEW` rows are new at once.

    Each row that a request claims to have is built and drawn: two thousand of them would keep a process
    busy for a minute.
    """

    MOST_NEW = 50

    def __init__(self, *args: Any, answers: dict[str, Refusal] | None = None, **kwargs: Any) -> None:
        self.answers = answers or {}
        super().__init__(*args, **kwargs)
        self.max_num = self.absolute_max = len(self.get_queryset()) + self.MOST_NEW

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        form.answer = self.answers.get(form.prefix)


class TriggerFormSet(AnsweredFormSet):
    """Proposes the flow's own default timeout for a trigger that is yet to be written."""

    def __init__(self, *args: Any, instance: Flow | None = None, **kwargs: Any) -> None:
        # Kept now: validating the page gives the flow the timeout that was just typed.
        self.proposed = instance.default_timeout if instance and instance.pk else None
        super().__init__(*args, instance=instance, **kwargs)

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        if self.instance.pk and form.instance.pk is None and "timeout" in form.fields:
            form.initial["timeout"] = self.proposed


class FlowForm(AnsweredForm):
    """The flow itself, the version that the page was opened at, and why it is changed."""

    seen_version = forms.IntegerField(label=gettext_lazy("version"), widget=forms.HiddenInput, required=False)
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

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if self.instance.pk and self.answer is None:
            answer = overtaken(self.instance, self.cleaned_data.get("seen_version"))
            if answer:
                self.add_error(None, answer.as_error())
        return cleaned


def overtaken(flow: Flow, seen: int | None) -> Refusal | None:
    """The refusal to give when the flow is no longer at the version that the page showed."""
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
        % {"now": now, "who": who or _("somebody"), "seen": seen},
        hint=_("Nothing was saved. Open the flow again to see the change, then make yours."),
    )


class Cell(forms.BoundField):
    """A field in a table that brings its label and its help along.

    The head of the table names the columns for who sees it whole; a label names the field for everybody else.
    """

    def as_widget(self, widget: Any = None, attrs: Any = None, only_initial: bool = False) -> SafeString:
        field = super().as_widget(widget, attrs, only_initial)
        if only_initial or (widget or self.field.widget).is_hidden:
            return field
        # The field is described by this very id, which the table would not have.
        help_text = format_html_join(
            "",
            '<div class="help wed-cell" id="{}_helptext">{}</div>',
            [(self.auto_id, self.help_text)] if self.help_text else [],
        )
        return format_html("{}{}{}", self.label_tag(attrs={"class": "wed-cell"}), field, help_text)


class AttributeForm(AnsweredForm):
    """One attribute, a line."""

    bound_field_class = Cell

    class Meta:
        model = Attribute
        fields = tuple(option.name for option in ATTRIBUTE.shown)
        field_classes: ClassVar = {"default": VerbatimField}


class TriggerForm(AnsweredForm):
    """One trigger: a condition and the transition that it fires."""

    class Meta:
        model = Trigger
        exclude = ("flow",)  # noqa: DJ006 - the admin's fieldsets name the fields
        widgets: ClassVar = {
            "predicate": forms.Textarea(attrs={"rows": 2, "class": "wed-predicate", "spellcheck": "false"})
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("name", "transition", "condition"):  # the kernel's own word where nothing was written
            if self.initial.get(name) == FINAL:
                self.initial[name] = ""


def refused_row(error: BaseException, form: forms.ModelForm) -> Refusal:
    """What the database's error means for this row of the page."""
    text = form.cleaned_data.get("predicate") or ""
    return refusal(error, form._meta.model, form.changed_data, text)
