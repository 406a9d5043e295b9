"""The tab Publish: problems, impact, approval, time."""

from __future__ import annotations

import re
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client
from django.urls import reverse

from flows import api
from flows.database_errors import translated
from flows.tests.designer import browser
from flows.tests.pages import unique
from flows.tests.publication.publish_page import address, drafted, member, publish, running, text_of
from flows.types import PublicationChoices

# A version is recorded once per transaction.
pytestmark = pytest.mark.django_db(transaction=True)


NEVER = "a1 = 'ready' and a1 is null"


def test_a_draft_is_published_with_its_reason(alice: Client, fig2: str) -> None:
    at = drafted(fig2, "a1 = 'ready' and a2 is null and a3 is null")
    assert "now also requires" in text_of(alice.get(address("publish", fig2)))

    answer = publish(alice, fig2, at)

    version = api.publications.list_versions(fig2)[0]
    assert f"Version {version.version} is published." in answer
    assert (version.actor, version.reason) == ("alice", "because")
    assert "a3 is null" in running(fig2)


def test_another_order_of_rules_alone_is_said_and_published(alice: Client, fig2: str) -> None:
    before = api.flows.definition(fig2)["triggers"]
    draft = api.drafts.open(fig2, actor="alice")
    draft.definition["triggers"].reverse()
    at = api.drafts.save(draft.at, draft.definition, actor="alice").at
    waiting = alice.get(address("publish", fig2)).content.decode()
    assert re.search(r'value="publish"\s+disabled data-waits', waiting), "until the impact is there"
    page = alice.get(address("publish", fig2, "?examine=1"))
    assert "The order of rules changes: the final condition, " in text_of(page)
    assert not re.search(r'value="publish"\s+disabled', page.content.decode())

    version = api.publications.list_versions(fig2)[0].version + 1
    assert f"Version {version} is published." in publish(alice, fig2, at)

    assert api.flows.definition(fig2)["triggers"] == before[::-1]
    compared = text_of(alice.get(address("versions", fig2, f"?old={version - 1}&new={version}")))
    assert "The order of rules changes: the final condition, " in compared


def test_a_problem_keeps_the_draft_from_being_published(alice: Client, fig2: str) -> None:
    at = drafted(fig2, "a1 = 'ready' and nowhere is null")

    page = alice.get(address("publish", fig2))

    assert "1 problem prevents publishing:" in text_of(page) and "nowhere" in text_of(page)
    assert re.search(r'<a href="[^"]*/design/\?rule=\d+#panel">', page.content.decode())
    assert re.search(r'value="publish"\s+disabled', page.content.decode())
    assert "nowhere" in publish(alice, fig2, at)
    assert "nowhere" not in running(fig2)


def test_what_another_person_saved_meanwhile_is_not_published(alice: Client, fig2: str) -> None:
    seen = drafted(fig2, "a2 is null")
    drafted(fig2, "a3 is null", actor="bob")

    assert "bob" in publish(alice, fig2, seen)
    assert running(fig2) not in ("a2 is null", "a3 is null")


def test_the_impact_counts_the_living_instances(alice: Client, fig2: str) -> None:
    api.instances.start_many(fig2, [{}] * 3)
    drafted(fig2, "a1 = 'never'")

    page = alice.get(address("impact", fig2))
    text = text_of(page)

    assert "3 living instances, all examined" in text
    assert text_of(alice.get(address("impact", fig2, "?reopen=1"))) == text
    assert re.search(r'data-label="holds only before"[^>]*>3<', page.content.decode())


def test_the_prediction_is_kept_with_the_publication(alice: Client, fig2: str) -> None:
    api.instances.start_many(fig2, [{}] * 3)
    publish(alice, fig2, drafted(fig2, "a1 = 'never'"))

    done = api.publications.list(fig2)[0]
    prediction = api.publications.read(done.id).prediction
    assert prediction is not None and prediction["living"] == 3


def test_a_new_flow_is_published_for_the_first_time(alice: Client) -> None:
    flow = unique()
    final = {"predicate": "a = 1", "final": True}
    new = {"attributes": [{"name": "a", "type": "integer"}], "triggers": [final]}
    at = api.drafts.open(flow, definition=new, actor="alice").at
    page = reverse("admin:flows_flow_new_publish", args=[flow])
    assert "is new" in text_of(alice.get(page))

    data = {"do": "publish", "revision": str(at.revision)}
    answer = alice.post(page, data, follow=True)

    assert "Version 1 is published." in text_of(answer)
    assert answer.redirect_chain[-1][0] == address("publish", flow)
    assert Group.objects.filter(name=f"flow:{flow}:handle").exists(), "rights can be given at once"


