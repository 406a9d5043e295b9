"""Rules for all pages: landmarks, headings, labels, contrast, a strict policy, two languages."""

from __future__ import annotations

import itertools
import re
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import resolve
from django.utils import translation

from flows import api
from flows.capabilities.alerts.api import AlertRule
from flows.capabilities.approvals.api import ApprovalRule
from flows.capabilities.bulk.api import BulkRequest
from flows.capabilities.moves.api import Peer
from flows.capabilities.webhooks.api import Webhook
from flows.definition import ATTRIBUTE
from monitor.tests.conftest import Parcels, client_of, person, text_of
from monitor.tests.test_overview import count
from pages import labels
from testkit.cases import some
from tests.addresses import monitor_pages

PAGES = (
    "/",
    "/flows/{f}/",
    "/flows/{f}/?a=weight&op=eq&v=x",
    "/flows/{f}/?q=weight:1+customer~a+(pieces:1+or+no:extra)&sort=id",
    "/instances/",
    "/bulk/",
    "/bulk/{b}/",
    "/bulk/new/?q=status:running+flow:{f}",
    "/instances/?q=status:running+weight:1",
    "/?at={t}",
    "/flows/{f}/?at={t}",
    "/flows/{f}/?at=x",
    "/flows/{f}/picture/?at={t}",
    "/flows/{f}/jobs/",
    "/flows/{f}/picture/",
    "/flows/{f}/diagram/",
    "/flows/{f}/analysis/",
    "/flows/{f}/analysis/steps/?transition=tr_pack",
    "/instances/{w}/",
    "/instances/{w}/?view=timeline",
    "/instances/{w}/?view=tree",
    "/instances/{w}/steps/2/?compare=1",
    "/?trend=week",
    "/counted/?of=pending",
    "/counted/?of=late",
    "/instances/{w}/why/",
    "/instances/{w}/children/",
    "/instances/{w}/repair/",
    "/api/v1/docs/",
    "/instances/{w}/cancel/",
    "/instances/{w}/operate/suspend/",
    "/flows/{f}/start/",
    "/flows/{f}/start/csv/",
    "/views/",
    "/exceptions/",
    "/errors/",
    "/errors/{e}/",
    "/errors/?flow={f}&window=day&sort=most",
    "/cases/",
    "/cases/repair/?flow={f}&cause=STUCK&signature=",
    "/cases/?show=closed",
    "/cases/reports/",
    "/cases/{c}/rule/",
    "/cases/approvals/",
    "/cases/delegations/",
    "/cases/digests/",
    "/tasks/",
    "/tasks/{j}/",
    "/messages/",
    "/tasks/absences/",
    "/tasks/mails/",
    "/instances/{w}/tasks/",
    "/cases/proposals/{p}/",
    "/alerts/",
    "/alerts/{r}/",
    "/alerts/{r}/change/",
    "/flows/{f}/alerts/new/",
    "/flows/{f}/webhooks/",
    "/flows/{f}/webhooks/new/",
    "/webhooks/{k}/",
    "/webhooks/{k}/change/",
    "/flows/{f}/audit/",
    "/flows/{f}/signals/",
    "/flows/{f}/locks/",
    "/moves/",
    "/moves/{m}/",
    "/instances/{w}/hand-over/",
    "/flows/{f}/audit/?kind=changes",
    "/flows/{f}/case-rules/?kind=links",
    "/flows/{f}/case-rules/edit/?kind=queues",
    "/flows/{f}/case-rules/edit/?kind=approvals",
    "/flows/{f}/slas/",
    "/flows/{f}/slas/edit/",
    "/flows/{f}/calendars/edit/",
    "/workers/",
    "/devices/",
    "/devices/{d}/",
    "/controls/",
    "/health/",
    "/nope/",
)
VOID = {"meta", "link", "img", "input", "br", "hr", "wbr", "use", "path", "rect", "circle"}


def test_every_page_of_the_monitor_is_looked_at() -> None:
    move = "00000000-0000-0000-0000-000000000000"
    known = {
        "f": "f",
        "w": 1,
        "m": move,
        "b": 1,
        "r": 1,
        "k": 1,
        "p": 1,
        "e": 1,
        "c": 1,
        "j": 1,
        "t": "",
        "d": 1,
    }
    paths = [path.partition("?")[0].format(**known) for path in PAGES if path != "/nope/"]
    assert monitor_pages() - {resolve(path).view_name for path in paths} == set(), "add its address to PAGES"


