"""The URLs of a flow's pages, which the admin includes before its own."""

from __future__ import annotations

from django.urls import URLPattern, path

from flows.designer.draft.actions import draft
from flows.designer.editor import conditions
from flows.designer.editor.checks import checks
from flows.designer.editor.paste import paste
from flows.designer.editor.tabs import attributes, rules, settings
from flows.designer.editor.text import text
from flows.designer.editor.whatif import what_if
from flows.designer.editor.wsql import wsql
from flows.designer.flows import flows
from flows.designer.forms.form_tab import forms
from flows.designer.imports.page import import_process
from flows.designer.imports.pdl import pdl
from flows.designer.new import example, new
from flows.designer.picture.tab import picture
from flows.designer.publication.impact import impact
from flows.designer.publication.page import publish
from flows.designer.publication.versions import versions
from flows.designer.trial.scenarios import scenarios
from flows.designer.trial.tab import trial

# The pages that edit and try a draft, by their name and place below the address of the flow.
EDITING = {
    "rules": ("design/", rules),
    "attributes": ("design/attributes/", attributes),
    "forms": ("design/forms/", forms),
    "settings": ("design/settings/", settings),
    "text": ("design/text/", text),
    "paste": ("design/paste/", paste),
    "wsql": ("design/wsql/", wsql),
    "draft": ("design/draft/", draft),
    "try": ("try/", trial),
    "scenarios": ("scenarios/", scenarios),
}


def designer_urls() -> list[URLPattern]:
    """Return the URLs of the list of flows and of the tabs; the admin's own page of a flow is the last tab.

    A flow that was never published has no number: the pages of its draft have its name. Each view decides by
    `flows.access` who may see it; no user has to be staff.
    """
    editing = [
        path(f"{flow}/{place}", view, name=f"flows_flow_{prefix}{name}")
        for flow, prefix in (("<int:flow_id>", ""), ("new/<slug:name>", "new_"))
        for name, (place, view) in EDITING.items()
    ]
    return [
        path("", flows, name="flows_flow_changelist"),
        *editing,
        path("new/", new, name="flows_flow_new"),
        path("import/", import_process, name="flows_flow_import"),
        path("pdl/", pdl, name="flows_flow_new_pdl"),
        path("gallery/<slug:example>/", example, name="flows_flow_example"),
        path("conditions/check/", conditions.check, name="flows_flow_check_condition"),
        path("conditions/completions/", conditions.completions, name="flows_flow_completions"),
        path("<int:flow_id>/picture/", picture, name="flows_flow_picture"),
        path("<int:flow_id>/pdl/", pdl, name="flows_flow_pdl"),
        path("<int:flow_id>/what-if/", what_if, name="flows_flow_whatif"),
        path("<int:flow_id>/checks/", checks, name="flows_flow_checks"),
        path("new/<slug:name>/publish/", publish, name="flows_flow_new_publish"),
        path("<int:flow_id>/publish/", publish, name="flows_flow_publish"),
        path("<int:flow_id>/publish/impact/", impact, name="flows_flow_impact"),
        path("<int:flow_id>/versions/", versions, name="flows_flow_versions"),
    ]
