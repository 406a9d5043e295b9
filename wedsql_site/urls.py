"""Every address of the site."""

from django.contrib import admin
from django.contrib.auth import views as auth
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView

from wedsql_site.attempts import PasswordChangeView


def _icon(request: HttpRequest) -> HttpResponse:
    """The icon under the address where browsers look for it."""
    return redirect(static("wedsql_site/mark.svg"))


urlpatterns = [
    # The admin's own page would not count wrong old passwords.
    path("admin/password_change/", RedirectView.as_view(pattern_name="password_change")),
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    path("accounts/login/", auth.LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("accounts/logout/", auth.LogoutView.as_view(), name="logout"),
    path(
        "accounts/password/",
        PasswordChangeView.as_view(),
        name="password_change",
    ),
    path(
        "accounts/password/done/",
        auth.PasswordChangeDoneView.as_view(template_name="registration/password_changed.html"),
        name="password_change_done",
    ),
    path("favicon.ico", _icon),
    path("", include("monitor.urls")),
]

handler400 = "monitor.guard.bad_request"
handler403 = "monitor.guard.forbidden"
handler404 = "monitor.guard.not_found"
handler500 = "monitor.guard.server_error"