@pytest.mark.parametrize("language", ["en", "pt-br"])
def test_a_type_of_an_attribute_has_the_same_name_on_pages_as_in_the_designer(language: str) -> None:
    with translation.override(language):
        named, chosen = (
            {k: str(v) for k, v in each.items()} for each in (labels.TYPE, ATTRIBUTE["type"].choices)
        )

    assert named == chosen


class Outline(HTMLParser):
    """Collects what a screen reader uses."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.labelled: list[dict[str, str | None]] = []
        self.unlabelled: list[dict[str, str | None]] = []
        self.feed(html)
        self.close()
        fors = {found["for"] for found in self.all("label") if "for" in found}
        self.unlabelled = [found for found in self.unlabelled if found.get("id") not in fors]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        if tag in ("input", "select", "textarea") and found.get("type") != "hidden":
            named = "label" in self.open or "aria-label" in found
            (self.labelled if named else self.unlabelled).append(found)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open and self.open.pop() == tag, f"</{tag}> closes something else"

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [found for name, found in self.tags if name == tag]


@pytest.fixture
def olga(site: None) -> Client:
    """An operator who is staff, and may open every page of the monitor."""
    olga = person("olga", staff=True, permission="change_instance")
    rights = ("change_job", "change_instance", "change_flow", "reveal_values", "move_instances")
    olga.user_permissions.set(Permission.objects.filter(codename__in=rights))
    return client_of(olga)


def served(client: Client, parcels: Parcels, wid: int, pages: Iterable[str] = PAGES) -> dict[str, str]:
    """Return the text of these pages, all of which the user may open."""
    request = BulkRequest("suspend", "The reaper does not run here.")
    bulk = api.bulk.request(request, [wid], expected=1, conn=parcels.connection)
    counted = AlertRule("Packed", "count", ">", 1, "status:running", mail=["ana@example.org"])
    rule = api.alerts.save_rule(parcels.flow, counted, "olga", conn=parcels.connection)
    webhook = Webhook("https://example.org/", secret="quiet", query="pieces>5", attributes=["customer"])
    hook = api.webhooks.save(parcels.flow, webhook, "olga", conn=parcels.connection)
    api.webhooks.send_test_message(hook.id, conn=parcels.connection)
    rules = [ApprovalRule(1, "Starting again", ("branch",))]
    api.approvals.save_rules(parcels.flow, rules, "olga", conn=parcels.connection)
    made = api.approvals.propose(wid, "branch", {"seq": 1}, "x", actor="bea", conn=parcels.connection)
    case = proposing_case(parcels)
    device = api.offline.device_seen("olga", "phone-of-a-technician", conn=parcels.connection).device
    numbers = {"w": wid, "d": device, "b": bulk.id, "r": rule.id, "k": hook.id, "p": made.number, "c": case}
    numbers["j"] = open_task(parcels)
    numbers["e"] = failure(parcels)
    offered = offer(parcels)
    moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    answers = {
        path: client.get(path.format(f=parcels.flow, t=moment, m=offered, **numbers)) for path in pages
    }
    parcels.connection.execute("delete from wedsql.bulk")
    for table in ("move", "move_peer", "installation"):
        parcels.connection.execute(f"delete from wedsql.{table}")
    statuses = {path: found.status_code for path, found in answers.items()}
    assert statuses == dict.fromkeys(answers, 200) | ({"/nope/": 404} if "/nope/" in answers else {})
    return {path: found.content.decode() for path, found in answers.items()}


def offer(parcels: Parcels) -> str:
    """Return the number of a move, of an instance that is offered to another installation."""
    own = api.moves.create_identity("here", conn=parcels.connection)
    other = Peer("5b0d5c1e-8f0e-4f6a-9a55-0c6f2f4a7c11", "ship", own.public_key, None, ("*",))
    api.moves.save_peer(other, "olga", conn=parcels.connection)
    return api.moves.hand_over(parcels.start(), "ship", "x", actor="olga", conn=parcels.connection).id


def failure(parcels: Parcels) -> int:
    """Return the number of an error that occurred."""
    parcels.connection.execute(
        "insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, message)"
        " values (1, %s, 1, %s, 'tr_pack', wedsql.now(), 'failed', 'Torn: box 7')",
        [parcels.start(), parcels.flow_id],
    )
    count(parcels)
    found = "select min(failure_id) from wedsql.failure_flow where flow_id = %s"
    return int(parcels._one(found, parcels.flow_id))


def open_task(parcels: Parcels) -> int:
    """Return the number of a task, of a rule that people perform."""
    parcels.connection.execute(
        f"insert into {parcels.flow}.wed_trig (trname, cpred, performer, role)"
        " values ('tr_look', $$pieces = 77$$, 'person', 'Looker')"
    )
    (task,) = api.tasks.of_instance(parcels.start(pieces=77), conn=parcels.connection)
    return task.job_id


def proposing_case(parcels: Parcels) -> int:
    """Return the number of a case for which a rule is proposed."""
    for _each in range(2):
        parcels.make_exception(wid := parcels.start())
        api.repairs.repair(wid, "patch", {"changes": {"stage": "sent"}}, "x", conn=parcels.connection)
    api.cases.sign(conn=parcels.connection)
    return api.cases.list([parcels.flow], {"wid": wid}, closed=True, conn=parcels.connection)[0].number


@pytest.fixture(scope="module")
def drawn() -> dict[str, tuple[str, Outline]]:
    return {}


@pytest.fixture
def outlines(
    olga: Client, parcels: Parcels, drawn: dict[str, tuple[str, Outline]]
) -> dict[str, tuple[str, Outline]]:
    """The text of each page with its outline, read once for all tests of this file."""
    if not drawn:
        wid = parcels.start(customer="Ana")
        parcels.do("tr_pack", wid, stage="packed")
        drawn |= {path: (html, Outline(html)) for path, html in served(olga, parcels, wid).items()}
    return drawn


def test_landmarks_headings_labels_and_names(outlines: dict[str, tuple[str, Outline]]) -> None:
    for path, (html, page) in outlines.items():
        assert page.open == [], path
        assert len(page.all("main")) == len(page.all("header")) == len(page.all("footer")) == 1, path
        assert page.all("html")[0]["lang"] == "en" and page.all("title"), path
        assert page.unlabelled == [], path
        levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
        assert levels[0] == 1 and levels.count(1) == 1, path
        assert all(b - a <= 1 for a, b in itertools.pairwise(levels)), (path, levels)
        ids = [found["id"] for _, found in page.tags if found.get("id")]
        assert len(ids) == len(set(ids)), path
        for nav in page.all("nav"):
            assert nav.get("aria-label"), path
        for table in page.all("table"):
            assert html.count("<caption") >= len(page.all("table")), (path, table)
        assert all("alt" in image for image in page.all("img")), path
        assert re.search(r'<body[^>]*>\s*<a class="skip" href="#main">', html), path
        for name in re.findall(r"<(?:button|a)\b[^>]*>(.*?)</(?:button|a)>", html, flags=re.DOTALL):
            assert text_of(name).strip() or "alt=" in name, (path, name)


def test_every_reference_by_id_has_its_target(outlines: dict[str, tuple[str, Outline]]) -> None:
    for path, (_html, page) in outlines.items():
        ids = {found["id"] for _, found in page.tags if found.get("id")}
        for _, found in page.tags:
            for name in ("aria-labelledby", "aria-describedby", "for", "list"):
                assert set((found.get(name) or "").split()) <= ids, (path, name)


def test_nothing_needs_more_than_our_own_files(outlines: dict[str, tuple[str, Outline]]) -> None:
    for path, (html, page) in outlines.items():
        # Data for a script is no script.
        scripts = [found for found in page.all("script") if found.get("type") != "application/json"]
        assert not page.all("style") and all(found.get("src") for found in scripts), path
        for _, found in page.tags:
            assert "style" not in found and not [k for k in found if k.startswith("on")], path
        assert not re.findall(r'(?:src|href)="(?:https?:)?//', html), path


TEXT = [("ink", "bg"), ("ink", "surface"), ("ink", "raised"), ("muted", "bg"), ("muted", "surface"),
        ("muted", "raised"), ("main", "surface"), ("main", "bg"), ("main", "main-soft"),
        ("on-main", "main"), ("ink", "main-soft"), ("r-ink", "r-bg"), ("f-ink", "f-bg"),
        ("e-ink", "e-bg"), ("s-ink", "s-bg"), ("x-ink", "x-bg"), ("w-ink", "w-bg"),
        ("e-ink", "surface"), ("w-ink", "surface"), ("e-ink", "bg")]  # fmt: skip
SHAPES = [
    ("line-strong", "surface"),
    ("line-strong", "bg"),
    ("focus", "bg"),
    ("focus", "surface"),
    ("focus", "main-soft"),
]


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def themes() -> list[dict[str, str]]:
    """Return the colours of the light theme and of the dark one."""
    css = Path(str(finders.find("pages/tokens.css"))).read_text()
    pairs = re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", css)
    return [{name: light for name, light, _ in pairs}, {name: dark for name, _, dark in pairs}]


def test_text_has_contrast_in_every_theme() -> None:
    for theme in themes():
        low = {pair: round(contrast(theme[pair[0]], theme[pair[1]]), 2) for pair in TEXT}
        assert not {pair: ratio for pair, ratio in low.items() if ratio < 4.5}
        shapes = {pair: round(contrast(theme[pair[0]], theme[pair[1]]), 2) for pair in SHAPES}
        assert not {pair: ratio for pair, ratio in shapes.items() if ratio < 3}


def test_motion_and_print_are_respected() -> None:
    css = "".join(
        path.read_text() for path in Path(str(finders.find("pages/tokens.css"))).parent.glob("*.css")
    )
    assert "prefers-reduced-motion: reduce" in css and "@media print" in css and ":focus-visible" in css
    assert "http" not in css and "@import" not in css


def test_the_theme_is_remembered_and_goes_back_where_one_was(alice: Client, parcels: Parcels) -> None:
    answer = alice.post("/theme/", {"theme": "dark", "next": f"/flows/{parcels.flow}/"})
    assert answer["Location"] == f"/flows/{parcels.flow}/" and answer.cookies["theme"].value == "dark"
    assert b'data-theme="dark"' in alice.get("/").content
    answer = alice.post("/theme/", {"theme": "<script>", "next": "//evil.example/"})
    assert answer["Location"] == "/" and "theme" not in answer.cookies
    alice.cookies["theme"] = '"><script>'
    assert b'data-theme="auto"' in alice.get("/").content


def test_the_whole_page_is_in_portuguese(olga: Client, parcels: Parcels) -> None:
    """In short runs every second page, the first one among them."""
    wid = parcels.start()
    parcels.make_exception(wid)
    olga.post("/i18n/setlang/", {"language": "pt-br", "next": "/"})
    for path, page in served(olga, parcels, wid, some(PAGES, 2)).items():
        assert '<html lang="pt-br"' in page, path
        html = re.sub(r'<(\w+)[^>]* lang="en".*?</\1>', "", page, flags=re.DOTALL)  # marked as English
        assert not re.search(
            r"\b(Flows|Pending|Running|Workers|Instance|History|Skip|since|ago)\b", text_of(html)
        ), path
    assert "Exceção" in olga.get("/").content.decode()


def catalogue(directory: str) -> dict[str, str]:
    path = Path(settings.BASE_DIR) / directory / "pt_BR/LC_MESSAGES/django.po"
    text = path.read_text(encoding="utf-8")
    assert "#, fuzzy" not in text.split('msgid ""', 2)[-1]
    plain = subprocess.run(["msgfmt", "--check", "-o", "-", str(path)], capture_output=True, check=False)
    assert plain.returncode == 0, plain.stderr.decode()
    return {"mo": plain.stdout.hex(), "stored": path.with_suffix(".mo").read_bytes().hex(), "po": text}


@pytest.mark.parametrize("directory", ["locale", "wedsql_site/locale"])
def test_the_catalogue_is_complete_and_compiled(directory: str) -> None:
    found = catalogue(directory)
    assert found["mo"] == found["stored"], "run django-admin compilemessages"
    untranslated = re.findall(r'msgid "(.+)"\nmsgstr ""\n(?!")', found["po"])
    assert untranslated == []