@pytest.fixture
def careful(fig2: str, alice: Client) -> str:
    """The flow, whose definitions need a second person."""
    draft = api.drafts.open(fig2, actor="alice")
    draft.definition["needs_approval"] = True
    api.publications.request(api.drafts.save(draft.at, draft.definition, actor="alice").at, actor="alice")
    return fig2


def test_a_second_person_approves(alice: Client, careful: str) -> None:
    bob = browser(User.objects.create_superuser("bob"))
    assert "Another person has to approve it" in publish(alice, careful, drafted(careful, "a2 is null"))
    request = api.publications.list(careful, only_open=True)[0]
    assert f'value="approve:{request.id}"' not in alice.get(address("publish", careful)).content.decode()
    assert f'value="approve:{request.id}"' in bob.get(address("publish", careful)).content.decode()

    alone = text_of(alice.post(address("publish", careful), {"do": f"approve:{request.id}"}, follow=True))
    assert not re.search(r"Version \d+ is published", alone) and running(careful) != "a2 is null"
    answer = text_of(bob.post(address("publish", careful), {"do": f"approve:{request.id}"}, follow=True))

    assert "is published" in answer and running(careful) == "a2 is null"
    assert "approved by bob" in text_of(alice.get(address("versions", careful)))


@pytest.mark.parametrize(("action", "says"), [("reject", "is rejected"), ("withdraw", "is withdrawn")])
def test_a_request_is_rejected_or_withdrawn(alice: Client, careful: str, action: str, says: str) -> None:
    bob = browser(User.objects.create_superuser("bob"))
    publish(alice, careful, drafted(careful, "a2 is null"))
    request = api.publications.list(careful, only_open=True)[0]
    data = {"do": f"{action}:{request.id}", "note": "not on Fridays"}

    assert says in text_of(bob.post(address("publish", careful), data, follow=True))

    assert "not on Fridays" in text_of(alice.get(address("publish", careful)))
    assert "no action that is known" in text_of(
        bob.post(address("publish", careful), {"do": f"delete:{request.id}"}, follow=True)
    )
    assert running(careful) != "a2 is null"


def test_a_publication_that_waits_is_said_above_and_not_offered_again(alice: Client, careful: str) -> None:
    assert "waits" not in text_of(alice.get(address("publish", careful)))
    publish(alice, careful, drafted(careful, "a2 is null"))

    page = alice.get(address("publish", careful))
    assert re.search(r"Publication \d+ waits for approval. Requested by alice", text_of(page))
    assert (
        "The draft has not changed since." in text_of(page) and 'name="reason"' not in page.content.decode()
    )
    drafted(careful, "a3 is null")
    page = alice.get(address("publish", careful))
    assert "It fails if another version is published first." in text_of(page)
    assert 'name="reason"' in page.content.decode()


def test_why_a_publication_failed_is_said_in_the_language_of_the_user(alice: Client, fig2: str) -> None:
    at = drafted(fig2, "a2 is null")
    later = PublicationChoices(publish_at=datetime.now(UTC) + timedelta(days=2))
    for _each in range(2):
        made = api.publications.request(at, later, actor="alice")
    with connection.cursor() as cursor:
        cursor.execute("update wedsql.publication set base_version = 0 where id = %s", [made.id])
        assert "another version runs now" in text_of(alice.get(address("publish", fig2)))
        cursor.execute("update wedsql.publication set publish_at = wedsql.now() where id = %s", [made.id])
    api.publications.publish_due()

    alice.cookies["django_language"] = "pt-br"
    assert "esta definição foi feita a partir da versão 0." in text_of(alice.get(address("publish", fig2)))


