"""Preferences for the pages, kept in cookies."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from pages.guard import page

THEMES = ("auto", "dark", "light")
YEAR = 365 * 24 * 3600


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Store light, dark or automatic in a cookie and redirect to the previous page."""
    target = request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure()):
        target = "/"
    response = HttpResponseRedirect(target)
    wanted = request.POST.get("theme", "")
    if wanted in THEMES:
        response.set_cookie(
            "theme", wanted, max_age=YEAR, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE
        )
    return response


@require_POST
@page
def tour(request: HttpRequest) -> HttpResponse:
    """Store in a cookie that the overview does not show the tour, and redirect to the overview."""
    response = HttpResponseRedirect(reverse("monitor:flows"))
    secure = settings.SESSION_COOKIE_SECURE
    response.set_cookie("tour", "off", max_age=YEAR, samesite="Lax", secure=secure, httponly=True)
    return response
