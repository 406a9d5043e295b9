"""A list that an address narrows to a flow that does not exist is no empty list."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from monitor.tests.conftest import Parcels

OTHERWISE = {"flows", "bulks", "live_flows", "overview"}
"""Pages that do not read it, beside others of their module that do."""
TASKS = {"tasks"}
"""Pages that read it by a module of their own."""


def pages() -> Iterator[tuple[str, Any]]:
    """Yield the names and views of the pages whose address has no argument."""
    for resolver in get_resolver().url_patterns:
        if isinstance(resolver, URLResolver) and resolver.namespace == "monitor":
            for each in resolver.url_patterns:
                if isinstance(each, URLPattern) and each.name and not each.pattern.converters:
                    yield each.name, each.callback


def reads_flow(view: Any) -> bool:
    """Return whether the module of a view reads `flow` of an address."""
    module = inspect.getmodule(inspect.unwrap(view))
    source = inspect.getsource(module) if module is not None else ""
    return 'text(request, "flow")' in source or re.search(r"named_flow(_ids)?\(request", source) is not None


@pytest.mark.parametrize("unknown", ["nope", "x" * 300, "a b"])
def test_a_page_that_is_narrowed_to_an_unknown_flow_says_so(
    parcels: Parcels, site: None, unknown: str
) -> None:
    client = Client()
    client.force_login(User.objects.filter(username="root").first() or User.objects.create_superuser("root"))
    silent, tried = [], 0
    for name, view in pages():
        if name in TASKS or (reads_flow(view) and name not in OTHERWISE):
            address = reverse(f"monitor:{name}")
            if client.get(f"{address}?flow={parcels.flow}").status_code == 200:
                tried += 1
                answer = client.get(address, {"flow": unknown})
                if answer.status_code != 404 and "You see no flow" not in answer.content.decode():
                    silent.append((name, answer.status_code))
    assert not silent
    assert tried >= 6
