"""Packages as the client gets them: the parts of the connected page, rendered by its templates."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string

from flows.capabilities.offline.api import OfflinePackage
from flows.designer import form_layout as layout
from flows.queries.definitions import FlowInfo
from monitor.cases.uploads import limits
from monitor.tasks import forms
from monitor.tasks.rows import row


def package_of(request: HttpRequest, flow: FlowInfo, found: OfflinePackage) -> dict[str, Any]:
    """Return the form of a task with what it is about, the trees of its conditions, and its tokens."""
    fields = forms.asked(flow, found, forms.proposed(found))
    shown = row(found, flow)
    context = {
        "task": found,
        "row": shown,
        "fields": fields,
        "sections": forms.laid_out(flow, found, fields),
        "about": forms.about(flow, found),
        "outcomes": [name for name in found.outcomes if name != "FAILED"],
        "files_at": "",
        "shown": forms.as_shown(forms.asked(flow, found)),
    }
    return {
        "task": found.job_id,
        "version": found.version,
        "claim": found.claim,
        "seq": found.seq,
        "title": str(shown.title),
        "flow": str(shown.flow_title),
        "key": str(shown.key or ""),
        "instance": found.wid,
        "due_at": found.due_at,
        "file_most": limits().size,
        "html": render_to_string("monitor/offline/package.html", context, request),
        "conditions": layout.for_browser(found.form, flow, found.state_of) if found.form else None,
    }
