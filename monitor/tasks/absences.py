"""When a user is away, and who may take the tasks that are for the user meanwhile."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy
from django.views.decorators.http import require_http_methods

from flows import api
from flows.access import masks
from flows.capabilities.tasks.people import is_person
from flows.errors import Refused
from pages.guard import page
from pages.urlparams import long_number


class AbsenceForm(forms.Form):
    """Who is the substitute, and on which days."""

    to = forms.CharField(label=lazy("Who does your tasks"), max_length=150, strip=True)
    begin = forms.DateField(label=lazy("First day"), widget=forms.DateInput({"type": "date"}))
    end = forms.DateField(label=lazy("Last day"), widget=forms.DateInput({"type": "date"}))

    def clean_to(self) -> str:
        """Check that the substitute may log in."""
        name = str(self.cleaned_data["to"])
        if not is_person(name):
            raise forms.ValidationError(_("There is no user “%(name)s” who may log in.") % {"name": name})
        return name


@require_http_methods(["GET", "HEAD", "POST"])
@page
@masks
def absences(request: HttpRequest) -> HttpResponse:
    """Show the absences of the user, and those in which the user is the substitute; save or remove one."""
    person = request.user.get_username()
    if request.method == "POST" and "remove" in request.POST:
        api.persons.delete_absence(person, long_number(request.POST["remove"]) or 0)
        messages.success(request, _("The absence is removed."))
        return HttpResponseRedirect(reverse("monitor:absences"))
    today = datetime.now(UTC).date()
    form = AbsenceForm(
        request.POST if request.method == "POST" else None,
        initial={"begin": today, "end": today + timedelta(days=7)},
    )
    if request.method == "POST" and form.is_valid():
        try:
            return _saved(request, person, form.cleaned_data)
        except Refused as refused:
            messages.error(request, str(refused))
    found = api.persons.absences(person)
    context = {
        "form": form,
        "rows": [(one, one.until_at - timedelta(seconds=1), one.person == person) for one in found],
    }
    return render(request, "monitor/tasks/absences.html", context)


def _saved(request: HttpRequest, person: str, given: dict[str, Any]) -> HttpResponse:
    """Save an absence from the begin of the first day to the end of the last one, in UTC."""
    begin = datetime.combine(given["begin"], datetime.min.time(), UTC)
    last = min(given["end"], date.max - timedelta(days=1))
    until = datetime.combine(last + timedelta(days=1), datetime.min.time(), UTC)
    api.persons.set_absence(person, given["to"], begin, until)
    messages.success(request, _("%(person)s may take your tasks on these days.") % {"person": given["to"]})
    return HttpResponseRedirect(reverse("monitor:absences"))
