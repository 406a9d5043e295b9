"""The log-in in two steps: the password, then the code or the set-up of a required factor."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib.admin import site
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth import login, views
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from wedsql_site.second_factor import backend, devices, forms, login_state, policy
from wedsql_site.second_factor.setup import SetUp

_SETUP = "log_in_setup"


class LogIn(views.LoginView):
    """The first step, and the only one for users without a second factor."""

    redirect_authenticated_user = True

    def form_valid(self, form: Any) -> HttpResponse:
        user = form.get_user()
        step = _next_step(user)
        if not step:
            return super().form_valid(form)
        login_state.begin(self.request, user)
        if step == "login_setup":
            self.request.session[_SETUP] = devices.begin(user).pk
        target = self.get_redirect_url()
        return redirect(reverse(step) + (f"?{urlencode({'next': target})}" if target else ""))


class AdminLogIn(LogIn):
    """The log-in at the admin's URL, where users without access to the admin can log in as another user."""

    authentication_form = AdminAuthenticationForm
    redirect_authenticated_user = False
    next_page = "admin:index"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if site.has_permission(request):
            return redirect("admin:index")
        return super().get(request, *args, **kwargs)


def _next_step(user: Any) -> str:
    """Return the name of the page that follows a right password; '' if there is none."""
    if not policy.is_offered():
        return ""
    if devices.factor_of(user) is not None:
        return "login_code"
    return "login_setup" if policy.is_required(user) else ""


def _complete(request: HttpRequest, user: Any) -> None:
    login_state.end(request)
    request.session.pop(_SETUP, None)
    login(request, user, backend=backend.PATH)


class LogInCode(views.LoginView):
    """The second step: the code."""

    template_name = "registration/login_code.html"
    form_class = forms.CodeForm  # type: ignore[assignment]
    person: User

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        found = login_state.user_of(request)
        if found is None:
            return redirect("login")
        self.person = found
        return super().dispatch(request, *args, **kwargs)

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"user": self.person}

    def get_form(self, form_class: Any = None) -> Any:
        form = super().get_form(form_class)
        form.fields["code"].widget.attrs["autofocus"] = True
        return form

    def form_valid(self, form: Any) -> HttpResponse:
        _complete(self.request, self.person)
        return redirect(self.get_success_url())


class LogInSetUp(views.RedirectURLMixin, SetUp):
    """The set-up during the log-in, if a second factor is required."""

    next_page = "/"

    def owner(self) -> tuple[Any, Any]:
        person = login_state.user_of(self.request)
        return person, person and devices.begun(person, self.request.session.get(_SETUP))

    def elsewhere(self) -> HttpResponse:
        return redirect("login")

    def done(self) -> str:
        _complete(self.request, self.person)
        return str(self.get_success_url())
