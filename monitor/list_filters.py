"""The filter of a list in its address, and what a page needs to show and change it.

`q` has the text of the filter. `status` and the triples `a`, `op`, `v` add conditions; with `part`, the first
triple, or the text `condition`, replaces that place of the filter (monitor.pills), and the address is written
again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from flows import json_text
from flows.access import AnyUser, may, may_handle, somewhere
from flows.definition.option_labels import option_meant
from flows.filters import EMPTY, BadFilter, Filter, parse
from flows.filters.fields import ATTRIBUTE, Field, fields
from flows.filters.grammar import MAX_TEXT, read
from flows.filters.translation import codes, condition, status
from flows.filters.tree import Node, all_of
from flows.queries.definitions import FlowInfo
from monitor.labels import VIEW, VIEWS, field_title, value_title
from monitor.lists import columns as list_columns
from monitor.pills import changed, pills, rewritten
from monitor.urlparams import oldest_first
from pages.labels import OPERATOR
from pages.urlparams import text

TRIPLE = ("a", "op", "v")
ADDRESS = ("q", "status", "part", "condition", *TRIPLE)
MAX_TRIPLES = 8


@dataclass(frozen=True)
class Asked:
    """What the address asks for: the filter, or the error of its text."""

    text: str
    chosen: Filter
    error: BadFilter | None = None
    edited: bool = False

    @property
    def marked(self) -> tuple[str, str, str]:
        """Return the text before the error, in it, and after it."""
        at, length = (self.error.position, max(self.error.length, 1)) if self.error else (len(self.text), 0)
        return self.text[:at], self.text[at : at + length], self.text[at + length :]


def asked(request: HttpRequest, flow: FlowInfo | None = None) -> Asked:
    """Return the filter of the address; call it outside of a read-only transaction."""
    wanted, written = text(request, "q"), text(request, "condition").replace("\r\n", "\n")
    try:
        if written:
            wanted = rewritten(read(wanted), text(request, "part"), written)
        tree = _tree(request, wanted, flow)
        if tree != read(wanted):  # something was added, so that places are those of the canonical text
            wanted = tree.text() if tree else ""
        chosen = parse(wanted, flow, timezone.get_current_timezone())
    except BadFilter as error:
        return Asked(wanted[: MAX_TEXT + 100], EMPTY.for_flow(flow) if flow else EMPTY, error)
    return Asked(chosen.text(), chosen, edited="part" in request.GET)


def _tree(request: HttpRequest, wanted: str, flow: FlowInfo | None) -> Node | None:
    """Return the tree of `q` with what the other parameters add to it."""
    tree, added = read(wanted), [condition(*_meant(each, flow), flow) for each in _triples(request)]
    place = text(request, "part")
    if place and not text(request, "condition"):
        tree = changed(tree, place, added[0] if added else None)
        added = added[1:]
    return all_of(status(request.GET.get("status", "")), tree, *added)


def _meant(triple: tuple[str, str, str], flow: FlowInfo | None) -> tuple[str, str, str]:
    """Return a triple with the option whose label a person typed."""
    name, operator, value = triple
    attribute = flow.attribute(name.removeprefix(ATTRIBUTE)) if flow else None
    return name, operator, option_meant(attribute.type, value) if attribute else value


def _triples(request: HttpRequest) -> list[tuple[str, str, str]]:
    names, ops, values = (request.GET.getlist(name) for name in TRIPLE)
    ops, values = [*ops, *["eq"] * len(names)], [*values, *[""] * len(names)]
    found = [(n, o, v.replace("\x00", "")) for n, o, v in zip(names, ops, values, strict=False) if n]
    return found[:MAX_TRIPLES]


def address(request: HttpRequest, chosen: str, *dropped: str) -> str:
    """Return the query string of the same list with another filter, from its first page."""
    rest = request.GET.copy()
    for name in (*ADDRESS, "before", "after", "exact", "wids", "top", *dropped):
        rest.pop(name, None)
    kept = [(name, value) for name, values in rest.lists() for value in values]
    return urlencode([*([("q", chosen)] if chosen else []), *kept])


def choices(flow: FlowInfo | None, offered: Sequence[Field] | None = None) -> list[dict[str, object]]:
    """Return the fields that a form offers (None: all), with their titles, operators and values."""
    return [
        {
            "name": each.written,
            "title": field_title(each),
            "codes": " ".join(codes(each)),
            "kind": each.kind,
            "choices": json_text.encode([[one, value_title(each, one)] for one in each.choices]),
        }
        for each in (fields(flow) if offered is None else offered)
        if codes(each)
    ]


def operable(user: AnyUser, flow: FlowInfo | None) -> bool:
    """Return whether the user may do something to many instances of the flow, or of any one."""
    if flow is None:
        return somewhere(user, "operate", "handle", "repair")
    return may(user, "operate", flow.name) or may_handle(user, flow.name)


def repair_query(user: AnyUser, flow: FlowInfo | None, found: Asked) -> str:
    """Return the query string of a repair of the instances of a list; "" where the user may repair none."""
    if flow is None or not may_handle(user, flow.name):
        return ""
    return urlencode({"flow": flow.name, "q": found.text or "status:exception"})


def form(request: HttpRequest, found: Asked, flow: FlowInfo | None) -> dict[str, object]:
    """Return the context of the part filters.html of a list."""
    paged = request.GET.get("before") or request.GET.get("after")
    return {
        "operators": OPERATOR.items(),
        "fields": choices(flow),
        "values_address": values_address(flow),
        "pills": pills(found.chosen, flow, lambda chosen: "?" + address(request, chosen)),
        "first_page": not paged and not oldest_first(request),
        "same_list": address(request, found.text),
        "file_query": _file_query(request, found.text, flow),
        "default_views": [(str(VIEW[code]), query) for code, query in VIEWS.items()],
        "operable": operable(request.user, flow),
        "repair_query": repair_query(request.user, flow, found),
        "kept": [(name, request.GET[name]) for name in ("columns", "sort", "at") if name in request.GET],
        "cleared": urlencode({"at": request.GET["at"]}) if "at" in request.GET else "",
    }


def list_form(
    request: HttpRequest, found: Asked, flow: FlowInfo | None, offered: Sequence[Field], names: Sequence[str]
) -> dict[str, object]:
    """Return the context of the filter of a list of cases or jobs, whose address keeps these parameters."""
    rest = kept(request, names)

    def address(chosen: str) -> str:
        return "?" + query_of(chosen, rest)

    return {
        "asked": found,
        "operators": OPERATOR.items(),
        "fields": choices(flow, offered),
        "values_address": values_address(flow),
        "pills": pills(found.chosen, flow, address),
        "kept": rest,
        "cleared": urlencode(rest),
    }


def kept(request: HttpRequest, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the parameters of these names that the address has."""
    columns = ",".join(list_columns.of_address(request))
    found = [(name, columns if name == "columns" else text(request, name)) for name in names]
    return [(name, each) for name, each in found if each]


def values_address(flow: FlowInfo | None) -> str:
    """Return the address of the values that a form offers for a field, which its script adds."""
    query = urlencode([*([("flow", flow.name)] if flow else []), ("field", "")])
    return f"{reverse('monitor:field_values')}?{query}"


def query_of(chosen: str, rest: Sequence[tuple[str, str]]) -> str:
    """Return the query string of a list with a filter and other parameters."""
    return urlencode([*([("q", chosen)] if chosen else []), *rest])


def without_form(request: HttpRequest, found: Asked, names: Sequence[str]) -> str:
    """Return the address of the list with the changed filter as text."""
    return f"{request.path}?{query_of(found.text, kept(request, names))}"


def _file_query(request: HttpRequest, chosen: str, flow: FlowInfo | None) -> str:
    """Return the query string of a file with the rows of the list, of what a file reads only."""
    names = ("columns", "sort") if flow else ("sort",)
    kept = [(name, request.GET[name]) for name in names if name in request.GET]
    return urlencode([*([("q", chosen)] if chosen else []), *kept])
