"""Each form that creates something creates one thing, however often it is sent."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone

from flows import api
from flows.tests.pages import Form
from monitor.cases.tests.test_cases_page import case_of
from monitor.tests.conftest import Parcels, client_of, get, person, text_of
from pages.models import SentForm
from pages.once import FIELD, KEPT

TEMPLATES = Path(settings.BASE_DIR) / "templates"
FORM = re.compile(r"<form\b[^>]*method=\"post\".*?</form>", re.DOTALL)
TOKEN = re.compile(r'{% once %}|name="token"')
# The forms without a token, with what prevents that one creates two things.
UNIQUE = {
    "a name of its own": {
        "admin/flows/designer/parts/new_form.html", "admin/flows/designer/paste.html",
        "monitor/alerts/form.html", "monitor/sla/calendar_form.html", "monitor/sla/form.html",
        "monitor/views.html", "site/worker_keys.html",
    },
    "one of each: a digest of a queue, a rule of a row, an index of an attribute": {
        "monitor/cases/digests.html", "monitor/parts/index_offers.html", "monitor/parts/tour.html",
    },
    "the revision, version or list that it was made from": {
        "admin/flows/designer/conflicts.html", "admin/flows/designer/discard.html",
        "admin/flows/designer/import.html", "admin/flows/designer/parts/bar.html",
        "admin/flows/designer/parts/finding.html", "admin/flows/designer/parts/order.html",
        "admin/flows/designer/parts/panel.html", "admin/flows/designer/parts/requests.html",
        "admin/flows/designer/parts/form_editor.html", "admin/flows/designer/parts/publish_form.html",
        "admin/flows/designer/pdl.html",
        "admin/flows/designer/parts/scenario_list.html",
        "admin/flows/designer/settings.html", "admin/flows/designer/text.html",
        "admin/flows/designer/try.html", "admin/flows/designer/versions.html",
        "admin/flows/designer/wsql.html", "monitor/desk_rule.html", "monitor/desk_rules.html",
        "monitor/recovery/proposed_rule.html",
    },
    "it changes what is there: an instance, a job, a case, a proposal, a rule": {
        "monitor/alerts/alert.html", "monitor/bulk/operation.html", "monitor/cancel.html",
        "monitor/cases/list.html", "monitor/cases/case.html",
        "monitor/operate.html", "monitor/cases/wait.html", "monitor/parts/head.html",
        "monitor/parts/health_invariants.html", "monitor/looks/masked.html", "monitor/approvals/about.html",
        "monitor/recovery/undo.html", "monitor/recovery/undo_confirm.html", "monitor/webhooks/webhook.html",
        "monitor/offline/device.html",
    },
    "the same one again is the one that there is": {
        "monitor/tasks/absences.html", "monitor/tasks/mails.html", "monitor/tasks/tools.html",
        "monitor/moves/list.html", "monitor/moves/move.html",
    },
    "it changes a task, and completing it twice is completing it once": {
        "monitor/tasks/messages.html", "monitor/tasks/settings.html",
        "monitor/tasks/task.html", "monitor/tasks/team.html", "monitor/tasks/rows.html",
    },
    "the account, its session or its settings": {
        "registration/_log_in_form.html", "registration/account.html", "registration/change_password.html",
        "site/people.html", "site/person.html",
        "registration/security.html", "registration/security_setup.html", "site/account_menu.html",
        "site/language.html", "site/theme.html",
    },
}  # fmt: skip


def test_every_form_has_a_token_or_a_reason_not_to_need_one() -> None:
    forms = {
        str(path.relative_to(TEMPLATES)): FORM.findall(path.read_text(encoding="utf-8"))
        for path in TEMPLATES.rglob("*.html")
    }
    have = {name for name, found in forms.items() if any(map(TOKEN.search, found))}
    excused = set().union(*UNIQUE.values())
    to_do = "name it in UNIQUE, by the reason, or write {% once %} into it and @once before its view"
    assert {name for name, found in forms.items() if found} - have == excused, to_do
    assert have == {
        "monitor/bulk/new.html", "monitor/approvals/delegations.html", "monitor/cases/more.html",
        "monitor/cases/files.html", "monitor/parts/start_results.html", "monitor/recovery/repair.html",
        "monitor/bulk/repair.html", "monitor/signals/list.html", "monitor/start.html",
        "monitor/start_csv.html", "monitor/webhooks/form.html", "monitor/tasks/list.html",
        "monitor/moves/hand_over.html", "registration/tokens.html",
    }, "name it here, and test below that it creates one thing"  # fmt: skip


@pytest.fixture
def user(parcels: Parcels, site: None) -> Client:
    actions = ("operate", "repair", "handle", "design", "approve_repair")
    return client_of(person("ana", *(f"flow:{parcels.flow}:{each}" for each in actions)))


def twice(client: Client, place: str, count: Callable[[], int], action: str = "", **typed: Any) -> Any:
    """Send the form of a page twice, as Back and Send again do; it creates one thing."""
    page = get(client, place)
    html = next(each for each in FORM.findall(page) if f'name="{FIELD}"' in each)
    fields = Form(html).fields | typed
    before = count()
    first = client.post(action or place, fields)
    assert count() == before + 1, text_of(first.content.decode())[:2000]
    second = client.post(action or place, fields, follow=True)
    assert count() == before + 1
    assert "This form was sent before" in second.content.decode()
    again = Form(next(each for each in FORM.findall(get(client, place)) if f'name="{FIELD}"' in each)).fields
    assert again[FIELD] != fields[FIELD], "a form that is opened again creates another"
    return first


def test_a_webhook_and_a_delegation(user: Client, parcels: Parcels) -> None:
    hook = {"url": "https://example.org/", "final": "on"}
    made = twice(user, f"/flows/{parcels.flow}/webhooks/new/",
                 lambda: len(api.webhooks.list([parcels.flow])), **hook)  # fmt: skip
    assert made.status_code == 302
    asked = {"flow": parcels.flow, "to": person("bob", f"flow:{parcels.flow}").get_username()}
    twice(user, "/cases/delegations/", lambda: len(api.approvals.list_delegations([parcels.flow])), **asked)


def test_a_comment_and_a_file_of_a_case(user: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    parcels.make_exception(wid)
    number = case_of(wid).number

    def comments() -> int:
        return sum(each.kind == "commented" for each in api.cases.read(number).history)

    place = f"/instances/{wid}/repair/"
    twice(user, place, comments, action=f"/cases/{number}/comment/", text="Called them.")
    html = next(each for each in FORM.findall(get(user, place)) if 'type="file"' in each)
    for _ in range(2):
        given = Form(html).fields | {"file": SimpleUploadedFile("a.txt", b"x")}
        page = user.post(f"/cases/{number}/files/", given, follow=True).content.decode()
    assert "This form was sent before" in page and len(api.cases.list_files(wid)) == 1


def test_an_operation_on_many_instances(user: Client, parcels: Parcels) -> None:
    parcels.start_many(2)
    chosen = f"/bulk/new/?flow={parcels.flow}&q="
    asked = {"operation": "suspend", "reason": "x"}
    twice(user, chosen, lambda: len(api.bulk.list([parcels.flow])), action="/bulk/new/", **asked)


def sent(fields: dict[str, str]) -> QuerySet[SentForm]:
    return SentForm.objects.filter(token__endswith=fields[FIELD])


def test_a_form_that_was_refused_can_be_sent_again(user: Client, parcels: Parcels) -> None:
    place = f"/flows/{parcels.flow}/webhooks/new/"
    fields = Form(get(user, place)).fields
    page = user.post(place, fields | {"url": "http://127.0.0.1/"}).content.decode()
    assert Form(page).fields[FIELD] == fields[FIELD] and not sent(fields).exists()
    made = user.post(place, fields | {"url": "https://example.org/", "final": "on"})
    assert made.status_code == 302 and sent(fields).get().address == made["Location"]


def test_a_form_that_failed_can_be_sent_again(user: Client, parcels: Parcels) -> None:
    place, flow = f"/flows/{parcels.flow}/webhooks/new/", parcels.flow
    fields = Form(get(user, place)).fields | {"url": "https://example.org/", "final": "on"}
    parcels.connection.execute(
        f"create function {flow}.fail() returns trigger language plpgsql as $$"
        " begin raise exception 'full' using errcode = '53100'; end $$;"
        f"create trigger fail before insert on wedsql.webhook for each row execute function {flow}.fail()"
    )
    try:
        assert user.post(place, fields).status_code == 503 and not sent(fields).exists()
    finally:
        parcels.connection.execute(f"drop trigger fail on wedsql.webhook; drop function {flow}.fail()")
    assert user.post(place, fields).status_code == 302


def test_a_token_is_never_what_a_browser_made_up_and_is_forgotten_in_time(
    user: Client, parcels: Parcels
) -> None:
    place = f"/flows/{parcels.flow}/webhooks/new/"
    page = user.post(place, {FIELD: "x", "url": "http://127.0.0.1/"}).content.decode()
    assert len(Form(page).fields[FIELD]) == 32
    old = SentForm.objects.create(token="old")
    recent = SentForm.objects.create(token="recent")
    SentForm.objects.filter(pk=old.pk).update(at=timezone.now() - KEPT - timedelta(minutes=1))
    SentForm.objects.filter(pk=recent.pk).update(at=timezone.now() - KEPT + timedelta(minutes=1))
    user.post(place, Form(get(user, place)).fields)
    assert [*SentForm.objects.filter(token__in=["old", "recent"])] == [recent]


def test_two_that_are_sent_at_once_create_one(user: Client, parcels: Parcels) -> None:
    """The second finds the claim of the first, whose page is not known yet."""
    place = f"/flows/{parcels.flow}/webhooks/new/"
    fields = Form(get(user, place)).fields
    pk = int(user.session["_auth_user_id"])
    SentForm.objects.create(token=f"{pk} {fields[FIELD]}")
    made = user.post(place, fields | {"url": "https://example.org/", "final": "on"})
    assert made["Location"] == place and api.webhooks.list([parcels.flow]) == []
