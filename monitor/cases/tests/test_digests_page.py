"""A person chooses mails about open cases on a page, and ends them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from flows import api
from flows.capabilities.cases.api import CaseRule
from monitor.tests.conftest import Parcels, client_of, get, person, text_of

PAGE = "/cases/digests/"


@pytest.fixture
def eve(parcels: Parcels, site: None) -> Iterator[User]:
    """Sees the parcels only."""
    eve = person("eve", f"flow:{parcels.flow}")
    yield eve
    api.cases.delete_digests(eve.pk)


def sent(client: Client, **given: Any) -> str:
    return text_of(client.post(PAGE, given, follow=True).content)


def test_mails_are_chosen_changed_and_ended(eve: User, parcels: Parcels) -> None:
    api.cases.save_rules(parcels.flow, [CaseRule("cards")], "ann")
    client = client_of(eve)
    assert "You get no mails about cases" in text_of(get(client, PAGE))
    assert f'href="{PAGE}"' in get(client, "/cases/"), "the way to the page"
    sent(client, flow=parcels.flow, queue="cards", every="week")
    found = sent(client, flow="", queue="", every="day")
    assert "You get these mails from now on." in found and "You get no mails about cases" not in found
    whole, cards = api.cases.list_digests(eve.pk)
    assert (whole.flow, whole.queue, whole.every) == (None, "", "day")
    assert (cards.flow, cards.queue, cards.every) == (parcels.flow, "cards", "week")
    assert f'name="end" value="{cards.id}"' in get(client, PAGE)
    assert "You get no such mails any longer." in sent(client, flow="", queue="", every="none")
    assert "You get no such mails any longer." in sent(client, end=cards.id)
    assert api.cases.list_digests(eve.pk) == []


def test_the_language_of_the_page_is_that_of_the_mails(eve: User, parcels: Parcels) -> None:
    client = client_of(eve)
    client.post(PAGE, {"flow": "", "queue": "", "every": "day"}, headers={"accept-language": "pt-br"})
    language = "select language from wedsql.case_digest where user_id = %s"
    assert parcels.connection.execute(language, [eve.pk]).fetchall() == [("pt-br",)]


def test_only_flows_that_a_user_sees_and_their_queues_are_offered(eve: User, parcels: Parcels) -> None:
    api.flows.create("digests_other")
    try:
        api.cases.save_rules("digests_other", [CaseRule("other_queue")], "ann")
        client = client_of(eve)
        page = get(client, PAGE)
        assert f'value="{parcels.flow}"' in page and "other_queue" not in page and "digests_other" not in page
        for given in (
            {"flow": "digests_other"}, {"queue": "other_queue"}, {"every": "hour"}, {"every": ""},
            {"flow": "a\x00b"},
        ):  # fmt: skip
            sent(client, **({"flow": "", "queue": "", "every": "day"} | given))
        assert api.cases.list_digests(eve.pk) == []
        api.cases.save_digest(eve.pk, "digests_other", "", "day", "en", 6)
        assert "A flow that you do not see any longer" in text_of(get(client, PAGE))
        assert "digests_other" not in get(client, PAGE)
        sent(client, end=api.cases.list_digests(eve.pk)[0].id)
        assert api.cases.list_digests(eve.pk) == []
    finally:
        api.flows.drop("digests_other", force=True)


def test_the_mails_of_others_are_not_ended(eve: User) -> None:
    api.cases.save_digest(eve.pk, None, "", "day", "en", 6)
    [own] = api.cases.list_digests(eve.pk)
    mallory = client_of(person("mallory"))
    assert 'name="end"' not in get(mallory, PAGE)
    assert 'name="every"' not in get(mallory, PAGE), "who sees no flow chooses no mail"
    for given in (own.id, "x", "9" * 30, ""):
        sent(mallory, end=given)
    assert len(api.cases.list_digests(eve.pk)) == 1


def test_the_page_says_when_no_mail_can_be_sent(eve: User, settings: Any) -> None:
    settings.EMAIL_HOST = ""
    client = client_of(eve)
    assert "This site has no mail server (WEDSQL_EMAIL_HOST)" in text_of(get(client, PAGE))
    settings.EMAIL_HOST, settings.WEDSQL_DIGEST_HOUR = "mail.example", 7
    page = text_of(get(client, PAGE))
    assert "Your account has no mail address" in page and "at 07:00 UTC" in page
    User.objects.filter(pk=eve.pk).update(email="eve@example.org")
    page = text_of(get(client, PAGE))
    assert "They go to eve@example.org." in page and "no mail address" not in page
