"""The people to whom a task can be given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Q

from flows.access import PREFIX, ROLE, SKILL
from flows.capabilities.tasks.errors import FormNotTaken

MOST = 200


def colleagues(audience: str, person: str) -> list[str]:
    """Return the user names of the others of an audience, at most `MOST`; superusers are in no role."""
    kind, _colon, name = audience.partition(":")
    if kind == "n":  # offered to some of a role
        kind, name = "r", name.partition(":")[2]
    groups = {
        "r": Q(groups__name=f"{ROLE}{name}"),
        "f": Q(groups__name__in=[f"{PREFIX}{name}:handle", f"{PREFIX}{name}:repair"])
        | Q(groups__permissions__codename__in=["handle_cases", "change_job"]),
    }
    if kind not in groups:
        return []
    users = get_user_model().objects.filter(is_active=True).exclude(username=person)
    role, plus, skill = name.rpartition("+ ")
    if kind == "r" and plus:  # those of a role who have a skill
        found = users.filter(groups__name=f"{SKILL}{skill}")
        found = found.filter(groups__name=f"{ROLE}{role.strip()}") if role else found
    else:
        found = users.filter(groups[kind])
    return list(found.order_by("username").values_list("username", flat=True).distinct()[:MOST])


def is_person(name: str) -> bool:
    """Return whether a person who may log in has this user name."""
    return bool(get_user_model().objects.filter(username=name, is_active=True).exists())


def check_people(form: Mapping[str, Any] | None, data: Mapping[str, Any], state: Mapping[str, Any]) -> None:
    """Check that fields of a form for a person have persons who may log in, where they are changed.

    Raises FormNotTaken, as the kernel does for what it checks: it knows no accounts.
    """
    fields = [each for section in (form or {}).get("sections", []) for each in section["fields"]]
    names = [str(each["attribute"]) for each in fields if each.get("kind") == "person" and each["writable"]]
    asked = [name for name in names if data.get(name) not in (None, "", state.get(name))]
    wrong = [name for name in asked if not (isinstance(data[name], str) and is_person(data[name][:200]))]
    if wrong:
        detail = json.dumps({"wrong": dict.fromkeys(wrong, "person"), "fields": wrong, "cells": {}})
        raise FormNotTaken(detail=detail)
