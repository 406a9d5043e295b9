"""The URLs of a flow's pages, which the admin includes before its own."""

from __future__ import annotations

from django.contrib.admin import AdminSite
from django.urls import URLPattern, path

from flows.designer import conditions
from flows.designer.actions import draft
from flows.designer.checks import checks
from flows.designer.editing import attributes, rules, settings
from flows.designer.new import new
from flows.designer.picture import picture
from flows.designer.publishing import impact, publish
from flows.designer.trial import trial
from flows.designer.versions import versions

# The pages that edit a draft, by their name and place below the address of the flow.
EDITING = {
    "rules": ("design/", rules),
    "attributes": ("design/attributes/", attributes),
    "settings": ("design/settings/", settings),
    "draft": ("design/draft/", draft),
}


def designer_urls(site: AdminSite) -> list[URLPattern]:
    """Return the URLs of the tabs; the admin's own page of a flow is the last tab.

    A flow that was never published has no number: the pages of its draft have its name.
    """
    editing = [
        path(f"{flow}/{place}", site.admin_view(view), name=f"flows_flow_{prefix}{name}")
        for flow, prefix in (("<int:flow_id>", ""), ("new/<slug:name>", "new_"))
        for name, (place, view) in EDITING.items()
    ]
    return [
        *editing,
        path("new/", site.admin_view(new), name="flows_flow_new"),
        path("conditions/check/", site.admin_view(conditions.check), name="flows_flow_check_condition"),
        path(
            "conditions/completions/",
            site.admin_view(conditions.completions, cacheable=True),
            name="flows_flow_completions",
        ),
        path("<int:flow_id>/picture/", site.admin_view(picture), name="flows_flow_picture"),
        path("<int:flow_id>/try/", site.admin_view(trial), name="flows_flow_try"),
        path("<int:flow_id>/checks/", site.admin_view(checks), name="flows_flow_checks"),
        path("new/<slug:name>/publish/", site.admin_view(publish), name="flows_flow_new_publish"),
        path("<int:flow_id>/publish/", site.admin_view(publish), name="flows_flow_publish"),
        path("<int:flow_id>/publish/impact/", site.admin_view(impact), name="flows_flow_impact"),
        path("<int:flow_id>/versions/", site.admin_view(versions), name="flows_flow_versions"),
    ]
