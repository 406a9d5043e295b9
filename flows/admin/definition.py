"""The admin page of a flow with its attributes and triggers, saved in one transaction."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.models import LogEntry
from django.db import DatabaseError, connection, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from flows import api
from flows.admin.definition_rows import DefinitionSave
from flows.admin.forms import (
    AttributeForm,
    DatabaseErrorFormSet,
    FlowForm,
    TriggerForm,
    TriggerFormSet,
    stale_version_error,
)
from flows.admin.layout import FORM_FIELDS, TRIGGER_FIELDS, fieldsets
from flows.admin.refusals import Refusal, SaveRefused, refusal
from flows.admin.rights import DesignRights
from flows.definition import FLOW, TRIGGER, AnyDefinition
from flows.designer.draft.content import design_of
from flows.designer.draft.tabs import MOST_ITEMS, address, tabs
from flows.designer.urls import designer_urls
from flows.errors import Refused
from flows.models import Attribute, Flow, Instance, Trigger
from flows.operations.design import run_deferred_triggers
from flows.users.holdings import confirmed

TOO_MANY = gettext_lazy(
    "The form with everything at once is for flows with up to %(most)s attributes and rules. Change this one "
    "here, or as a whole under Text."
)
NOTHING_SAVED = gettext_lazy("Nothing was saved. Correct what is marked below, then save again.")


class AttributeInline(admin.TabularInline):
    """The attributes, one per line."""

    model = Attribute
    form = AttributeForm
    formset = DatabaseErrorFormSet
    formfield_overrides = FORM_FIELDS

    def get_extra(self, request: HttpRequest, obj: Flow | None = None, **kwargs: Any) -> int:
        return 1 if obj else 3


class TriggerInline(admin.StackedInline):
    """The triggers; options that few flows need are collapsed."""

    model = Trigger
    form = TriggerForm
    formset = TriggerFormSet
    formfield_overrides = TRIGGER_FIELDS
    fieldsets = fieldsets(TRIGGER)

    def get_extra(self, request: HttpRequest, obj: Flow | None = None, **kwargs: Any) -> int:
        return 1 if obj else 4


def _has_too_many_items(flow_id: str) -> bool:
    if not (flow_id.isascii() and flow_id.isdigit() and len(flow_id) < 10):
        return False
    return sum(part.objects.filter(flow=int(flow_id)).count() for part in (Attribute, Trigger)) > MOST_ITEMS


@admin.register(Flow)
class FlowAdmin(DesignRights, admin.ModelAdmin):
    """The form of a whole flow; each save is one transaction. The list of flows is flows.designer.flows."""

    form = FlowForm
    inlines = (AttributeInline, TriggerInline)
    formfield_overrides = FORM_FIELDS
    fieldsets = fieldsets(FLOW, before=("name",), after=("reason", "held", "seen_version"))

    class Media:
        css = {"all": ("pages/tabs.css", "flows/admin.css")}

    def get_urls(self) -> list[URLPattern]:
        return designer_urls() + super().get_urls()

    def get_readonly_fields(self, request: HttpRequest, obj: Flow | None = None) -> tuple[str, ...]:
        return ("name",) if obj else ()

    # Saving in one transaction, with the database's errors shown on the page

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        """Save in one transaction; if the database rejects it, show the same content with the errors."""
        if request.method != "POST":
            if object_id and _has_too_many_items(object_id):
                messages.info(request, TOO_MANY % {"most": MOST_ITEMS})
                return HttpResponseRedirect(address("rules", int(object_id)))
            return super().changeform_view(request, object_id, form_url, extra_context)
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except SaveRefused as refused:
            refusals = refused.refusals
        except DatabaseError as error:
            refusals = {"": refusal(error, Flow)}
        refusals.setdefault("", Refusal(None, str(NOTHING_SAVED)))
        request.wed_refusals = refusals  # type: ignore[attr-defined]
        return super().changeform_view(request, object_id, form_url, extra_context)

    def render_change_form(
        self,
        request: HttpRequest,
        context: dict[str, Any],
        add: bool = False,
        change: bool = False,
        form_url: str = "",
        obj: Flow | None = None,
    ) -> HttpResponse:
        """Show the tabs of the flow above the form."""
        if obj:
            context["tabs"] = tabs(request.user, design_of(request, obj.pk, None), "change")
        return super().render_change_form(request, context, add, change, form_url, obj)

    def get_form(
        self, request: HttpRequest, obj: Flow | None = None, change: bool = False, **kwargs: Any
    ) -> Any:
        form: Any = super().get_form(request, obj, change=change, **kwargs)
        form.refusal = getattr(request, "wed_refusals", {}).get("")  # the class is created for each request
        return form

    def get_formset_kwargs(self, request: HttpRequest, obj: Flow, inline: Any, prefix: str) -> dict[str, Any]:
        kwargs = super().get_formset_kwargs(request, obj, inline, prefix)
        return {**kwargs, "refusals": getattr(request, "wed_refusals", {})}

    def save_model(self, request: HttpRequest, obj: Flow, form: Any, change: bool) -> None:
        """Write the flow's row, of which `save_related` makes a draft; the kernel creates a new flow."""
        request.wed_before = transaction.savepoint()  # type: ignore[attr-defined]
        set_audit_context(request, form.cleaned_data.get("reason", ""))
        try:
            if change:
                self._check_version(obj, form)
            else:
                obj.pk = api.flows.create(obj.name)
            fields = [name for name in form.changed_data if name in _columns(Flow) and name != "name"]
            if fields:
                obj.save(force_update=True, update_fields=fields)
        except (DatabaseError, Refused) as error:
            raise SaveRefused({"": refusal(error, Flow)}) from error
        obj.refresh_from_db(fields=["version"])

    def _check_version(self, obj: Flow, form: Any) -> None:
        Flow.objects.select_for_update(no_key=True).order_by().filter(pk=obj.pk).first()
        refused = stale_version_error(obj, form.cleaned_data.get("seen_version"))
        if refused:
            raise SaveRefused({"": refused})

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Write the other rows, and submit what they define as a draft that is published like any other."""
        DefinitionSave(form.instance, formsets).run()
        written = api.drafts.running_definition(form.instance.name)[1]
        transaction.savepoint_rollback(request.wed_before)  # type: ignore[attr-defined]
        if change and written == api.drafts.running_definition(form.instance.name)[1]:
            return
        try:
            with confirmed(form.cleaned_data.get("held") or 0):
                self._submit(request, form.instance, written, form.cleaned_data.get("reason", ""))
            run_deferred_triggers(connection)
        except (DatabaseError, Refused) as error:
            raise SaveRefused({"": refusal(error, Flow)}) from error

    def _submit(self, request: HttpRequest, flow: Flow, definition: AnyDefinition, reason: str) -> None:
        actor = request.user.get_username()
        done = api.publications.submit(flow.name, definition, reason=reason, actor=actor, numbered=True)
        flow.pk = Flow.objects.values_list("pk", flat=True).get(name=flow.name)
        if done.version is None:
            text = _("Publication %(id)s waits for approval.") % {"id": done.id}
            messages.warning(request, text)

    def construct_change_message(
        self, request: HttpRequest, form: Any, formsets: Any, add: bool = False
    ) -> Any:
        message = super().construct_change_message(request, form, formsets, add)
        reason = form.cleaned_data.get("reason")
        if not reason:
            return message
        return f"{reason}: {LogEntry(change_message=json.dumps(message)).get_change_message()}"

    # Deleting

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[list[str], dict, set, list[str]]:
        """Return the objects that are deleted with the flows; a flow that has instances is protected."""
        flows = list(objs)
        kept = [_instances_kept(flow) for flow in flows if Instance.objects.filter(flow=flow).exists()]
        counts = {
            Attribute._meta.verbose_name_plural: Attribute.objects.filter(flow__in=flows).count(),
            Trigger._meta.verbose_name_plural: Trigger.objects.filter(flow__in=flows).count(),
        }
        return [flow.name for flow in flows], counts, set(), kept

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        try:
            return super().delete_view(request, object_id, extra_context)
        except (DatabaseError, Refused) as error:
            refused = refusal(error, Flow)
        self.message_user(request, f"{refused.message} {refused.hint}".strip(), messages.ERROR)
        return HttpResponseRedirect(reverse(f"{self.admin_site.name}:flows_flow_change", args=(object_id,)))

    def delete_model(self, request: HttpRequest, obj: Flow) -> None:
        set_audit_context(request, "")
        api.flows.drop(obj.name)


def set_audit_context(request: HttpRequest, reason: str) -> None:
    """Set the actor and the reason that the kernel records, for the rest of the transaction."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select set_config('wedsql.actor', %s, true), set_config('wedsql.reason', %s, true)",
            [request.user.get_username(), reason],
        )


def _columns(model: Any) -> set[str]:
    return {field.name for field in model._meta.concrete_fields}


def _instances_kept(flow: Flow) -> str:
    return _("Flow %(flow)s has instances; their history would be lost.") % {"flow": flow.name}
