"""Helpers for tests of the tabs Versions and Publish."""

from __future__ import annotations

import html
import re
from typing import Any

from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from flows import api
from flows.models import Flow
from flows.tests.pages import unique
from flows.types import DraftAt


def address(tab: str, flow: str, query: str = "") -> str:
    return reverse(f"admin:flows_flow_{tab}", args=[Flow.objects.get(name=flow).pk]) + query


def text_of(page: Any) -> str:
    assert page.status_code == 200, page.status_code
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", page.content.decode()).split()))


def drafted(flow: str, predicate: str, actor: str = "alice") -> DraftAt:
    """Save a draft that changes the condition of the first rule; return its revision."""
    known = [draft for draft in api.drafts.list(flow) if draft.branch == "main"]
    draft = api.drafts.read(flow) if known else api.drafts.open(flow, actor=actor)
    draft.definition["triggers"][0]["predicate"] = predicate
    return api.drafts.save(draft.at, draft.definition, actor=actor).at


def publish(client: Client, flow: str, at: DraftAt, **more: str) -> str:
    data = {"do": "publish", "revision": str(at.revision), "reason": "because"} | more
    return text_of(client.post(address("publish", flow), data, follow=True))


def member(group: str) -> User:
    """Return a user with no other right than that of the group."""
    user = User.objects.create_user(unique("u"))
    user.groups.set([Group.objects.get_or_create(name=group)[0]])
    return user


def running(flow: str) -> str:
    return str(api.drafts.running_definition(flow)[1]["triggers"][0]["predicate"])
