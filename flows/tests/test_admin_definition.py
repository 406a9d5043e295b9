"""A person defines a flow in the admin, and every mistake is shown where it was made."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.urls import reverse

from flows import api, grants
from flows.models import Attribute, Flow, FlowVersion, Trigger
from flows.tests.pages import all_errors, errors_at, figure_two, opened, unique

ADD = "/admin/flows/flow/add/"

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(db: None) -> Client:
    """The browser of Alice, who designs."""
    return browser(User.objects.create_superuser("alice"))


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page(name: str) -> str:
    return reverse("admin:flows_flow_change", args=(Flow.objects.get(name=name).pk,))


def define(client: Client, **more: str) -> str:
    name = unique()
    response = client.post(ADD, opened(client, ADD) | figure_two(name) | more)
    assert response.status_code == 302, all_errors(response)
    return name


def change(client: Client, name: str, **typed: str | None) -> Any:
    """Opens the flow's page, changes the fields and saves; None empties a check box."""
    fields = opened(client, page(name)) | {key: value for key, value in typed.items() if value is not None}
    for key in (key for key, value in typed.items() if value is None):
        fields.pop(key, None)
    return client.post(page(name), fields)


def row_of(client: Client, name: str, inline: str, value: str) -> int:
    fields = opened(client, page(name))
    return next(
        int(key.split("-")[1])
        for key, shown in fields.items()
        if key.startswith(f"{inline}-") and shown == value
    )


def fourth(name: str) -> dict[str, str]:
    """What a person types into a row that was added to the three."""
    return {"attributes-3-name": name, "attributes-3-type": "text", "attributes-TOTAL_FORMS": "4"}


def columns(name: str) -> dict[str, tuple[str, str | None]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "select column_name, data_type, column_default from information_schema.columns"
            " where table_schema = %s and table_name = 'wed_flow' and column_name <> 'wid'",
            [name],
        )
        return {column: (kind, default) for column, kind, default in cursor.fetchall()}


