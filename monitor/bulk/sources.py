"""The instances of a repair of many: of a group of cases, of a filter, or with a result in another repair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from flows.access import AnyUser, visible_flows
from flows.capabilities.bulk import queries as bulk_queries
from flows.capabilities.bulk.queries import Chosen
from flows.filters import parse
from flows.filters.grammar import MAX_TEXT
from flows.queries.definitions import FlowInfo
from monitor.bulk.choices import RESULT
from monitor.cases.rows import cause
from pages.urlparams import long_number

# What says which instances, in an address and in a form; flow is always given.
NAMES = ("flow", "cause", "signature", "queue", "q", "bulk", "result")
GROUP = ("cause", "signature", "queue")
# A group that the list of cases shows may have many signatures (monitor.cases.rows.group_rows).
_LONGEST = {"q": MAX_TEXT, "signature": 400}


@dataclass(frozen=True)
class Source:
    """The instances with the parameters by which they are found again.

    `titles` say what they have in common, `query` does so for the record; `back` is the list from which they
    are. `group` are the parts of a group of cases.
    """

    found: Chosen
    given: Mapping[str, str]
    titles: list[str]
    query: str
    back: str
    group: Mapping[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Return the query string by which the page has the same instances."""
        return urlencode(self.given)


def text_of(given: Mapping[str, str], name: str) -> str:
    """Return a parameter without what PostgreSQL rejects."""
    return given.get(name, "")[: _LONGEST.get(name, 200)].replace("\x00", "")


def group_of(given: Mapping[str, str]) -> dict[str, str]:
    """Return the parts of a group of cases that an address or a form names."""
    return {name: text for name in GROUP if (text := text_of(given, name))}


def of_flow(flow: str, group: Mapping[str, str]) -> str:
    """Return the text by which the record of an operation names a group of cases."""
    return " ".join(f"{name}:{text}" for name, text in {"flow": flow, **group}.items())


def source(user: AnyUser, flow: FlowInfo, given: Mapping[str, str]) -> Source:
    """Return the instances that an address or a form is about.

    Raises BadFilter; django.db.OperationalError (57014) if it takes too long, and django.db.DataError if
    PostgreSQL rejects a value of the filter.
    """
    kept = {name: text for name in NAMES if (text := text_of(given, name))} | {"flow": flow.name}
    if "q" in kept:
        return _of_filter(user, flow, kept)
    if "bulk" in kept:
        return _of_bulk(flow, kept)
    return _of_cases(flow, kept)


def _of_filter(user: AnyUser, flow: FlowInfo, kept: dict[str, str]) -> Source:
    chosen = parse(kept["q"], flow, timezone.get_current_timezone())
    found = bulk_queries.selected(bulk_queries.over(chosen, visible_flows(user)))
    text = chosen.text()
    back = f"{reverse('monitor:flow', args=[flow.name])}?{urlencode({'q': text})}"
    return Source(found, kept | {"q": text}, [text], f"flow:{flow.name} {text}", back)


def _of_bulk(flow: FlowInfo, kept: dict[str, str]) -> Source:
    number, result = long_number(kept["bulk"]) or 0, kept.get("result", "")
    found = bulk_queries.of_bulk(number, flow.name, result)
    titles = [_("Bulk operation %(id)s") % {"id": number}, str(RESULT.get(result, result))]
    back = f"{reverse('monitor:bulk', args=[number])}?{urlencode({'result': result})}"
    return Source(found, kept, titles, f"flow:{flow.name} bulk:{number} result:{result}", back)


def _of_cases(flow: FlowInfo, kept: dict[str, str]) -> Source:
    group = group_of(kept)
    found = bulk_queries.of_group(flow.name, **group)
    titles = [*([cause(kept["cause"])] if "cause" in kept else []), kept.get("queue", "")]
    back = f"{reverse('monitor:cases')}?{urlencode(kept)}"
    return Source(found, kept, [title for title in titles if title], of_flow(flow.name, group), back, group)
