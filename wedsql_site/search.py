"""The search of the header: flows, instances, pages and actions that the user may open.

The page works without JavaScript; the palette (Ctrl-K) fetches the same results as JSON.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flows.access import listed_flows, may_add
from flows.designer.draft.tabs import TITLES
from flows.filters import BadFilter, parse
from flows.filters.fields import ATTRIBUTE, PARTS
from flows.filters.tree import WORD, Condition, conditions
from flows.queries import search as queries
from flows.queries import values
from flows.queries.base import snapshot
from flows.queries.search import FlowFound, InstanceFound
from flows.queries.values import ValueFound
from pages.guard import is_timeout, page
from pages.labels import STATUS
from pages.urlparams import text
from wedsql_site.navigation import areas

LONGEST = 100
SHORTEST_KEY = 2
PER_GROUP = 6
# As many are counted; of more it is said that there are more.
MOST_COUNTED = 201
MOST_LINKS = 12
NOT_FOUND = 9
# The place of the instances with a value among the groups.
AFTER_FLOWS = 3
TIMEOUT_MS = 1_000
# Flows whose tabs are among the results.
WITH_TABS = 3


@dataclass(frozen=True)
class Result:
    """One result: its title, more about it, and where it leads."""

    title: str
    about: str
    address: str


@dataclass(frozen=True)
class Group:
    """Results of one kind; `more` says how many of all are shown where there are others.

    `lists` are the lists of all of them.
    """

    title: str
    results: list[Result]
    more: str = ""
    lists: list[Result] = field(default_factory=list)


@require_safe
@page
def search(request: HttpRequest) -> HttpResponse:
    """Return the page with the form and the results for `q`."""
    wanted = asked(request)
    groups, note = found(request, wanted)
    context = {"wanted": wanted, "groups": groups, "note": note, "longest": LONGEST}
    return render(request, "site/search.html", context)


@require_safe
@page
def results(request: HttpRequest) -> HttpResponse:
    """Return the results for `q` as JSON."""
    groups, note = found(request, asked(request))
    return JsonResponse({"groups": [_listed(group) for group in groups], "note": note})


def _listed(group: Group) -> dict[str, Any]:
    """Return a group as the palette shows it: the lists are results, too."""
    title = f"{group.title} · {group.more}" if group.more else group.title
    return {"title": title, "results": [asdict(each) for each in (*group.results, *group.lists)]}


def asked(request: HttpRequest) -> str:
    """Return the typed text, cut to the longest that is searched for."""
    return " ".join(unicodedata.normalize("NFC", text(request, "q"))[:LONGEST].split())


def found(request: HttpRequest, wanted: str) -> tuple[list[Group], str]:
    """Return the groups that have results, without a text the pages and actions, and what was searched."""
    with snapshot(TIMEOUT_MS):
        seen = queries.flows(listed_flows(request.user))
        groups = [
            Group(_("List of instances"), list(_filtered(seen, wanted))),
            _instances(seen, wanted) if wanted else Group(_("Instances"), []),
            Group(_("Flows"), [_flow(each) for each in best(seen, wanted)[:PER_GROUP]] if wanted else []),
            Group(_("Actions"), _limited(_actions(request, seen, wanted), wanted)),
            Group(_("Pages"), _limited(_pages(request), wanted)),
        ]
    if len(wanted) >= SHORTEST_KEY:
        having, note = _with_value(seen, wanted)
        groups.insert(AFTER_FLOWS, having)
    else:
        note = ""
    return [group for group in groups if group.results], note


def best(flows: Iterable[FlowFound], wanted: str) -> list[FlowFound]:
    """Return the flows whose name or label has the text, those that begin with it first."""
    ranked = [(rank(wanted, flow.name, flow.title), flow.name, flow) for flow in flows]
    return [flow for place, _name, flow in sorted(ranked, key=lambda each: each[:2]) if place < NOT_FOUND]


def rank(wanted: str, *names: str) -> int:
    """Return how well the text fits: 0 for a whole name, then its beginning, a word, any part of it."""
    text, folded = wanted.casefold(), [name.casefold() for name in names]
    fits = (
        text in folded,
        any(name.startswith(text) for name in folded),
        any(f" {text}" in name for name in folded),
        any(text in name for name in folded),
    )
    return fits.index(True) if True in fits else NOT_FOUND


def _filtered(seen: list[FlowFound], wanted: str) -> Iterator[Result]:
    """Yield the list of instances if the text is a filter of which the flows have all attributes."""
    try:
        tree = parse(wanted).tree
    except BadFilter:
        return
    named = {each.field for each in conditions(tree)} - {WORD}
    attributes = {name.removeprefix(ATTRIBUTE) for name in named - PARTS.keys()}
    if named and attributes <= queries.attributes(attributes, seen):
        yield _list(wanted, _("All instances that the filter finds"))


def _list(query: str, about: str) -> Result:
    return Result(query, about, f"{reverse('monitor:instances')}?{urlencode({'q': query})}")


def _instances(seen: list[FlowFound], wanted: str) -> Group:
    """Return the instances with that number, start key or business key, the newest of these first."""
    found = queries.by_number(int(wanted), seen) if wanted.isascii() and wanted.isdigit() else []
    found += queries.by_start_key(wanted, seen)
    if len(wanted) >= SHORTEST_KEY:
        found += queries.by_business_key(wanted, seen, MOST_COUNTED)
    titles = {flow.id: flow.title for flow in seen}
    first = list({each.wid: each for each in reversed(found)}.values())[::-1]
    results = [_instance(each, titles[each.flow_id]) for each in first[:PER_GROUP]]
    names = sorted({each.aname for each in found if each.aname})
    lists = [_list(Condition(name, "^", (wanted,)).text(), _("All that begin with it")) for name in names]
    return Group(_("Instances"), results, _more(first), lists if len(first) > PER_GROUP else [])


def _more(found: Sequence[object]) -> str:
    """Return how many of those that were found are shown, "" if these are all."""
    if len(found) <= PER_GROUP:
        return ""
    if len(found) >= MOST_COUNTED:
        return _("%(shown)s of more than %(n)s") % {"shown": PER_GROUP, "n": MOST_COUNTED - 1}
    return _("%(shown)s of %(n)s") % {"shown": PER_GROUP, "n": len(found)}


def _instance(found: InstanceFound, flow: str) -> Result:
    title = _("Instance %(wid)s") % {"wid": found.wid}
    status = str(STATUS.get(found.status, found.status))
    about = " · ".join(part for part in (found.key, flow, status) if part)
    return Result(title, about, reverse("monitor:instance", args=[found.wid]))


def _with_value(seen: list[FlowFound], wanted: str) -> tuple[Group, str]:
    """Return the newest instances with the value in an attribute, the lists of all, and what was searched."""
    title = _("Instances with this value")
    try:
        with snapshot(TIMEOUT_MS):
            found = values.by_value(wanted, seen, MOST_COUNTED)
    except OperationalError as error:
        if not is_timeout(error):
            raise
        return Group(title, []), _("The search for instances with this value took too long and was stopped.")
    titles = {flow.id: flow.title for flow in seen}
    results = [_having(each, titles[each.flow_id]) for each in found[:PER_GROUP]]
    queries_of = list(dict.fromkeys(each.query for each in found))[:MOST_LINKS]
    lists = [_list(query, _("All instances with this value")) for query in queries_of]
    return Group(title, results, _more(found), lists), _searched(len(seen))


def _having(found: ValueFound, flow: str) -> Result:
    status = str(STATUS.get(found.status, found.status))
    about = " · ".join((found.query, flow, status))
    title = _("Instance %(wid)s") % {"wid": found.wid}
    return Result(title, about, reverse("monitor:instance", args=[found.wid]))


def _searched(flows: int) -> str:
    """Return among which instances a value is searched for."""
    n = number_format(values.NEWEST, use_l10n=True, force_grouping=True)
    if flows > values.MOST_FLOWS:
        text = _("Values were searched in the newest %(n)s instances of each of the first %(flows)s flows.")
        return text % {"n": n, "flows": values.MOST_FLOWS}
    return _("Values were searched in the newest %(n)s instances of each flow.") % {"n": n}


def _flow(flow: FlowFound) -> Result:
    about = _("Instances and work queue") if flow.title == flow.name else flow.name
    return Result(flow.title, about, reverse("monitor:flow", args=[flow.name]))


def _actions(request: HttpRequest, seen: list[FlowFound], wanted: str) -> Iterator[Result]:
    """Yield what the user may do: with the flows of which a word of the text is the name, and without one."""
    named = {flow.id: flow for word in wanted.split() for flow in best(seen, word)[:WITH_TABS]}
    for flow in list(named.values())[:WITH_TABS]:
        for name, title in TITLES.items():
            if name != "change":
                address = reverse(f"admin:flows_flow_{name}", args=[flow.id])
                yield Result(f"{flow.title}: {title}", _("Definition"), address)
    if may_add(request.user):
        yield Result(_("New flow"), _("Design"), reverse("admin:flows_flow_new"))
    yield Result(_("Change password"), "", reverse("password_change"))


def _pages(request: HttpRequest) -> Iterator[Result]:
    for area in areas(request):
        yield from (Result(f"{area.title}: {link.title}", link.about, link.address) for link in area.links)


def _limited(results: Iterable[Result], wanted: str) -> list[Result]:
    """Return the results that have every word of the text."""
    words = wanted.casefold().split()
    return [each for each in results if all(word in each.title.casefold() for word in words)][:MOST_LINKS]