def schema_exists(name: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("select to_regnamespace(%s) is not null", [name])
        return cursor.fetchone()[0]


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
    wid = api.start(name)
    jobs = api.offer(name, ["tr_a2", "tr_a3"])
    assert {(job.wid, job.transition) for job in jobs} == {(wid, "tr_a2"), (wid, "tr_a3")}


def test_who_and_why_are_kept(alice: Client) -> None:
    name = define(alice, reason="as in the paper")

    version = FlowVersion.objects.filter(flow__name=name).latest("version")
    assert (version.actor, version.reason) == ("alice", "as in the paper")
    entry = LogEntry.objects.get(object_id=str(Flow.objects.get(name=name).pk))
    assert entry.user.username == "alice"
    assert entry.get_change_message().startswith("as in the paper: ")


def test_saving_an_unchanged_page_changes_nothing(alice: Client) -> None:
    name = define(alice)
    before = Flow.objects.get(name=name), list(Trigger.objects.filter(flow__name=name).values())

    assert change(alice, name).status_code == 302

    after = Flow.objects.get(name=name), list(Trigger.objects.filter(flow__name=name).values())
    assert after[0].version == before[0].version
    assert after[1] == before[1]


@pytest.mark.parametrize(
    ("predicate", "at"),
    [
        ("a1 = 'ready' and nowhere is null", "nowhere"),
        ("a1 = 'ready' and (select true)", "select"),
        ("pg_sleep(10) is null", "pg_sleep"),
        ("a1 = ", None),
        ("a1 || 'x'", None),
        ("a1 = 1", None),
        ("", None),
        ("a1 = 'it''s <script>alert(1)</script>' and nowhere", "nowhere"),
    ],
)
def test_a_refused_predicate_is_shown_at_its_row(alice: Client, predicate: str, at: str | None) -> None:
    name = unique()
    typed = figure_two(name) | {"triggers-1-predicate": predicate}

    response = alice.post(ADD, opened(alice, ADD) | typed)

    assert response.status_code == 200
    assert errors_at(response, "triggers-1-predicate"), all_errors(response)
    assert not errors_at(response, "triggers-0-predicate")
    if at:
        shown = response.content.decode()
        assert "<script>alert" not in shown
        line, caret = (
            shown.split('class="wed-excerpt" aria-hidden="true">')[1].split("</code>")[0].split("\n")
        )
        line = line.replace("&#x27;", "'").replace("&lt;", "<").replace("&gt;", ">")
        assert line[caret.index("^") :].startswith(at)
    assert not Flow.objects.filter(name=name).exists()
    assert not schema_exists(name)


@pytest.mark.parametrize(
    "attribute", ["wid", "a b", "Ä", "A1", "1a", "status", "a-b", "_x", "x" * 64, "a'b", 'a"b']
)
def test_a_name_that_cannot_be_is_refused_at_the_name(alice: Client, attribute: str) -> None:
    name = unique()
    typed = figure_two(name) | {"attributes-1-name": attribute}

    response = alice.post(ADD, opened(alice, ADD) | typed)

    assert response.status_code == 200
    assert errors_at(response, "attributes-1-name"), all_errors(response)
    assert not schema_exists(name)


@pytest.mark.parametrize("attribute", ["select", "class", "import", "user", "x" * 63])
def test_words_of_sql_and_python_are_names_like_others(alice: Client, attribute: str) -> None:
    name = define(alice, **fourth(attribute))

    assert attribute in columns(name)


@pytest.mark.parametrize("bad", ["wedsql", "public", "pg_x", "Orders", "a b", "", "x" * 64, "a'b", "\x00"])
def test_a_flow_name_that_cannot_be_is_refused_at_the_name(alice: Client, bad: str) -> None:
    response = alice.post(ADD, opened(alice, ADD) | figure_two(bad))

    assert response.status_code == 200
    assert errors_at(response, "name"), all_errors(response)
    assert not Flow.objects.filter(name=bad.replace("\x00", "")).exists()


def test_a_flow_name_that_is_taken_is_refused_at_the_name(alice: Client) -> None:
    name = define(alice)

    response = alice.post(ADD, opened(alice, ADD) | figure_two(name))

    assert errors_at(response, "name")


def test_two_attributes_of_one_name_are_refused_at_the_second(alice: Client) -> None:
    name = unique()

    response = alice.post(ADD, opened(alice, ADD) | figure_two(name) | {"attributes-2-name": "a1"})

    assert errors_at(response, "attributes-2-name")
    assert not errors_at(response, "attributes-0-name")
    assert not schema_exists(name)


def test_a_second_final_condition_is_refused_at_its_box(alice: Client) -> None:
    name = unique()

    response = alice.post(ADD, opened(alice, ADD) | figure_two(name) | {"triggers-2-final": "on"})

    assert "OR" in errors_at(response, "triggers-3-final") + errors_at(response, "triggers-2-final")
    assert not schema_exists(name)


def test_the_final_condition_can_move_to_another_row_in_one_save(alice: Client) -> None:
    name = define(alice)
    first = row_of(alice, name, "triggers", "tr_final")
    last = row_of(alice, name, "triggers", "_FINAL")

    response = change(
        alice,
        name,
        **{
            f"triggers-{first}-final": "on",
            f"triggers-{last}-final": None,
            f"triggers-{last}-transition": "tr_x",
        },
    )

    assert response.status_code == 302, all_errors(response)
    finals = Trigger.objects.filter(flow__name=name, final=True)
    assert [trigger.condition for trigger in finals] == ["cf"]


def test_ten_million_characters_are_refused_and_nothing_is_lost(alice: Client) -> None:
    name = define(alice)
    before = Flow.objects.get(name=name).version

    response = change(alice, name, **{"triggers-0-predicate": "a1='ready' or " + "a" * 10_000_000})

    assert response.status_code == 200
    assert errors_at(response, "triggers-0-predicate")
    assert Flow.objects.get(name=name).version == before


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("timeout", "soon"),
        ("timeout", "-1 hour"),
        ("backoff", "never"),
        ("max_attempts", "0"),
        ("max_attempts", "99999999999"),
        ("priority", "a"),
        ("due_attr", "a1"),
        ("writes", "nowhere"),
    ],
)
def test_a_wrong_option_of_a_trigger_is_refused(alice: Client, field: str, value: str) -> None:
    name = define(alice)

    response = change(alice, name, **{f"triggers-0-{field}": value})

    assert response.status_code == 200
    assert errors_at(response, f"triggers-0-{field}"), all_errors(response)


def test_a_default_that_is_no_value_of_the_type_is_refused_at_the_default(alice: Client) -> None:
    typed = {"attributes-1-type": "integer", "attributes-1-default": "many"}

    response = alice.post(ADD, opened(alice, ADD) | figure_two(unique()) | typed)

    assert "many" in errors_at(response, "attributes-1-default")


def test_options_are_one_a_line(alice: Client) -> None:
    typed = {"attributes-1-type": "enum", "attributes-1-options": "small\r\nlarge, very\r\n"}

    name = define(alice, **typed)

    assert Attribute.objects.get(flow__name=name, name="a2").options == ["small", "large, very"]
    assert change(alice, name).status_code == 302
    response = change(alice, name, **{"attributes-1-options": ""})
    assert errors_at(response, "attributes-1-options"), all_errors(response)


def test_a_type_that_living_values_do_not_fit_is_refused_at_the_type(alice: Client) -> None:
    name = define(alice, **fourth("note"))
    api.start(name, {"note": "three"})
    row = row_of(alice, name, "attributes", "note")

    response = change(alice, name, **{f"attributes-{row}-type": "integer"})

    assert errors_at(response, f"attributes-{row}-type"), all_errors(response)
    assert columns(name)["note"][0] == "text"


