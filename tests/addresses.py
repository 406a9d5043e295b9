"""Every URL of the site, from the resolver, so that new pages are tested without being listed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RoutePattern

from monitor.urls import urlpatterns

SAMPLES = {
    "int": "1",
    "slug": "nothing",
    "str": "nothing",
    "path": "1",
    "uuid": "00000000-0000-0000-0000-000000000000",
}


def patterns() -> Iterator[tuple[str, URLPattern]]:
    """Yield each route of the site as text, with converters in angle brackets, and its pattern."""
    yield from _below("", get_resolver())


def _below(prefix: str, resolver: URLResolver) -> Iterator[tuple[str, URLPattern]]:
    for entry in resolver.url_patterns:
        route = prefix + text_of(entry)
        if isinstance(entry, URLResolver):
            yield from _below(route, entry)
        else:
            yield route, entry


def text_of(entry: URLPattern | URLResolver) -> str:
    """Return the route of an entry as text; '' for a regular expression."""
    return str(entry.pattern) if isinstance(entry.pattern, RoutePattern) else ""


def filled(route: str, pattern: URLPattern, values: dict[str, str] | None = None) -> str:
    """Return a URL of this route; parameters not in `values` get a sample of their type."""
    return "/" + _filled(route, values or {})


def _filled(route: str, values: dict[str, str]) -> str:
    before, opened, rest = route.partition("<")
    if not opened:
        return before
    parameter, _, behind = rest.partition(">")
    kind, _, name = parameter.rpartition(":")
    return before + values.get(name, SAMPLES.get(kind or "str", "nothing")) + _filled(behind, values)


def parameters(route: str) -> list[str]:
    """Return the names of the parameters of a route."""
    return [part.partition(">")[0].rpartition(":")[2] for part in route.split("<")[1:]]


# Routes of the monitor that are no page of their own: parts, downloads, actions, probes.
NO_PAGE = re.compile(
    "live_.*|export.*|.*_json|healthz|readyz|metrics|theme|tour|delete_view|operate_alert|operate_webhook"
    "|operate_device|next_case|change_case|decide|draft|undo|look|attach_file|case_file|remove_file"
    "|request_index|rematch|check|steps|next_task|take_tasks|release_tasks|give_tasks|place_task|choose_tasks"
    "|change_task|move_message|unread|offline|offline_.*|task_file|instance_file|field_values"
)


def monitor_pages() -> set[str]:
    """Return the view names of the monitor's pages."""
    names = (str(pattern.name) for pattern in urlpatterns)
    return {f"monitor:{name}" for name in names if not NO_PAGE.fullmatch(name)}


def all_addresses() -> list[str]:
    """Return one URL for each route."""
    return [filled(route, pattern) for route, pattern in patterns()]
