"""Invalid input to the page of a flow gets a response without a server error, and nothing is partly saved."""

from __future__ import annotations

import random
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from flows import api
from flows.admin.forms import DatabaseErrorFormSet
from flows.models import Attribute
from flows.tests.designer import ADD, blank, browser, page
from flows.tests.pages import figure_two, opened, unique
from flows.tests.spread import seeds
from testkit.cases import some

pytestmark = pytest.mark.django_db

HOSTILE = (
    *(
        "\x00",
        "a\x00b",
        "'; drop schema wedsql cascade; --",
        "%s",
        "%(x)s",
        "{}",
        "{0.__class__}",
        "$$",
        "\\",
    ),
    *(
        "9" * 400,
        "-1",
        "0",
        "NaN",
        "infinity",
        "1e999",
        "\uff11\uff12",
        "\u202e",
        "🙂",
        " ",
        "\r\n",
        "on",
        "null",
        "wid",
    ),
    *(
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "a" * 5000,
        "((((" * 500,
        "a1 = 'x",
        "/*",
        "--",
    ),
)


@pytest.fixture
def mallory(db: None) -> Client:
    return browser(User.objects.create_superuser("mallory"))


@pytest.fixture
def name(fig2: str) -> str:
    return fig2


@pytest.mark.parametrize("seed", seeds(10, short=3))
def test_hostile_values_in_any_field_are_answered(mallory: Client, name: str, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a repeatable test, the seed is in its name
    fields = opened(mallory, page(name))
    before = api.flows.definition(name)
    changed = {field: chance.choice(HOSTILE) for field in chance.sample(sorted(fields), 3)}

    response = mallory.post(page(name), fields | changed)

    assert response.status_code in (200, 302), changed
    if response.status_code == 200:
        assert api.flows.definition(name) == before
        html = response.content.decode()
        assert "<script>alert(1)" not in html
        assert "<img src=x" not in html
    columns = {attribute["name"] for attribute in api.flows.definition(name)["attributes"]}
    with connection.cursor() as cursor:
        cursor.execute(
            "select column_name from information_schema.columns"
            " where table_schema = %s and table_name = 'wed_flow' and column_name <> 'wid'",
            [name],
        )
        assert {row[0] for row in cursor.fetchall()} == columns


@pytest.mark.parametrize(
    "field", ["attributes-0-aid", "triggers-0-tgid", "attributes-0-flow", "seen_version"]
)
def test_hidden_fields_are_not_trusted(mallory: Client, name: str, field: str) -> None:
    for value in some(("", "abc", "-5", "999999999999", "\x00"), 2, first=len(field)):
        fields = opened(mallory, page(name))
        before = api.flows.definition(name)

        response = mallory.post(page(name), fields | {field: value, "label": f"Mine {value}"})

        assert response.status_code in (200, 302), value
        if response.status_code == 200:
            assert api.flows.definition(name) == before


def test_a_broken_count_of_rows_is_answered_and_changes_nothing(mallory: Client, name: str) -> None:
    before = api.flows.definition(name)
    for total in some(("", "x", "-1", "1001", "99999999999999"), 2):
        fields = opened(mallory, page(name)) | {"attributes-TOTAL_FORMS": total}

        assert mallory.post(page(name), fields).status_code in (200, 302), total
        assert api.flows.definition(name) == before


@pytest.mark.parametrize("inline", ["attributes", "triggers"])
def test_a_request_does_not_say_how_much_is_drawn(mallory: Client, name: str, inline: str) -> None:
    before = api.flows.definition(name)
    honest = len(mallory.get(page(name)).content)
    for count in ("TOTAL_FORMS", "INITIAL_FORMS"):
        fields = opened(mallory, page(name)) | {f"{inline}-TOTAL_FORMS": "2147483648"}
        response = mallory.post(page(name), fields | {f"{inline}-{count}": "2147483648"})
        assert response.status_code == 200
        assert "Please submit at most" in response.content.decode()
        assert len(response.content) < honest + DatabaseErrorFormSet.MAX_NEW_ROWS * 60_000
    assert api.flows.definition(name) == before


NEEDED = (("type", "text"), ("visibility", "masked"))


def test_fifty_rows_may_be_added_at_once(mallory: Client, name: str) -> None:
    before = len(api.flows.definition(name)["attributes"])
    new = range(before, before + DatabaseErrorFormSet.MAX_NEW_ROWS)
    rows = {f"attributes-{n}-name": f"x{n}" for n in new}
    kinds = {f"attributes-{n}-{field}": text for n in new for field, text in NEEDED}
    total = {"attributes-TOTAL_FORMS": str(before + DatabaseErrorFormSet.MAX_NEW_ROWS)}
    assert mallory.post(page(name), opened(mallory, page(name)) | rows | kinds | total).status_code == 302
    assert len(api.flows.definition(name)["attributes"]) == before + DatabaseErrorFormSet.MAX_NEW_ROWS


def test_a_row_of_another_flow_cannot_be_reached(mallory: Client, name: str) -> None:
    other = unique()
    assert mallory.post(ADD, blank(mallory) | figure_two(other)).status_code == 302
    foreign = Attribute.objects.get(flow__name=other, name="a1")
    fields = opened(mallory, page(name)) | {
        "attributes-0-aid": str(foreign.pk),
        "attributes-0-flow": str(foreign.flow_id),
        "attributes-0-default": "stolen",
    }

    mallory.post(page(name), fields)

    assert Attribute.objects.get(pk=foreign.pk).default == "ready"
    assert Attribute.objects.get(pk=foreign.pk).flow.name == other


def test_a_flow_that_is_not_there_is_answered(mallory: Client) -> None:
    for key in ("0", "abc", "99999999999999999999", "9" * 5_000, "1'--", "\x00"):
        address = f"/admin/flows/flow/{quote(key)}"

        assert mallory.get(f"{address}/change/").status_code in (302, 404)
        assert mallory.post(f"{address}/change/", {"name": "x"}).status_code in (302, 404)
        assert mallory.post(f"{address}/delete/", {"post": "yes"}).status_code in (302, 404)