def test_a_type_that_fits_is_changed(alice: Client) -> None:
    name = define(alice, **fourth("note"))
    api.start(name, {"note": "3"})
    row = row_of(alice, name, "attributes", "note")

    assert change(alice, name, **{f"attributes-{row}-type": "integer"}).status_code == 302

    assert columns(name)["note"][0] == "integer"


def test_renaming_an_attribute_rewrites_the_predicates(alice: Client) -> None:
    name = define(alice)
    row = row_of(alice, name, "attributes", "a2")

    response = change(alice, name, **{f"attributes-{row}-name": "approved"})

    assert response.status_code == 302, all_errors(response)
    first = Trigger.objects.filter(flow__name=name).first()
    assert first is not None
    assert "approved is null" in first.predicate
    assert set(columns(name)) == {"a1", "approved", "a3"}
    assert api.start(name) > 0


def test_a_rename_holds_for_a_trigger_that_is_changed_in_the_same_save(alice: Client) -> None:
    name = define(alice)
    row = row_of(alice, name, "attributes", "a2")

    response = change(alice, name, **{f"attributes-{row}-name": "approved", "triggers-0-label": "First"})

    assert response.status_code == 302, all_errors(response)
    first = Trigger.objects.filter(flow__name=name)[0]
    assert (first.label, first.predicate) == ("First", "a1='ready' and (approved is null)")


def test_an_attribute_that_is_still_named_stays_and_the_places_are_listed(alice: Client) -> None:
    name = define(alice)
    row = row_of(alice, name, "attributes", "a2")

    response = change(alice, name, **{f"attributes-{row}-DELETE": "on"})

    shown = errors_at(response, f"attributes-{row}:row")
    assert "t1" in shown and "tf" in shown, all_errors(response)
    assert shown in _text(response)
    assert "a2" in columns(name)


def _text(response: Any) -> str:
    import re

    return re.sub(r"<[^>]+>", " ", response.content.decode())


def test_an_attribute_leaves_together_with_what_named_it(alice: Client) -> None:
    name = define(alice)
    row = row_of(alice, name, "attributes", "a2")
    typed = {
        f"attributes-{row}-DELETE": "on",
        "triggers-0-DELETE": "on",
        "triggers-2-predicate": "a3 is not null",
    }

    response = change(alice, name, **typed)

    assert response.status_code == 302, all_errors(response)
    assert set(columns(name)) == {"a1", "a3"}
    assert Trigger.objects.filter(flow__name=name).count() == 3


def test_a_trigger_with_pending_jobs_is_not_deleted(alice: Client) -> None:
    name = define(alice)
    api.start(name)

    response = change(alice, name, **{"triggers-0-DELETE": "on"})

    assert "pending" in errors_at(response, "triggers-0:row"), all_errors(response)
    assert Trigger.objects.filter(flow__name=name).count() == 4


def test_all_mistakes_of_the_triggers_are_shown_at_once(alice: Client) -> None:
    typed = {"triggers-0-predicate": "nowhere", "triggers-2-predicate": "elsewhere"}

    response = alice.post(ADD, opened(alice, ADD) | figure_two(unique()) | typed)

    assert "nowhere" in errors_at(response, "triggers-0-predicate")
    assert "elsewhere" in errors_at(response, "triggers-2-predicate")
    assert not errors_at(response, "triggers-1-predicate")


def test_what_only_the_commit_finds_is_shown_on_the_page(alice: Client) -> None:
    name = define(alice)
    with connection.cursor() as cursor:
        cursor.execute(
            "create function pg_temp.late() returns trigger language plpgsql as"
            " $$ begin raise exception 'Found late.' using errcode = 'WD010'; end $$;"
            " create constraint trigger zz_late after update on wedsql.trig deferrable initially deferred"
            " for each row execute function pg_temp.late()"
        )

    response = change(alice, name, **{"triggers-0-label": "first"})

    assert response.status_code == 200
    assert "Found late." in errors_at(response, ":row"), all_errors(response)
    assert not Trigger.objects.filter(flow__name=name, label="first").exists()


def test_somebody_who_may_only_look_cannot_save(alice: Client) -> None:
    name = define(alice)
    carol = User.objects.create_user("carol", is_staff=True)
    carol.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))

    response = browser(carol).get(page(name))
    assert response.status_code == 200
    assert b'name="_save"' not in response.content
    fields = opened(alice, page(name)) | {"label": "Mine"}
    assert browser(carol).post(page(name), fields).status_code == 403


def test_the_web_role_is_all_that_the_page_needs(alice: Client) -> None:
    with connection.cursor() as cursor:
        grants.grant_django_tables(cursor)
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


def test_a_flow_with_instances_is_not_deleted_and_the_page_says_why(alice: Client) -> None:
    name = define(alice)
    api.start(name)
    address = reverse("admin:flows_flow_delete", args=(Flow.objects.get(name=name).pk,))

    assert "has instances" in alice.get(address).content.decode()
    response = alice.post(address, {"post": "yes"}, follow=True)

    assert "has instances" in response.content.decode()
    assert Flow.objects.filter(name=name).exists()
    assert schema_exists(name)


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
