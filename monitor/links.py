"""Links of cases to other systems: templates of addresses, into which values of the state are put."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlsplit

from django.db import transaction

from flows.capabilities.cases.api import Case
from flows.designer.trial.values import as_text
from flows.errors import BadCase
from flows.queries.definitions import FlowInfo
from flows.queries.statements import Prepared
from monitor.models import CaseLink

MOST, LONGEST = 20, 1000
_PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_links = Prepared(
    lambda: (
        CaseLink.objects.filter(flow_id=0)
        .filter(cause__in=["", "cause", "reason"])
        .order_by("position")
        .values_list("label", "url")
    )
)
_CAUSE = re.compile(r"[A-Za-z0-9_-]{0,40}")


def links_of(flow: FlowInfo, case: Case, state: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return label and address of each link for a case whose values are there and shown to the user."""
    found = _links.rows(flow.id, "", case.cause, case.reason_code)
    made = ((label, address(url, flow, case.wid, state)) for label, url in found)
    return [(label, url) for label, url in made if url]


def address(url: str, flow: FlowInfo, wid: int, state: Mapping[str, Any]) -> str:
    """Return the address with its values, percent-encoded; "" where one is missing, concealed or dots."""
    values = {
        name: str(wid) if name == "wid" else as_text(state.get(name)) if flow.shows(name) else ""
        for name in _PLACE.findall(url)
    }
    if any(value in ("", "''", ".", "..") for value in values.values()):
        return ""
    return _PLACE.sub(lambda place: quote(values[place[1]], safe=""), url)


def save_links(flow: FlowInfo, given: Sequence[Mapping[str, Any]]) -> None:
    """Replace the links of a flow by those of a list of label, url and cause. Raises BadCase."""
    if len(given) > MOST:
        raise BadCase(f"A flow has at most {MOST} links.", hint="Use fewer links.")
    for one in given:
        _check(flow, one)
    with transaction.atomic():
        CaseLink.objects.filter(flow_id=flow.id).delete()
        CaseLink.objects.bulk_create(
            CaseLink(
                flow_id=flow.id, position=n, label=one["label"], url=one["url"], cause=one.get("cause", "")
            )
            for n, one in enumerate(given)
        )


def _check(flow: FlowInfo, given: Mapping[str, Any]) -> None:
    """Raise BadCase if a link is not one."""
    if not isinstance(given, Mapping) or set(given) - {"label", "url", "cause"}:
        raise BadCase("A link has label, url and cause.", hint="See docs/cases.md for an example.")
    label, url, cause = (given.get(name, "") for name in ("label", "url", "cause"))
    if not all(isinstance(each, str) for each in (label, url, cause)):
        raise BadCase("Label, url and cause of a link are texts.", hint="See docs/cases.md for an example.")
    if not 0 < len(label.strip()) <= 80 or "\x00" in label or not _CAUSE.fullmatch(cause):
        raise BadCase("A link needs a label, and a cause or reason code if any.", hint="Correct the link.")
    _check_address(flow, url)


def _check_address(flow: FlowInfo, url: str) -> None:
    """Raise BadCase for an address that could lead elsewhere than it is written."""
    plain = _PLACE.sub("x", url)
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    place = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+([/?#][!-~]*)?")
    if not good or len(url) > LONGEST or set("{}\\") & set(plain) or not place.fullmatch(url):
        hint = "Write http:// or https://, the host as it is, and {attribute} in the path or query only."
        raise BadCase(f"“{url[:200]}” is no address of a link.", hint=hint)
    unknown = next((n for n in _PLACE.findall(url) if n != "wid" and flow.attribute(n) is None), None)
    if unknown:
        raise BadCase(f"The flow has no attribute “{unknown}”.", hint="Name one of its attributes.")