def test_a_publication_waits_for_its_time(alice: Client, fig2: str) -> None:
    later = (datetime.now(UTC) + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M")

    assert f"It will be published at {later.replace('T', ' ')}." in publish(
        alice, fig2, drafted(fig2, "a2 is null"), publish_at=later
    )

    assert running(fig2) != "a2 is null"
    assert "is not a time" in publish(alice, fig2, drafted(fig2, "a3 is null"), publish_at="soon")


def test_a_request_of_another_flow_is_not_found(alice: Client, careful: str) -> None:
    publish(alice, careful, drafted(careful, "a2 is null"))
    request = api.publications.list(careful, only_open=True)[0]
    other = f"{careful[:20]}_x"
    api.flows.create(other)

    assert alice.post(address("publish", other), {"do": f"withdraw:{request.id}"}).status_code == 404


@pytest.mark.parametrize(
    "action", ["", "publish", "approve:", "approve:x", f"approve:{2**70}", "reject:-1", "no:1"]
)
def test_any_action_is_answered(alice: Client, fig2: str, action: str) -> None:
    text = text_of(alice.post(address("publish", fig2), {"do": action, "revision": "x"}, follow=True))

    assert not re.search(r"Version \d+ is published", text)


def test_without_a_change_there_is_nothing_to_publish_and_the_page_says_so(alice: Client, fig2: str) -> None:
    api.drafts.open(fig2, actor="ann")
    rules, publish = (alice.get(address(tab, fig2)).content.decode() for tab in ("rules", "publish"))

    assert "no changes to version 1" in rules and "There is nothing to publish." in rules
    assert re.search(r'<button[^>]*disabled[^>]*aria-describedby="nothing-to-publish"', rules)
    assert re.search(r'value="publish"\s+disabled', publish) and 'id="why-disabled"' in publish


def test_publishing_asks_once_about_warnings_and_keeps_what_was_typed(alice: Client, fig2: str) -> None:
    at = drafted(fig2, NEVER)
    before = running(fig2)

    asked = publish(alice, fig2, at, reason="for <Monday>")

    assert "There is 1 warning that is not acknowledged" in asked and running(fig2) == before
    page = alice.post(
        address("publish", fig2), {"do": "publish", "revision": str(at.revision), "reason": "for <Monday>"}
    ).content.decode()
    assert 'value="for &lt;Monday&gt;"' in page
    token = re.search(r'name="confirmed" value="([0-9a-f]+)"', page)
    assert token is not None
    assert "is published" in publish(alice, fig2, at, confirmed=token[1])
    assert running(fig2) == NEVER


def test_an_acknowledged_warning_is_not_asked_about_and_another_one_is(alice: Client, fig2: str) -> None:
    at = drafted(fig2, NEVER)
    for one in api.flows.lint(fig2, api.drafts.read(fig2).definition):
        api.drafts.acknowledge_finding(fig2, one.id, "so", rule=one.rule, actor="alice")
    later = drafted(fig2, NEVER + " and a2 is null")

    assert "not acknowledged" in publish(alice, fig2, later)
    assert "not acknowledged" in publish(alice, fig2, later, confirmed="0" * 64)
    at = drafted(fig2, NEVER)
    assert "is published" in publish(alice, fig2, at)


def test_choices_per_group_are_foretold_done_and_compared(alice: Client, fig2: str) -> None:
    wids = [started.wid for started in api.instances.start_many(fig2, [{}] * 3)]  # type: ignore[union-attr]
    at = drafted(fig2, "a1 = 'never'")
    place = next(
        n
        for n, each in enumerate(api.drafts.read(fig2).definition["triggers"])
        if each["predicate"] == "a1 = 'never'"
    )
    page = alice.get(address("impact", fig2))
    assert "Withdraw 3 jobs whose condition does not hold" in text_of(page)
    assert f'name="withdraw" value="{place}">' in page.content.decode()
    chosen = alice.get(address("impact", fig2, f"?withdraw={place}"))
    assert "3 jobs are withdrawn" in text_of(chosen)
    assert f'name="withdraw" value="{place}" checked>' in chosen.content.decode()

    answer = publish(alice, fig2, at, withdraw=str(place))

    done = api.publications.list(fig2)[0]
    assert done.choices == {"withdraw": [place], "later": [], "keep_exceptions": False}
    assert "It did what was predicted." in answer
    assert re.search(r"jobs were withdrawn 3 3 " + " ".join(map(str, wids)), answer)


def test_instances_that_moved_meanwhile_explain_a_difference(alice: Client, careful: str) -> None:
    api.instances.start_many(careful, [{}] * 2)
    publish(alice, careful, drafted(careful, "a1 = 'never'"), withdraw="0")
    new = api.instances.start_many(careful, [{}])[0].wid  # type: ignore[union-attr]
    number = api.publications.list(careful)[0].id
    api.publications.approve(number, actor="bob")

    text = text_of(alice.get(address("publish", careful)))

    assert "It did something else than was predicted." in text
    assert f"1 instance moved between prediction and publication: {new}" in text
    assert re.search(rf"jobs were withdrawn 2 3 {new}", text)


def test_a_publication_that_takes_long_is_queued(
    alice: Client, fig2: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flows.designer.publication.page.LONGEST_AT_ONCE", -1)

    answer = publish(alice, fig2, drafted(fig2, "a1 = 'never'"))

    assert "It is queued" in answer and "waits for its time" in answer
    done = api.publications.list(fig2)[0]
    assert done.status == "approved" and done.publish_at is not None
    api.publications.withdraw(done.id, actor="alice")


def test_a_publication_that_does_not_end_in_time_is_queued(
    alice: Client, fig2: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the first call ends as PostgreSQL ends it; the request that follows is real."""
    at, real, tried = drafted(fig2, "a1 = 'never'"), api.publications.request, []

    def request(*given: Any, **more: Any) -> Any:
        tried.append(given)
        if len(tried) == 1:
            with translated(), connection.cursor() as cursor:
                cursor.execute("set local statement_timeout = 50; select pg_sleep(5)")
        return real(*given, **more)

    monkeypatch.setattr(api.publications, "request", request)
    answer = publish(alice, fig2, at)

    assert "It is queued" in answer and "waits for its time" in answer
    done = api.publications.list(fig2)[0]
    assert (done.status, done.reason) == ("approved", "because") and done.publish_at is not None
    api.publications.withdraw(done.id, actor="alice")


def test_choices_per_group_are_made_without_scripts(alice: Client, fig2: str) -> None:
    """The form has a second step: it shows the groups with their choices, and they are sent with the form."""
    wids = [started.wid for started in api.instances.start_many(fig2, [{}] * 2)]  # type: ignore[union-attr]
    at = drafted(fig2, "a1 = 'never'")
    before = running(fig2)
    first = alice.get(address("publish", fig2)).content.decode()
    assert 'form="publish" name="do" value="examine"' in first and "Withdraw 2 jobs" not in first
    typed = {"do": "examine", "revision": str(at.revision), "reason": "no scripts"}

    second = alice.post(address("publish", fig2), typed)

    assert "Withdraw 2 jobs whose condition does not hold" in text_of(second) and running(fig2) == before
    page = second.content.decode()
    assert 'name="withdraw" value="0">' in page and 'value="no scripts"' in page
    assert 'type="hidden" name="withdraw"' not in page
    third = alice.post(address("publish", fig2), typed | {"withdraw": "0"})
    assert "2 jobs are withdrawn" in text_of(third)
    assert 'name="withdraw" value="0" checked>' in third.content.decode()
    answer = publish(alice, fig2, at, withdraw="0")
    assert re.search(r"jobs were withdrawn 2 2 " + " ".join(map(str, wids)), answer)


def test_who_may_only_see_the_flow_examines_it_without_scripts(fig2: str) -> None:
    api.instances.start_many(fig2, [{}] * 2)
    drafted(fig2, "a1 = 'never'")
    viewer = browser(member(f"flow:{fig2}"))

    page = viewer.get(address("publish", fig2))
    assert 'value="examine"' not in page.content.decode() and "?examine=1" in page.content.decode()

    assert "2 living instances, all examined" in text_of(viewer.get(address("publish", fig2, "?examine=1")))
    assert viewer.post(address("publish", fig2), {"do": "publish"}).status_code == 404


@pytest.mark.parametrize("typed", [True, False], ids=["in the API", "in a query of the page"])
def test_a_request_that_never_ends_in_time_keeps_what_was_typed(
    alice: Client, fig2: str, monkeypatch: pytest.MonkeyPatch, typed: bool
) -> None:
    """Both ways in which PostgreSQL's time limit arrives."""

    def request(*given: Any, **more: Any) -> Any:
        with translated() if typed else nullcontext(), connection.cursor() as cursor:
            cursor.execute("set local statement_timeout = 50; select pg_sleep(5)")

    at = drafted(fig2, "a1 = 'never'")
    monkeypatch.setattr(api.publications, "request", request)
    page = alice.post(
        address("publish", fig2),
        {"do": "publish", "revision": str(at.revision), "reason": "the <long> reason"},
    )

    assert "The database is busy: nothing was published" in text_of(page)
    assert 'value="the &lt;long&gt; reason"' in page.content.decode()
    assert api.publications.list(fig2) == []


def test_a_draft_is_closed_by_its_publication(alice: Client, fig2: str) -> None:
    """It is shown again with its first change; one that is opened without a change is shown, too."""
    at = drafted(fig2, "a1 = 'never'")
    rules = address("rules", fig2)
    assert "1 change to version 1" in text_of(alice.get(rules))
    publish(alice, fig2, at)
    assert api.drafts.read(fig2).closed
    page = alice.get(rules).content.decode()
    assert 'class="draft-bar' not in page and "no changes to version" not in page
    listed = alice.get("/admin/flows/flow/", {"q": fig2}).content.decode()
    assert "saved by" not in re.sub(r"<[^>]+>", " ", listed)
    drafted(fig2, "a1 = 'ever'")
    assert not api.drafts.read(fig2).closed
    assert "1 change to version 2" in text_of(alice.get(rules))


def test_the_button_to_publish_waits_for_the_impact(alice: Client, fig2: str) -> None:
    api.instances.start_many(fig2, [{"a1": "ready"}])
    drafted(fig2, "a1 = 'never'")
    page = alice.get(address("publish", fig2)).content.decode()
    assert re.search(r'value="publish"\s+disabled data-waits', page)
    examined = alice.get(address("publish", fig2, "?examine=1")).content.decode()
    assert "data-waits" not in examined, "also without scripts"
    form = examined[examined.index('id="publish"') :]
    assert 'name="withdraw"' in form[: form.index("</form>")], "beside the button"
