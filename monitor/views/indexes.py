"""Request an index of an attribute, from the list that is slow without it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from flows import api
from flows.access import flow_or_404
from flows.errors import Refused
from monitor.indexing import designs
from pages.guard import page


@require_POST
@page
def request_index(request: HttpRequest, name: str) -> HttpResponse:
    """Request the index of the form's attribute, and lead back to the list."""
    flow = flow_or_404(request.user, name)
    if not designs(request.user, name):
        return HttpResponseForbidden(_("You may see this flow, but not change its indexes."))
    attribute = request.POST.get("attribute", "")[:63].replace("\x00", "")
    try:
        api.indexes.request(name, attribute, flows=[name], actor=request.user.get_username())
        messages.success(request, _("The index is requested. Until it is created, the list stays slow."))
    except Refused as refused:
        messages.error(request, refused.sentence)
    target = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure()):
        target = reverse("monitor:flow", args=[flow.name])
    return HttpResponseRedirect(target)
