"""The forms of the rules for the cases of a flow, and how a rule is summarized in a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from flows import api, json_text
from flows.capabilities.recovery.api import Operation
from flows.designer.editor.widgets import ConditionTextarea
from flows.errors import BadAlert
from flows.queries.definitions import FlowInfo
from monitor.cases.rows import cause
from monitor.durations import seconds, shown
from monitor.labels import SEVERITY
from monitor.operation_words import title as title_of
from pages.labels import REASON_SHORT

LONGEST = 4000
ANY = gettext_lazy("any")


class Seconds(forms.CharField):
    """A time such as 30s, 5m, 2h or 1d; None if it is empty."""

    def prepare_value(self, value: Any) -> Any:
        return shown(value) if isinstance(value, int | float) else value

    def to_python(self, value: Any) -> Any:
        text = str(super().to_python(value) or "").strip()
        try:
            return seconds(text) if text else None
        except BadAlert as error:
            raise forms.ValidationError(error.sentence) from error


class Json(forms.CharField):
    """An object as JSON; {} if it is empty."""

    widget = forms.Textarea({"rows": 3, "class": "mono", "spellcheck": "false"})

    def prepare_value(self, value: Any) -> Any:
        return json_text.encode(value) if isinstance(value, Mapping) else value

    def to_python(self, value: Any) -> Any:
        try:
            found = json_text.decode_typed(super().to_python(value) or "{}")
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise forms.ValidationError(_("Write an object in JSON."))
        return found


def condition() -> forms.CharField:
    """Return the field of a condition over the attributes."""
    text = gettext_lazy("Over the attributes, as in a rule. Empty: always.")
    return forms.CharField(
        label=gettext_lazy("Condition"), required=False, max_length=LONGEST, help_text=text,
        widget=ConditionTextarea(),
    )  # fmt: skip


def short(label: Any, most: int = 80, **more: Any) -> forms.CharField:
    """Return the field of a short text."""
    return forms.CharField(label=label, max_length=most, required=more.pop("required", False), **more)


class RuleForm(forms.Form):
    """A rule of a flow. Its cleaned values are the fields of the rule; the kernel checks them."""

    def __init__(self, flow: FlowInfo, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.choose(flow)

    def choose(self, flow: FlowInfo) -> None:
        """Add what may be chosen in this flow."""


class QueueForm(RuleForm):
    """Where cases go."""

    queue = short(gettext_lazy("Queue"), 40, required=True)
    condition = condition()
    severity = forms.ChoiceField(
        label=gettext_lazy("Severity"), choices=list(SEVERITY.items()), initial="normal"
    )
    priority = forms.IntegerField(
        label=gettext_lazy("Priority"), min_value=0, max_value=100, initial=50,
        help_text=gettext_lazy("0 to 100; the highest comes first."),
    )  # fmt: skip
    due_after = Seconds(
        label=gettext_lazy("Due after"), required=False,
        help_text=gettext_lazy("Such as 30m, 4h or 2d. Empty: no due time."),
    )  # fmt: skip


class ApprovalForm(RuleForm):
    """Which repairs need approvals."""

    title = short(gettext_lazy("What it is about"), 200)
    approvals = forms.TypedChoiceField(
        label=gettext_lazy("Approvals"), choices=[(n, str(n)) for n in (1, 2, 0)], coerce=int
    )
    operations = forms.MultipleChoiceField(
        label=gettext_lazy("Operations"), required=False, widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("None chosen: any."),
    )  # fmt: skip
    attributes = forms.MultipleChoiceField(
        label=gettext_lazy("If it writes one of these attributes"), required=False,
        widget=forms.CheckboxSelectMultiple, help_text=gettext_lazy("None chosen: any repair."),
    )  # fmt: skip
    condition = condition()
    bulk_above = forms.IntegerField(
        label=gettext_lazy("Only for operations on more instances than"), required=False, min_value=1
    )
    approvers = short(
        gettext_lazy("Group whose members approve"), 150,
        help_text=gettext_lazy("Empty: whoever may approve repairs of the flow."),
    )  # fmt: skip

    def choose(self, flow: FlowInfo) -> None:
        of_rules = _names(lambda one: one.can_need_approval)
        every = dict.fromkeys((*self.initial.get("operations", ()), *of_rules))
        self.fields["operations"].choices = [(name, title_of(name)) for name in every]  # type: ignore[attr-defined]
        known = {one.name: one.title for one in flow.attributes}
        names = {**{name: name for name in self.initial.get("attributes", ())}, **known}
        self.fields["attributes"].choices = list(names.items())  # type: ignore[attr-defined]


class PolicyForm(RuleForm):
    """What is done by itself."""

    name = short(gettext_lazy("Name"), 40, required=True)
    cause = forms.ChoiceField(label=gettext_lazy("Cause"), required=False)
    transition = forms.ChoiceField(label=gettext_lazy("Transition"), required=False)
    condition = condition()
    operation = forms.ChoiceField(label=gettext_lazy("Operation"))
    arguments = Json(
        label=gettext_lazy("Arguments"), required=False,
        help_text=gettext_lazy('Of the operation, in JSON, such as {"changes": {"stage": "new"}}.'),
    )  # fmt: skip
    times = forms.IntegerField(
        label=gettext_lazy("How often on one instance"), min_value=1, max_value=100, initial=1
    )
    delay = Seconds(
        label=gettext_lazy("After"), required=False,
        help_text=gettext_lazy("Such as 30m, 4h or 2d. Empty: at once."),
    )  # fmt: skip

    def choose(self, flow: FlowInfo) -> None:
        causes = [("", ANY), *REASON_SHORT.items(), ("TIMEOUT", gettext_lazy("took too long"))]
        self.fields["cause"].choices = causes  # type: ignore[attr-defined]
        rules = {one.transition: one.title for one in flow.triggers if one.transition}
        self.fields["transition"].choices = [("", ANY), *rules.items()]  # type: ignore[attr-defined]
        able = _names(lambda one: one.in_policies)
        self.fields["operation"].choices = [(one, title_of(one)) for one in able]  # type: ignore[attr-defined]

    def clean_delay(self) -> float:
        return float(self.cleaned_data["delay"] or 0)


class LinkForm(RuleForm):
    """An address in another system."""

    label = short(gettext_lazy("Label"), required=True)
    url = short(
        gettext_lazy("Address"), 1000, required=True,
        widget=forms.TextInput({"class": "mono", "spellcheck": "false"}),
        help_text=gettext_lazy("Such as https://crm.example/c/{customer}?from={wid}, with attributes."),
    )  # fmt: skip
    cause = short(gettext_lazy("Cause or reason code"), 40, help_text=gettext_lazy("Empty: every case."))


def _names(of: Callable[[Operation], bool]) -> list[str]:
    """Return the names of the operations that rules may be about."""
    return [name for name, one in api.operations.table().items() if of(one)]


def queue_summary(rule: Mapping[str, Any]) -> tuple[str, str]:
    """Return the queue of a rule, and how urgent its cases are."""
    due = _("due after %(time)s") % {"time": shown(rule["due_after"])} if rule["due_after"] else ""
    parts = (str(SEVERITY[rule["severity"]]), _("priority %(n)s") % {"n": rule["priority"]}, due)
    return rule["queue"], ", ".join(filter(None, parts))


def approval_summary(rule: Mapping[str, Any]) -> tuple[str, str]:
    """Return the summary of a rule: its subject and its requirement."""
    more = _("more than %(n)s instances") % {"n": rule["bulk_above"]} if rule["bulk_above"] else ""
    parts = (*map(title_of, rule["operations"]), *rule["attributes"], more, rule["approvers"])
    number = _("approvals: %(n)s") % {"n": rule["approvals"]}
    return rule["title"] or number, ", ".join(filter(None, (number, *parts)))


def policy_summary(rule: Mapping[str, Any]) -> tuple[str, str]:
    """Return the name of a policy, and what it does about what."""
    about = cause(rule["cause"]) if rule["cause"] not in ("", "TIMEOUT") else _("took too long")
    after = _("after %(time)s") % {"time": shown(rule["delay"])} if rule["delay"] else ""
    times = _("up to %(n)s times") % {"n": rule["times"]} if rule["times"] > 1 else ""
    parts = (about if rule["cause"] else "", rule["transition"], title_of(rule["operation"]), after, times)
    return rule["name"], ", ".join(filter(None, parts))


def link_summary(rule: Mapping[str, Any]) -> tuple[str, str]:
    """Return the label of a link, and its address."""
    return rule["label"], ", ".join(
        filter(None, (rule["url"], cause(rule["cause"]) if rule["cause"] else ""))
    )
