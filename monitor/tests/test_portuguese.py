"""Every page in Portuguese, searched for the English texts of the product's own catalogues."""

from __future__ import annotations

import gettext
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from axes.models import AccessFailureLog
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from flows.labels import CONTEXT
from flows.models import Flow
from monitor.tests.conftest import HERE, Parcels, client_of, text_of
from workers.demo.definitions import LABELS

BASE = Path(settings.BASE_DIR)
APPS = ("", "flows/", "wedsql_site/", "workers/", "workers/demo/")
# Words that Portuguese has too, and names of things (`seen` and `lost` are of the flow).
SHARED = {
    "English",
    "seen",
    "lost",
    "Total",
    "total",
    "status",
    "Status",
    "id",
    "JSON",
    "cron",
    "Cron",
    "role",
}
SHORTEST = 4
# What stands before the labels of definitions in a catalogue.
LABEL = f"{CONTEXT}\x04"


def english() -> dict[str, str]:
    """Return the texts of the catalogues that differ in Portuguese, without those with placeholders."""
    found: dict[str, str] = {}
    for app in APPS:
        with (BASE / app / "locale/pt_BR/LC_MESSAGES/django.mo").open("rb") as file:
            for key, text in vars(gettext.GNUTranslations(file))["_catalog"].items():
                found[(key[0] if isinstance(key, tuple) else key).removeprefix(LABEL)] = text
    plain = {key: text for key, text in found.items() if not re.search(r"[%#]", key)}
    return {key: text for key, text in plain.items() if len(key) >= SHORTEST and key != text} | {
        key: text for key, text in found.items() if key in LABELS.values()
    }


def prose(html: str, stored: set[str]) -> str:
    """Return the visible text, without code, values and what is stored as a person typed it."""
    for pattern in (
        r"<(code|pre|ins|del)\b.*?</\1>",
        r'<(\w+)\b[^>]*class="[^"]*\bmono\b[^"]*"[^>]*>.*?</\1>',
        r'<div class="small">[^<]*</div>',  # the author of a step
    ):
        html = re.sub(pattern, " ", html, flags=re.DOTALL)
    titles = " . ".join(re.findall(r'(?:title|aria-label|placeholder|data-label)="([^"]*)"', html))
    text = unescape(f"{text_of(html)} . {titles}")
    # The longest first: a label can begin with another one.
    return re.sub("|".join(map(re.escape, sorted(stored, key=len, reverse=True))), " ", text)


def pages(parcels: Parcels, wid: int) -> Iterator[str]:
    yield from (
        "/",
        f"/flows/{parcels.flow}/",
        f"/instances/{wid}/",
        f"/instances/{wid}/?view=timeline",
        f"/instances/{wid}/steps/3/",
        "/counted/?of=late",
        "/workers/",
        "/health/",
        "/nope/",
        "/admin/",
        "/accounts/security/",
        "/accounts/password/",
    )
    yield f"/flows/{parcels.flow}/?a=weight&op=eq&v=x&a=stage&op=eq&v=lost&status=E"
    yield from (f"/flows/{parcels.flow}/jobs/?state={state}" for state in ("pending", "late", "parked"))
    for model in admin.site._registry:
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        yield reverse(f"admin:{name}_changelist")
        yield reverse(f"admin:{name}_changelist") + "?q=99999999"
        yield from [reverse(f"admin:{name}_add")] if name == "flows_flow" else []
    yield reverse("admin:flows_flow_change", args=[parcels.flow_id])
    yield reverse("admin:flows_instance_change", args=[wid])


@pytest.fixture
def ana(parcels: Parcels, site: None) -> Client:
    """A superuser who reads Portuguese."""
    client = client_of(User.objects.create_superuser("ana" + HERE))
    client.cookies["django_language"] = "pt-br"
    return client


def test_no_page_shows_english_texts_that_are_translated(ana: Client, parcels: Parcels) -> None:
    wid, other = parcels.start(customer="Ana", fragile=True), parcels.start()
    parcels.make_exception(wid)
    parcels.park("tr_label", other, "x")
    AccessFailureLog.objects.all().delete()  # the library shows those of other tests in English
    # The lists of the admin show labels as they are stored, also those of flows that other tests left.
    labels = Flow.objects.exclude(label="").values_list("label", flat=True)
    stored = set(LABELS.values()) | set(labels)
    searched = english().keys() - SHARED - stored
    patterns = {key: re.compile(rf"(?<![\w/-]){re.escape(key)}(?![\w-])") for key in searched}
    assert len(patterns) > 400
    left = {}
    for path in pages(parcels, wid):
        html = ana.get(path).content.decode()
        text = prose(html, stored)
        assert 'lang="pt-br"' in html, path
        there = (key for key in patterns if key in text)  # much faster than a pattern
        if found := sorted(key for key in there if patterns[key].search(text)):
            left[path] = [text[max(0, patterns[k].search(text).start() - 60) :][:120] for k in found]
    assert left == {}


def test_the_demo_is_labelled_in_portuguese() -> None:
    known = english()
    files = (BASE / "workers/demo/flows").glob("*.sql")
    quoted = {
        label for file in files for label in re.findall(r"'((?:[A-Z][a-z]+)(?: [a-z]+)+)'", file.read_text())
    }
    assert len(quoted) > 10
    assert (quoted | set(LABELS.values())) - known.keys() == set()
