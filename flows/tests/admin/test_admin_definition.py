"""Flows are defined, changed and dropped in the admin, according to the user's permissions."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.urls import reverse

from flows import api, grants, kernel
from flows.models import Attribute, Flow, FlowVersion, Trigger
from flows.tests.designer import ADD, browser, change, columns, define, fourth, page, row_of
from flows.tests.pages import all_errors, errors_at, opened

pytestmark = pytest.mark.django_db


def test_figure_two_is_defined_by_hand_and_runs(alice: Client) -> None:
    name = define(alice, reason="as in the paper")

    assert columns(name) == {
        "a1": ("text", "'ready'::text"),
        "a2": ("text", None),
        "a3": ("text", None),
    }
    triggers = Trigger.objects.filter(flow__name=name)
    assert [(t.transition, t.timeout, t.final) for t in triggers] == [
        ("tr_a2", "3 days 18:00:00", False),
        ("tr_a3", "00:00:30", False),
        ("tr_final", "00:00:10", False),
        ("_FINAL", "00:01:00", True),
    ]
    assert triggers[2].predicate == "a1='ready'\nand (a2 is not null)\nand (a3 is not null)"
    wid = api.instances.start(name)
    jobs = api.jobs.offer(name, ["tr_a2", "tr_a3"])
    assert {(job.wid, job.transition) for job in jobs} == {(wid, "tr_a2"), (wid, "tr_a3")}


def test_who_and_why_are_kept(alice: Client) -> None:
    name = define(alice, reason="as in the paper")

    version = FlowVersion.objects.filter(flow__name=name).latest("version")
    assert (version.actor, version.reason) == ("alice", "as in the paper")
    entry = LogEntry.objects.get(object_id=str(Flow.objects.get(name=name).pk))
    assert entry.user.username == "alice"
    message = entry.get_change_message()
    assert message.startswith("as in the paper: ")
    assert "“a1 <> 'ready'”" in message, "a trigger without a name is named by its condition"


def test_saving_an_unchanged_page_changes_nothing(alice: Client) -> None:
    name = define(alice)
    before = Flow.objects.get(name=name), list(Trigger.objects.filter(flow__name=name).values())

    assert change(alice, name).status_code == 302

    after = Flow.objects.get(name=name), list(Trigger.objects.filter(flow__name=name).values())
    assert after[0].version == before[0].version
    assert after[1] == before[1]


@pytest.mark.parametrize("attribute", ["select", "class", "import", "user", "x" * 63])
def test_keywords_of_sql_and_python_are_names_like_others(alice: Client, attribute: str) -> None:
    name = define(alice, **fourth(attribute))

    assert attribute in columns(name)


def test_the_final_condition_can_move_to_another_row_in_one_save(alice: Client) -> None:
    name = define(alice)
    first = row_of(alice, name, "triggers", "tr_final")
    last = row_of(alice, name, "triggers", "a1 <> 'ready'")
    refusal = change(
        alice, name, **{f"triggers-{first}-final": "on", f"triggers-{last}-final": None,
                        f"triggers-{last}-transition": "tr_x"}
    )  # fmt: skip
    assert errors_at(refusal, f"triggers-{first}-transition"), "a final condition fires nothing"

    response = change(
        alice,
        name,
        **{
            f"triggers-{first}-final": "on",
            f"triggers-{first}-transition": "",
            f"triggers-{last}-final": None,
            f"triggers-{last}-transition": "tr_x",
        },
    )

    assert response.status_code == 302, all_errors(response)
    finals = Trigger.objects.filter(flow__name=name, final=True)
    assert [trigger.condition for trigger in finals] == ["cf"]


def test_the_final_condition_shows_no_transition(alice: Client) -> None:
    name = define(alice)
    version = Flow.objects.get(name=name).version
    last = row_of(alice, name, "triggers", "a1 <> 'ready'")

    shown = opened(alice, page(name))
    words = ("name", "transition", "condition")
    assert [shown[f"triggers-{last}-{word}"] for word in words] == ["", "", ""]
    assert change(alice, name).status_code == 302
    assert Flow.objects.get(name=name).version == version


def test_options_are_one_a_line(alice: Client) -> None:
    typed = {"attributes-1-type": "enum", "attributes-1-options": "small\r\nlarge, very\r\n"}

    name = define(alice, **typed)

    assert Attribute.objects.get(flow__name=name, name="a2").options == ["small", "large, very"]
    assert change(alice, name).status_code == 302
    response = change(alice, name, **{"attributes-1-options": ""})
    assert errors_at(response, "attributes-1-options"), all_errors(response)


def test_a_user_with_view_permission_cannot_save(alice: Client) -> None:
    name = define(alice)
    carol = User.objects.create_user("carol", is_staff=True)
    carol.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))

    response = browser(carol).get(page(name))
    assert response.status_code == 200
    assert b'name="_save"' not in response.content
    fields = opened(alice, page(name)) | {"label": "Mine"}
    assert browser(carol).post(page(name), fields).status_code == 403


def test_a_viewer_without_a_right_to_definitions_sees_no_form(alice: Client) -> None:
    staff = browser(User.objects.create_user("dave", is_staff=True))

    assert staff.get(page(define(alice))).status_code == 403


def test_the_name_of_a_flow_is_typed_once(alice: Client) -> None:
    assert "name" in opened(alice, ADD) and "name" not in opened(alice, page(define(alice)))


def test_the_web_role_is_all_that_the_page_needs(alice: Client) -> None:
    with connection.cursor() as cursor:
        grants.grant_django_tables(cursor, kernel.SCHEMA)
        cursor.execute("set local role wed_web")

    name = define(alice, label="Orders", reason="as the web process does it")
    row = row_of(alice, name, "attributes", "a2")
    changed = change(alice, name, **{f"attributes-{row}-name": "approved", "label": "Sales"})
    assert changed.status_code == 302, all_errors(changed)
    refused = change(alice, name, **{"triggers-0-predicate": "nowhere"})
    assert "nowhere" in errors_at(refused, "triggers-0-predicate"), all_errors(refused)
    deleted = alice.post(
        reverse("admin:flows_flow_delete", args=(Flow.objects.get(name=name).pk,)), {"post": "yes"}
    )

    assert deleted.status_code == 302
    assert not Flow.objects.filter(name=name).exists()


def test_a_new_trigger_is_proposed_the_timeout_of_its_flow(alice: Client) -> None:
    name = define(alice)

    assert change(alice, name, default_timeout="7 minutes").status_code == 302

    fields = opened(alice, page(name))
    assert (fields["default_timeout"], fields["triggers-4-timeout"]) == ("00:07:00", "00:07:00")
    typed = {"triggers-4-transition": "tr_new", "triggers-4-predicate": "a1 = 'x'"}
    assert change(alice, name, **typed).status_code == 302
    assert Trigger.objects.get(flow__name=name, transition="tr_new").timeout == "00:07:00"
    assert change(alice, name).status_code == 302
    assert Trigger.objects.filter(flow__name=name).count() == 5


def test_flows_are_never_deleted_in_bulk(alice: Client) -> None:
    name = define(alice)
    flow = Flow.objects.get(name=name)

    alice.post(
        "/admin/flows/flow/", {"action": "delete_selected", "_selected_action": [flow.pk], "post": "yes"}
    )

    assert Flow.objects.filter(name=name).exists()


def test_no_page_has_script_or_style_of_its_own(alice: Client) -> None:
    name = define(alice)

    for address in (ADD, page(name), "/admin/flows/flow/"):
        html = alice.get(address).content.decode()
        assert " style=" not in html
        assert "<style" not in html
        assert all("src=" in tag or "application/json" in tag for tag in _tags(html, "<script"))


def _tags(html: str, start: str) -> list[str]:
    return [part.split(">")[0] for part in html.split(start)[1:]]


def test_the_columns_stand_in_the_order_that_their_positions_say(alice: Client) -> None:
    name = define(alice)
    places = {row_of(alice, name, "attributes", a): place for a, place in (("a3", "1"), ("a1", "2"))}
    typed = {f"attributes-{row}-position": place for row, place in places.items()}

    assert change(alice, name, **typed).status_code == 302
    shown = opened(alice, page(name))
    assert [shown[f"attributes-{row}-name"] for row in range(3)] == ["a3", "a1", "a2"]
    kept = {a["name"]: a.get("position") for a in api.flows.definition(name)["attributes"]}
    assert kept == {"a1": 2, "a2": None, "a3": 1}

    refused = change(alice, name, **{"attributes-0-position": "9999999999"})
    assert refused.status_code == 200 and all_errors(refused)
