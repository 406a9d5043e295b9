"""Helpers for the page of a flow in the admin: define and change a flow."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse

from flows.models import Flow
from flows.tests.pages import all_errors, figure_two, opened, unique

ADD = "/admin/flows/flow/add/"


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page(name: str) -> str:
    return reverse("admin:flows_flow_change", args=(Flow.objects.get(name=name).pk,))


_blank: dict[str, str] = {}


def blank(client: Client) -> dict[str, str]:
    """Return the fields of the page for a new flow, which is opened once: they are the same for everybody."""
    _blank.update(_blank or opened(client, ADD))
    return dict(_blank)


def define(client: Client, **more: str) -> str:
    """Define the flow of figure 2 on the page for a new one."""
    name = unique()
    response = client.post(ADD, blank(client) | figure_two(name) | more)
    assert response.status_code == 302, all_errors(response)
    return name


def change(client: Client, name: str, **typed: str | None) -> Any:
    """Open the flow's page, change the fields and save; None clears a check box."""
    fields = opened(client, page(name)) | {key: value for key, value in typed.items() if value is not None}
    for key in (key for key, value in typed.items() if value is None):
        fields.pop(key, None)
    return client.post(page(name), fields)


def row_of(client: Client, name: str, inline: str, value: str) -> int:
    fields = opened(client, page(name))
    return next(
        int(key.split("-")[1])
        for key, shown in fields.items()
        if key.startswith(f"{inline}-") and shown == value
    )


def fourth(name: str) -> dict[str, str]:
    """Return the fields of a fourth attribute, added to the three."""
    given = {"name": name, "type": "text", "visibility": "everyone"}
    return {f"attributes-3-{field}": text for field, text in given.items()} | {"attributes-TOTAL_FORMS": "4"}


def columns(name: str) -> dict[str, tuple[str, str | None]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "select column_name, data_type, column_default from information_schema.columns"
            " where table_schema = %s and table_name = 'wed_flow' and column_name <> 'wid'",
            [name],
        )
        return {column: (kind, default) for column, kind, default in cursor.fetchall()}


def schema_exists(name: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("select to_regnamespace(%s) is not null", [name])
        return cursor.fetchone()[0]
