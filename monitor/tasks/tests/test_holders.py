"""Who holds tasks is named before an operation takes them away: from one, from many, on pages, over HTTP."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from flows import api
from flows.tests.commands import refused, run
from flows.tests.designer import browser
from flows.tests.pages import unique
from flows.tests.publication.publish_page import address
from flows.types import DraftAt
from monitor.bulk.tests.test_bulk import form_of
from monitor.tasks.tests.test_messages_pages import DEFINITION, name_of
from monitor.tasks.tests.test_tasks_pages import page_of, person
from monitor.tests.conftest import text_of
from monitor.tests.server.programs import Program, problem, program

pytestmark = pytest.mark.django_db(transaction=True)
OPERATIONS = ("suspend", "cancel")
REASON = {"reason": "the street is closed"}
SCAN = {"transition": "scan", "predicate": "place = 'bad'", "performer": "database", "max_attempts": 1,
        "sets": "place = (1 / (length(place) - 3))::text"}  # fmt: skip
SEEN = re.compile(r'name="seen" value="([0-9a-f]+)"')
AGAIN = "Send it again to go on."


@pytest.fixture
def flow() -> Iterator[str]:
    name = unique("holders")
    api.flows.create(name)
    triggers = [*DEFINITION["triggers"], SCAN]
    api.flows.publish(name, DEFINITION | {"triggers": triggers, "final_when_pending": "cancel"})
    yield name
    api.flows.drop(name, force=True)


@pytest.fixture
def boss(flow: str) -> Client:
    return person(f"flow:{flow}", f"flow:{flow}:operate", f"flow:{flow}:repair")


def taken(flow: str, by: Client | None = None, place: str = "here") -> tuple[int, str]:
    """Start an instance, an exception with the place `bad`, whose task a person takes; return both."""
    wid, holder = api.instances.start(flow, {"place": place}), name_of(by or person("role:Fitter"))
    api.tasks.take(api.tasks.of_instance(wid)[0].job_id, holder, ["r:Fitter"])
    return wid, holder


def lost(holder: str) -> list[str]:
    return [one.kind for one in api.persons.messages(holder)]


def single(operation: str, wid: int) -> str:
    return f"/instances/{wid}/cancel/" if operation == "cancel" else f"/instances/{wid}/operate/{operation}/"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_one_operation_names_who_has_the_task_and_asks_once(flow: str, boss: Client, operation: str) -> None:
    wid, holder = taken(flow)
    unseen = boss.post(single(operation, wid), REASON)
    page = unseen.content.decode()
    assert unseen.status_code == 200 and AGAIN in page
    assert f"{holder} has “Visit the customer”." in text_of(page)
    assert api.reasons.explain_instance(wid).status == "R"
    assert boss.post(single(operation, wid), form_of(page) | REASON).status_code == 302
    assert api.reasons.explain_instance(wid).status == {"suspend": "S", "cancel": "C"}[operation]
    assert lost(holder) == ["o"], "who lost the task gets a message"


def test_what_the_person_holds_alone_is_not_asked_about(flow: str) -> None:
    own = person(f"flow:{flow}", f"flow:{flow}:operate", "role:Fitter")
    wid, holder = taken(flow, own)
    assert holder == name_of(own)
    assert own.post(single("suspend", wid), REASON).status_code == 302
    assert lost(holder) == []


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_on_many_names_who_has_tasks_and_asks_once(
    flow: str, boss: Client, operation: str
) -> None:
    wids, holders = zip(*(taken(flow) for _ in range(2)), strict=True)
    page = page_of(boss, f"/bulk/new/?flow={flow}")
    for holder in holders:
        assert f"{holder} has 1 task of these instances." in text_of(page)
    given = REASON | {"operation": operation}
    api.instances.start(flow, {})  # its task is open: the form is of other instances
    page = page_of(boss, f"/bulk/new/?flow={flow}")
    third = person("role:Fitter")
    api.tasks.take(api.tasks.of_instance(wids[1] + 1)[0].job_id, name_of(third), ["r:Fitter"])
    asked = boss.post("/bulk/new/", form_of(page) | given)
    again = asked.content.decode()
    assert asked.status_code == 200 and AGAIN in again
    assert f"{name_of(third)} has 1 task of these instances." in text_of(again)
    assert boss.post("/bulk/new/", form_of(again) | given).status_code == 302
    while api.bulk.continue_bulk() is not None:
        pass
    assert [lost(holder) for holder in (*holders, name_of(third))] == [["o"]] * 3


def test_the_preview_of_one_repair_names_who_has_a_task(flow: str, boss: Client) -> None:
    wid, holder = taken(flow, place="bad")
    address, typed = f"/instances/{wid}/repair/", REASON | {"operation": "patch", "value-note": "closed"}

    def sent(page: str, do: str) -> Any:
        return boss.post(address, form_of(page) | typed | {"do": do})

    shown = sent(page_of(boss, address), "preview").content.decode()
    assert f"{holder} has “Visit the customer”." in text_of(shown)
    api.tasks.release(api.tasks.of_instance(wid)[0].job_id, holder)
    other = name_of(person("role:Fitter"))
    api.tasks.take(api.tasks.of_instance(wid)[0].job_id, other, ["r:Fitter"])
    asked = sent(shown, "apply")
    assert asked.status_code == 200 and api.reasons.explain_instance(wid).status == "E"
    assert f"{other} has “Visit the customer”." in text_of(asked.content)
    assert sent(asked.content.decode(), "apply").status_code == 302
    assert lost(other) == ["o"] and lost(holder) == []


def test_undoing_a_repair_names_who_has_a_task_and_asks_once(flow: str, boss: Client) -> None:
    wid = api.instances.start(flow, {"place": "bad"})
    seq = api.repairs.repair(wid, "patch", {"changes": {"place": "here"}}, "typed wrong", actor="bob").seq
    holder = name_of(person("role:Fitter"))
    api.tasks.take(api.tasks.of_instance(wid)[0].job_id, holder, ["r:Fitter"])
    asked = boss.post(f"/instances/{wid}/undo/", {"seq": seq})
    assert asked.status_code == 200 and f"{holder} has “Visit the customer”." in text_of(asked.content)
    assert api.reasons.explain_instance(wid).seq == seq
    again = form_of(asked.content.decode())
    assert again["seen"] and boss.post(f"/instances/{wid}/undo/", again).status_code == 302


def test_one_operation_names_who_has_claimed_the_case_unless_that_is_the_person(
    flow: str, boss: Client
) -> None:
    wids = [api.instances.start(flow, {"place": "bad"}) for _ in range(2)]
    for wid, claims in zip(wids, ("bob", name_of(boss)), strict=True):
        api.cases.claim(api.cases.list([flow], {"wid": wid})[0].number, claims)
    asked = boss.post(single("cancel", wids[0]), REASON)
    assert asked.status_code == 200 and "bob has claimed this case." in text_of(asked.content)
    assert boss.post(single("cancel", wids[0]), form_of(asked.content.decode()) | REASON).status_code == 302
    assert boss.post(single("cancel", wids[1]), REASON).status_code == 302


def operator(client: Client) -> Program:
    return program(User.objects.get(username=name_of(client)), "operate", "repair", "perform")


def removing(flow: str) -> DraftAt:
    """Make a draft without the rule that persons perform, and answer for its warnings."""
    draft = api.drafts.open(flow)
    draft.definition["triggers"] = [
        one for one in draft.definition["triggers"] if one.get("performer") != "person"
    ]
    at = api.drafts.save(draft.at, draft.definition).at
    for one in api.flows.lint(flow, draft.definition):
        api.drafts.acknowledge_finding(flow, one.id, "so", rule=one.rule)
    return at


def test_publishing_names_who_has_tasks_and_asks_once(flow: str) -> None:
    wid, holder = taken(flow)
    at = removing(flow)
    owner = browser(User.objects.create_superuser(unique("owner")))

    def sent(page: str = "", **more: str) -> str:
        given = {"do": "publish", "revision": str(at.revision), "reason": "no more visits"} | more
        seen = SEEN.findall(page)
        given |= {"seen": seen[0]} if seen else {}
        return owner.post(address("publish", flow), given, follow=True).content.decode()

    asked = sent()
    assert f"{holder} has 1 of the tasks and cases that this takes away." in text_of(asked)
    assert lost(holder) == []
    api.tasks.release(api.tasks.of_instance(wid)[0].job_id, holder)
    other = name_of(person("role:Fitter"))
    api.tasks.take(api.tasks.of_instance(wid)[0].job_id, other, ["r:Fitter"])
    asked = sent(asked)
    assert f"{other} has 1 of the tasks" in text_of(asked), "asked again about another"
    assert "is published" in text_of(sent(asked)), asked
    assert lost(other) == ["o"] and lost(holder) == []
    api.drafts.discard(api.drafts.read(flow).at)


def test_who_approves_a_publication_is_asked_as_well(flow: str) -> None:
    definition = api.drafts.running_definition(flow)[1]
    api.publications.submit(flow, definition | {"needs_approval": True}, numbered=True)
    number = api.publications.request(removing(flow), actor="eva").id
    _wid, holder = taken(flow)
    owner = browser(User.objects.create_superuser(unique("owner")))
    given = {"do": f"approve:{number}", "note": "good"}
    asked = owner.post(address("publish", flow), given, follow=True).content.decode()
    assert f"{holder} has 1 of the tasks" in text_of(asked) and lost(holder) == []
    (seen,) = SEEN.findall(asked)
    done = owner.post(address("publish", flow), given | {"seen": seen}, follow=True)
    assert api.publications.read(number).status == "published" and "is published" in text_of(done.content)
    assert lost(holder) == ["o"]


@pytest.mark.parametrize("verb", ["publish", "load", "drop"])
def test_commands_name_who_has_tasks_and_do_it_with_their_number(
    flow: str, verb: str, tmp_path: Path
) -> None:
    wid, holder = taken(flow)
    removing(flow)
    path = tmp_path / "flow.json"
    path.write_text(json.dumps(api.drafts.read(flow).definition))
    words = {"publish": [flow], "load": [str(path), "--flow", flow],
             "drop": [flow, "--force", "--confirm", flow]}[verb]  # fmt: skip
    for wrong in ([], ["--held", "2"]):
        said = refused("flow", verb, *words, *wrong)
        assert f"{holder} (1)" in said and "held = 1" in said
        assert api.tasks.of_instance(wid)[0].owner == holder
    run("flow", verb, *words, "--held", "1")
    assert verb == "drop" or lost(holder) == ["o"]
    if verb == "drop":
        api.flows.create(flow)


def test_a_file_asks_on_its_page(flow: str) -> None:
    _wid, holder = taken(flow)
    owner = browser(User.objects.create_superuser(unique("owner")))
    graph = "R = [{r1, a, b}, {r2, b, c}]"
    given = {"name": flow, "file_name": "graph.txt", "packed": packed(graph), "do": "publish"}
    page = reverse("admin:flows_flow_import")
    asked = owner.post(page, given).content.decode()
    assert f"{holder} (1)" in text_of(asked) and 'name="held" value="1"' in asked
    assert owner.post(page, given | {"held": "1"}).status_code == 302
    assert lost(holder) == ["o"]


def packed(text: str) -> str:
    return base64.b64encode(zlib.compress(text.encode())).decode()


def test_a_repair_over_http_confirms_tasks_and_the_claim_at_once(flow: str, boss: Client) -> None:
    wid, holder = taken(flow, place="bad")
    api.cases.claim(api.cases.list([flow], {"wid": wid})[0].number, "bob")
    http, place = operator(boss), f"/instances/{wid}/repair"
    asked: dict[str, Any] = {"operation": "patch", "arguments": {"changes": {"note": "x"}}} | REASON
    for short in ({}, {"held": 1}, {"claimed_by": "bob"}, {"claimed_by": "bob", "held": 2}):
        said = problem(http.post(place, asked | short), 409)
        text = said["detail"] + said["hint"]
        assert (holder in text and "“held” 1" in text) == (short.get("held") != 1)
        assert ("bob has claimed" in text) == ("claimed_by" not in short)
    assert api.reasons.explain_instance(wid).status == "E" and lost(holder) == lost("bob") == []
    assert http.post(place, asked | {"claimed_by": "bob", "held": 1}).status_code == 200
    assert lost(holder) == ["o"] and "o" in lost("bob")


def test_previews_over_http_name_who_has_tasks_and_a_request_of_many_confirms_them(
    flow: str, boss: Client
) -> None:
    (first, one), (_second, other) = taken(flow, place="bad"), taken(flow, place="bad")
    http = operator(boss)
    asked: dict[str, Any] = {"operation": "patch", "arguments": {"changes": {"note": "x"}}}
    seen = http.post(f"/instances/{first}/repair/preview", asked).json()
    assert [(each["owner"], each["tasks"]) for each in seen["holders"]] == [(one, 1)]
    place = f"/flows/{flow}/repairs"
    shown = http.post(f"{place}/preview", asked).json()
    assert shown["held"] == 2 and {each["owner"] for each in shown["holders"]} == {one, other}
    body = asked | REASON | {"expected": shown["total"], "digest": shown["digest"]}
    for held in ({}, {"held": 1}):
        said = problem(http.post(place, body | held), 409)
        assert one in said["detail"] and other in said["detail"] and "“held” 2" in said["hint"]
    assert http.post(place, body | {"held": 2}).status_code == 202
    while api.bulk.continue_bulk() is not None:
        pass
    assert [lost(holder) for holder in (one, other)] == [["o"], ["o"]]


def test_a_task_is_taken_back_only_from_who_had_it_when_the_page_was_made(flow: str, boss: Client) -> None:
    wid, holder = taken(flow)
    task = str(api.tasks.of_instance(wid)[0].job_id)
    page = page_of(boss, f"/tasks/?show=team&flow={flow}")
    assert f'name="owner-{task}" value="{holder}"' in " ".join(page.split())
    api.tasks.release(int(task), holder)
    other = name_of(person("role:Fitter"))
    api.tasks.take(int(task), other, ["r:Fitter"])
    for door in ("/tasks/release/", "/tasks/give/"):
        given = {"task": task, f"owner-{task}": holder, "to": holder, "back": "show=team"}
        said = boss.post(door, given, follow=True)
        assert f"{other} has task {task}." in text_of(said.content), door
        assert api.tasks.of_instance(wid)[0].owner == other and lost(other) == []
    boss.post("/tasks/release/", {"task": task, f"owner-{task}": other})
    assert api.tasks.of_instance(wid)[0].owner is None and lost(other) == ["o"]
