"""What users may do, as far as it decides which pages the header links."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from django.apps import apps
from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from flows.access import designs, may_add, may_manage_keys, may_manage_people, sees_everything, somewhere

# The models whose lists of the admin are linked, by area.
MODELS = {
    "watch": ("flows.instance", "flows.job", "flows.traceentry", "flows.joblog", "flows.conditionerror"),
    "system": (
        "auth.user", "auth.group", "flows.workerprocess", "axes.accessattempt", "axes.accesslog",
        "axes.accessfailurelog", "django_q.schedule", "django_q.success", "django_q.failure",
    ),
}  # fmt: skip


class Allowed(NamedTuple):
    """What the user may do, as far as it decides which pages are linked; each by the rule of flows.access."""

    designs: bool
    adds: bool
    handles: bool
    approves: bool
    is_staff: bool
    manages_people: bool
    manages_keys: bool
    sees_everything: bool
    models: frozenset[str]

    @classmethod
    def to(cls, request: HttpRequest) -> Allowed:
        """Return the answers for the user of a request."""
        user: Any = request.user
        return cls(
            designs(user), may_add(user), somewhere(user, "handle"), somewhere(user, "approve_repair"),
            user.is_staff, may_manage_people(user), may_manage_keys(user), sees_everything(user),
            _models(request) if user.is_staff else frozenset(),
        )  # fmt: skip


def _models(request: HttpRequest) -> frozenset[str]:
    """Return the models whose lists of the admin the user may open."""
    pages = {label: admin.site._registry.get(model_of(label)) for each in MODELS.values() for label in each}
    return frozenset(
        label
        for label, page in pages.items()
        if page and page.has_module_permission(request) and page.has_view_permission(request)
    )


@cache
def model_of(label: str) -> type[Model]:
    """Return the model with this label."""
    return apps.get_model(label)
