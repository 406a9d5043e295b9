"""The URLs of the site."""

from django.contrib import admin
from django.contrib.auth import views as auth
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView

from monitor.api.site import api
from pages.views import styleguide
from wedsql_site import search
from wedsql_site.accounts import people, tokens, worker_keys
from wedsql_site.second_factor import login, views
from wedsql_site.web.attempts import PasswordChangeView

admin.autodiscover()


def _icon(request: HttpRequest) -> HttpResponse:
    """Redirect from the URL where browsers look for the icon."""
    return redirect(static("wedsql_site/mark.svg"))


urlpatterns = [
    # The admin's own page would not count wrong old passwords.
    path("admin/password_change/", RedirectView.as_view(pattern_name="password_change")),
    # The admin's own log-in would not ask for a code.
    path("admin/login/", login.AdminLogIn.as_view()),
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    path("accounts/login/", login.LogIn.as_view(), name="login"),
    path("accounts/login/code/", login.LogInCode.as_view(), name="login_code"),
    path("accounts/login/setup/", login.LogInSetUp.as_view(), name="login_setup"),
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
    path("accounts/tokens/", tokens.account_tokens, name="tokens"),
    path("workers/keys/", worker_keys.worker_keys, name="worker_keys"),
    path("people/", people.people, name="people"),
    path("people/<int:person>/", people.someone, name="person"),
    path("accounts/security/", views.security, name="security"),
    path("accounts/security/setup/", views.setup, name="security_setup"),
    path("search/", search.search, name="search"),
    path("search/results/", search.results, name="search_results"),
    path("favicon.ico", _icon),
    path("styleguide/", styleguide),
    path("api/v1/", api.urls),
    path("", include("monitor.urls")),
]

handler400 = "pages.error_pages.bad_request"
handler403 = "pages.error_pages.forbidden"
handler404 = "pages.error_pages.not_found"
handler500 = "pages.error_pages.server_error"
