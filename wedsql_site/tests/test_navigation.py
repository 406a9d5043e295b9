"""The header of every page: the areas that the user may open, where the page is, and the search."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from flows import api
from flows.tests.pages import unique
from flows.users.groups import create_groups
from tests.addresses import monitor_pages
from wedsql_site.navigation import PAGES

pytestmark = pytest.mark.django_db
ON_INSTANCES = re.compile("from .*(wed_flow|wedsql.instance)")
DEFINITION = {
    "label": "Orders",
    "attributes": [{"name": "code", "business_key": True}, {"name": "note"}],
    "triggers": [{"transition": "tr_x", "predicate": "code is not null"}],
}


@pytest.fixture
def flow() -> str:
    name = unique("nav")
    api.flows.create(name)
    api.flows.publish(name, DEFINITION)
    return name


@pytest.fixture
def carol() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("carol"))
    return client


def member(*groups: str) -> Client:
    create_groups()
    user, client = User.objects.create_user("member"), Client()
    user.groups.set([Group.objects.get_or_create(name=group)[0] for group in groups])
    client.force_login(user)
    return client


def areas(client: Client, address: str = "/") -> list[str]:
    """Return the areas that the header of a page shows."""
    found = re.search(r'<nav class="main-nav".*?</nav>', client.get(address).content.decode(), re.DOTALL)
    assert found
    return re.findall(r">\s*(\w+)</a>", found[0])


def results(client: Client, wanted: str) -> list[tuple[str, str, str]]:
    """Return the group, the title and the address of each result of the search."""
    groups = json.loads(client.get("/search/results/", {"q": wanted}).content)["groups"]
    return [(group["title"], each["title"], each["address"]) for group in groups for each in group["results"]]


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ((), ["Work", "Watch", "System"]),
        (("flow:x",), ["Work", "Watch", "System"]),
        (("flow:x:design",), ["Work", "Design", "Watch", "System"]),
        (("flow:x:approve",), ["Work", "Design", "Watch", "System"]),
        (("flow:x:repair",), ["Work", "Watch", "Repair", "System"]),
        (("flow:x:approve_repair",), ["Work", "Watch", "Repair", "System"]),
        (("flow designers",), ["Work", "Design", "Watch", "System"]),
        (("flow repairers",), ["Work", "Watch", "Repair", "System"]),
    ],
)
def test_an_area_is_shown_to_users_who_may_open_it(groups: tuple[str, ...], expected: list[str]) -> None:
    client = member(*groups)
    assert areas(client) == expected


def test_the_header_follows_what_the_user_may_do_now() -> None:
    """What the header shows is kept for users who may do the same, so that each request asks for it again."""
    client, user = member(), User.objects.get(username="member")
    for group, area in {
        "flow:x:design": "Design",
        "flow:x:repair": "Repair",
        "flow repairers": "Repair",
    }.items():
        assert area not in areas(client)
        user.groups.add(Group.objects.get_or_create(name=group)[0])
        assert area in areas(client)
        user.groups.clear()
    links = {}
    for is_staff in (False, True, False):
        User.objects.filter(pk=user.pk).update(is_staff=is_staff)
        links[is_staff] = set(re.findall(r'<a href="(/[^"]*)"', client.get("/").content.decode()))
    assert "/controls/" in links[True] - links[False]


def test_the_header_is_in_the_language_of_each_request(carol: Client) -> None:
    for language, expected in (("en", "Repair"), ("pt-br", "Reparar"), ("en", "Repair")):
        client = Client(headers={"accept-language": language})
        client.cookies = carol.cookies
        assert expected in areas(client), language


def test_only_the_page_itself_is_marked(carol: Client) -> None:
    for address in ("/instances/", "/errors/", "/instances/?q=status:final", "/nowhere/", "/errors/"):
        html = carol.get(address).content.decode()
        marked = re.findall(r'<a href="([^"]*)" aria-current="page"', html)
        assert set(marked) == ({address.partition("?")[0]} - {"/nowhere/"}), address


PLACES = {
    "/": ("Watch", ["Watch", "Flows"]),
    "/workers/": ("System", ["System", "Workers"]),
    "/exceptions/": ("Repair", ["Repair", "Exceptions"]),
    "/admin/": ("System", ["System", "Overview"]),
    "/admin/auth/group/": ("System", ["System", "Groups"]),
    "/admin/auth/group/add/": ("System", ["System", "Groups", "Add group"]),
    "/admin/flows/instance/": ("Watch", ["Watch", "Instances"]),
    "/admin/flows/flow/": ("Design", ["Design", "Flows"]),
    "/admin/flows/flow/{id}/design/": ("Design", ["Design", "Orders", "Rules"]),
    "/admin/flows/flow/{id}/change/": ("Design", ["Design", "Flows", "Orders"]),
    "/flows/{name}/": ("Watch", ["Watch", "Orders"]),
}


@pytest.mark.parametrize("address", PLACES)
def test_each_page_says_where_it_is(address: str, carol: Client, flow: str) -> None:
    number = _number(flow)
    html = carol.get(address.format(id=number, name=flow)).content.decode()
    area, crumbs = PLACES[address]
    [current] = re.findall(
        r'<a href="[^"]*"\s+aria-current="(?:page|true)">([^<]*)</a>', _part(html, "main-nav")
    )
    assert current == area
    assert re.findall(r">\s*([^<>]+?)\s*</(?:a|span)>", _part(html, "crumbs")) == crumbs
    assert 'aria-current="page"' in _part(html, "crumbs")
    assert 'id="palette"' in html and 'href="/search/"' in html


def test_each_page_that_the_header_leads_to_says_where_it_is(carol: Client) -> None:
    """Say it by breadcrumbs, and by a heading that names what is listed; offline work has its own frame."""
    header = carol.get("/").content.decode().partition("</header>")[0]
    addresses = set(re.findall(r'<a href="(/[^"#?]*)"', header)) - {
        reverse("monitor:offline"),
        reverse("search"),
    }
    pages = {each: carol.get(each) for each in addresses if not each.startswith("/accounts/")}
    shown = {each: page.content.decode() for each, page in pages.items() if page.status_code == 200}
    assert len(shown) > 15
    assert [each for each in shown if 'class="crumbs"' not in shown[each]] == []
    assert [each for each in shown if re.search(r"<(h1|title)>\s*Select ", shown[each])] == []


def _part(html: str, name: str) -> str:
    found = re.search(rf'<nav class="{name}".*?</nav>', html, re.DOTALL)
    assert found, name
    return found[0]


def _number(flow: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute("select id from wedsql.flow where name = %s", [flow])
        return int(cursor.fetchone()[0])


def test_a_flow_is_found_by_its_name_its_label_and_a_word_of_its_tabs(carol: Client, flow: str) -> None:
    page = reverse("monitor:flow", args=[flow])
    assert results(carol, flow.upper())[0] == ("Flows", "Orders", page)
    assert ("Flows", "Orders", page) in results(carol, "order")
    versions = reverse("admin:flows_flow_versions", args=[_number(flow)])
    assert ("Actions", "Orders: Versions", versions) in results(carol, "orders versions")


def test_an_instance_is_found_by_its_number_its_start_key_and_its_business_key(
    carol: Client, flow: str
) -> None:
    wid = api.instances.start(flow, {"code": "AB_12%c", "note": "hidden"}, key="start-77")
    other = api.instances.start(flow, {"code": "ABX12"})
    mine = ("Instances", f"Instance {wid}", f"/instances/{wid}/")
    for wanted in (str(wid), "start-77", "ab_1", "AB_12%", "AB_12%c"):
        assert results(carol, wanted)[0] == mine, wanted
        assert f"/instances/{other}/" not in [address for *_, address in results(carol, wanted)], wanted
    assert mine not in results(carol, "hidden") and mine not in results(carol, "start-7")


def test_a_filter_leads_to_its_list_if_the_user_sees_the_attributes(carol: Client, flow: str) -> None:
    wanted = 'note:"a b" since:1h'
    address = "/instances/?q=note%3A%22a+b%22+since%3A1h"
    assert results(carol, wanted)[0] == ("List of instances", wanted, address)
    assert results(carol, "status:exception")[0][0] == "List of instances"
    for other, text in [(carol, "nothing:x"), (carol, "note"), (carol, "note:"), (member(), wanted)]:
        assert "List of instances" not in [group for group, *_ in results(other, text)], text


@pytest.mark.parametrize(
    "wanted", ["", " ", "%", "_", "'", "\\", "\x00", "0", "9" * 300, "ä" * 300, "🦄", "-1"]
)
def test_any_text_is_answered(wanted: str, carol: Client, flow: str) -> None:
    api.instances.start(flow, {"code": "x"})
    assert carol.get("/search/", {"q": wanted}).status_code == 200
    assert len(results(carol, wanted)) < 40


@pytest.fixture
def many(flow: str) -> Iterator[str]:
    """A flow with instances enough that the planner would rather read the whole table than do nothing."""
    api.instances.start_many(flow, [{"code": f"order-{n}"} for n in range(3000)])
    with connection.cursor() as cursor:
        cursor.execute(f"analyze {flow}.wed_flow")
        cursor.execute("analyze wedsql.instance")
    yield flow


@pytest.mark.parametrize("wanted", ["order-17", "order", "1", "17", "nothing"])
def test_no_search_reads_a_table_of_instances(wanted: str, carol: Client, many: str) -> None:
    with CaptureQueriesContext(connection) as captured:
        results(carol, wanted)
    plans = [
        plan(query["sql"])
        for query in captured.captured_queries
        if "seqscan" in query["sql"] or ON_INSTANCES.search(query["sql"])
    ]
    assert any(plans)
    for found in plans:
        assert not re.search(r"Seq Scan on (wed_flow|instance)", found), found


def plan(statement: str) -> str:
    """Return the plan of a query; a setting is made."""
    with connection.cursor() as cursor:
        if not ON_INSTANCES.search(statement):
            cursor.execute(statement)
            return ""
        cursor.execute(f"explain {statement}")
        return "\n".join(line for (line,) in cursor.fetchall())


def test_the_business_key_is_in_the_list_and_the_title(carol: Client, flow: str) -> None:
    wid = api.instances.start(flow, {"code": "AB-12"})
    listed = carol.get(f"/flows/{flow}/").content.decode()
    assert 'title="Business key: AB-12">AB-12<' in listed
    page = carol.get(f"/instances/{wid}/").content.decode()
    assert 'title="Business key">AB-12<' in page and f"<title>{wid} AB-12 ·" in " ".join(page.split())


def test_every_page_of_the_monitor_is_in_an_area() -> None:
    assert monitor_pages() - PAGES.keys() == set(), "name its area in PAGES of wedsql_site/navigation.py"
