"""The URLs of a flow's pages, which the admin includes before its own."""

from __future__ import annotations

from django.contrib.admin import AdminSite
from django.urls import URLPattern, path

from flows.designer.picture import picture
from flows.designer.trial import trial


def designer_urls(site: AdminSite) -> list[URLPattern]:
    """Return the URLs of the tabs; the admin's own page of a flow is the first tab."""
    return [
        path("<int:flow_id>/picture/", site.admin_view(picture), name="flows_flow_picture"),
        path("<int:flow_id>/try/", site.admin_view(trial), name="flows_flow_try"),
    ]
