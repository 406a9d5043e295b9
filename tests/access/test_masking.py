"""The values of masked and hidden attributes reach no user who may not reveal them, at no address."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.contrib.auth.models import Group, Permission, User
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern

from flows import access, api
from flows.errors import WedError
from monitor.tests.server.live_browser import Browser, play
from monitor.tests.server.programs import problem, program
from testkit.cases import some
from tests.access.conftest import SampleData
from tests.addresses import filled, patterns

PAGE = (Path(__file__).parents[2] / "docs" / "roles.md").read_text()
MARKS = ("Marta Silva", "48151623")
# Who may not reveal values; of the routes outside and inside of the admin a short run has one in so many.
SHARES = {"own clerk": (2, 2), "senior": (1, 1), "staff who reads tables": (2, 1)}
# Streams that do not end, and addresses that end the session.
ENDLESS = ("api/v1/events", "logout")


@pytest.fixture
def secret(sample: SampleData) -> SampleData:
    """An exception whose customer is masked and whose weight is hidden, with these values everywhere."""
    parcels = sample.parcels
    parcels.connection.execute(
        f"update {parcels.flow}.wed_attr set visibility = 'masked', business_key = true"
        " where aname = 'customer'"
    )
    parcels.connection.execute(
        f"update {parcels.flow}.wed_attr set visibility = 'hidden' where aname = 'weight'"
    )
    parcels.connection.execute(
        f"insert into {parcels.flow}.wed_trig (tgname, trname, cname, cpred)"
        " values ('g_nobody', 'tr_label', 'c_nobody', $$customer = 'Nobody' and weight = 1$$)"
    )
    values = {"customer": MARKS[0], "weight": MARKS[1]}
    api.instances.cancel(sample.wid, "Only one job waits.")
    sample = SampleData(parcels, parcels.start(**values), sample.rows, sample.bulk)
    parcels.do("tr_label", sample.wid, extra={}, customer=f"{MARKS[0]} II")
    leased = api.jobs.lease_many(parcels.flow, ["tr_pack"], 9, "robot-1", conn=parcels.connection)
    (job,) = (each for each in leased if each.wid == sample.wid)
    api.operations.release_job(sample.wid, job.id, "It hangs.", conn=parcels.connection)
    parcels.do("tr_pack", sample.wid, stage="lost", customer=MARKS[0])
    with pytest.raises(WedError):  # it comes too late
        api.jobs.complete(job, {"customer": f"{MARKS[0]} IV"}, actor="robot-1", conn=parcels.connection)
    api.repairs.decide_late(conn=parcels.connection)
    api.repairs.repair(sample.wid, "patch", {"changes": {"stage": "new"}}, "Again.")
    parcels.park("tr_pack", sample.wid, f"{MARKS[0]} is unknown")
    number = api.cases.list([parcels.flow], {"wid": sample.wid})[0].number
    return SampleData(parcels, sample.wid, sample.rows | {"case": number}, sample.bulk)


def text(answer: HttpResponse) -> str:
    if answer.streaming:
        return b"".join(answer.streaming_content).decode("utf-8", "replace")
    return answer.content.decode("utf-8", "replace")


def routes_for(role: str) -> list[tuple[str, URLPattern]]:
    """Return the routes that a role asks for in a short run: the senior, who may see the most, for all.

    The clerk asks for every second one, and so does the staff outside of the admin.
    """
    outside, admin = (
        [each for each in patterns() if each[0].startswith("admin/") is wanted] for wanted in (False, True)
    )
    return some(outside, SHARES[role][0]) + some(admin, SHARES[role][1])


def walk(
    client: Client, data: SampleData, methods: tuple[str, ...], routes: Iterable[tuple[str, URLPattern]]
) -> Iterator[tuple[str, str]]:
    """Yield the address of each route with its answer; some with a step, a view, or a moment of the past."""
    for route, pattern in routes:
        if any(each in route for each in ENDLESS):
            continue
        values = data.values(route) | ({"seq": "2"} if "<int:seq>" in route else {})
        address = filled(route, pattern, values)
        for method in methods:
            yield f"{method} {address}", text(getattr(client, method)(address))
    flow, one = f"/flows/{data.parcels.flow}/", f"/instances/{data.wid}/"
    for address in (
        *(f"{one}?view={view}" for view in ("timeline", "tree")),
        f"{one}steps/3/?compare=1", f"{one}why/?step=2", f"{one}repair/?operation=skip",
        f"{one}repair/?operation=rollback&step=1",
        *(f"{each}?{query}" for each in (flow, "/instances/", "/exceptions/", "/cases/", "/")
          for query in ("columns=customer,weight", "at=-1s", "as_of=-1s", "status=E")),
        f"/flows/{data.parcels.flow}/jobs/?state=parked", f"/live{flow}?wids={data.wid}&columns=customer",
        f"/live{one}?seq=0", "/search/results/?q=Mart",
        f"/api/v1{flow}jobs?state=parked", f"/api/v1{flow}instances?columns=stage",
        f"/admin/flows/traceentry/{data.wid}.2/change/",
    ):  # fmt: skip
        yield address, text(client.get(address))


def last_look(data: SampleData) -> int:
    return max((one.id for one in api.looks.list(data.parcels.flow, limit=1)), default=0)


def found_in(client: Client, data: SampleData, routes: Iterable[tuple[str, URLPattern]]) -> set[str]:
    answers = walk(client, data, ("get", "post"), routes)
    return {address for address, answer in answers if any(mark in answer for mark in MARKS)}


def reader(data: SampleData, name: str) -> User:
    """Return a user of a role that may not reveal values."""
    if name == "staff who reads tables":
        user = User.objects.create_user(f"{name} in the matrix", is_staff=True)
        names = [f"view_{model}" for model in ("flow", "instance", "job", "traceentry", "joblog")]
        user.user_permissions.set(
            Permission.objects.filter(content_type__app_label="flows", codename__in=names)
        )
        return user
    if name == "senior":
        user = User.objects.create_user(f"{name} in the matrix")
        groups = [f"flow:{data.parcels.flow}:{action}" for action in ("repair", "operate")]
        user.groups.set([Group.objects.get_or_create(name=each)[0] for each in groups])
        return user
    return data.user(name)


@pytest.mark.parametrize("role", SHARES)
def test_no_address_shows_a_value_that_the_user_may_not_see(role: str, secret: SampleData) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(reader(secret, role))
    assert found_in(client, secret, routes_for(role)) == set()


def test_who_may_reveal_values_sees_none_without_a_recorded_look(secret: SampleData) -> None:
    """That they see many shows that the walk of the others proves something."""
    client = Client(raise_request_exception=False)
    client.force_login(secret.user("superuser"))
    before, unrecorded, shown, seen = last_look(secret), [], 0, set()
    for address, answer in walk(client, secret, ("get",), patterns()):
        now, place = last_look(secret), address.removeprefix("get ")
        place = place.partition("?")[0] if place.startswith("/live/") else place
        if any(mark in answer for mark in MARKS):
            shown += 1
            unrecorded += [address] if now == before and place not in seen else []
        before, seen = now, seen | {place}
    assert unrecorded == [] and shown >= 20


@pytest.mark.parametrize("action", ["reveal", "design"])
def test_values_are_revealed_by_a_right_of_the_flow(action: str, secret: SampleData) -> None:
    user = secret.user("viewer")
    user.groups.add(Group.objects.get_or_create(name=f"flow:{secret.parcels.flow}:{action}")[0])
    client = Client()
    client.force_login(user)
    assert MARKS[0] in client.get(f"/instances/{secret.wid}/").content.decode()
    assert "reveal" in access.rights(user, secret.parcels.flow)


def test_the_name_of_a_lock_is_concealed_with_the_values_in_it(secret: SampleData) -> None:
    parcels = secret.parcels
    parcels.connection.execute(
        f"update {parcels.flow}.wed_trig set lock = '/{{customer}}' where trname = 'tr_label'"
    )
    _first, second = (parcels.start(customer=MARKS[0], weight=MARKS[1]) for _n in range(2))
    client = secret.client("own clerk")()
    for address in (f"/instances/{second}/", f"/instances/{second}/why/"):
        page = client.get(address).content.decode()
        assert "It waits for “…”" in page and MARKS[0] not in page, address


def test_the_name_of_a_masked_attribute_is_shown_and_a_hidden_one_is_not(secret: SampleData) -> None:
    client = secret.client("own clerk")()
    page = client.get(f"/instances/{secret.wid}/").content.decode()
    assert "You may not see this value." in page and "Customer" in page and "weight" not in page
    denied = client.get(f"/flows/{secret.parcels.flow}/export.csv")
    assert denied.status_code == 403 and "values of the flow that you may not see" in denied.content.decode()


@pytest.mark.parametrize(
    "query",
    ["customer:Marta*", "customer~Mart", "weight>1", "where:\"customer ~ 'Marta'\"", "key^Marta", "Marta"],
)
def test_no_filter_finds_by_a_concealed_value(query: str, secret: SampleData) -> None:
    """Neither in the list of the flow, nor in that of all flows, nor over HTTP."""
    client, flow = secret.client("own clerk")(), f"/flows/{secret.parcels.flow}/"
    for address in (flow, "/instances/"):
        assert f"/instances/{secret.wid}/" not in text(client.get(address, {"q": query})), address
    for address in (f"/api/v1{flow}instances", "/api/v1/instances"):
        listed, counted = (client.get(f"{address}{part}", {"q": query}) for part in ("", "/count"))
        assert listed.status_code != 200 or listed.json()["items"] == []
        assert counted.status_code != 200 or counted.json()["n"] == 0


def test_a_concealed_attribute_is_not_written_blind(secret: SampleData) -> None:
    user = secret.user("own clerk")
    caller, path = program(user, "handle"), f"/instances/{secret.wid}/repair"
    blind = {"operation": "patch", "arguments": {"changes": {"customer": "Eve"}}}
    problem(caller.post(f"{path}/preview", blind), 403)
    problem(caller.post(path, blind | {"reason": "x"}), 403)
    wait = f"/cases/{secret.rows['case']}/wait"
    problem(caller.post(wait, {"condition": "customer = 'Eve'"}), 403)
    client = Client()
    client.force_login(user)
    form = {"do": "preview", "value-stage": "sent", "value-customer": "Eve", "reason": "x"}
    page = client.post(f"/instances/{secret.wid}/repair/", form).content.decode()
    assert "no longer asks for" in page and "becomes final" not in page and MARKS[0] not in page
    assert api.reasons.explain_instance(secret.wid).state["customer"] == MARKS[0]


def test_the_example_of_the_documentation_conceals_what_it_says(sample: SampleData) -> None:
    example = PAGE.partition("```yaml\n")[2].partition("```")[0]
    name, session = f"{sample.parcels.flow}_tax", sample.parcels.connection
    api.flows.create(name, conn=session)
    try:
        rule = {"transition": "tr_x", "predicate": "tax_number is not null"}
        api.flows.publish(name, yaml.safe_load(example) | {"triggers": [rule]}, conn=session)
        wid = api.instances.start(name, {"tax_number": MARKS[0], "income": MARKS[1]}, conn=session)
        for group, seen in ((name, False), (f"{name}:reveal", True)):
            user = User.objects.create_user(f"{group} in the matrix")
            user.groups.add(Group.objects.get_or_create(name=f"flow:{group}")[0])
            client = Client()
            client.force_login(user)
            page = client.get(f"/instances/{wid}/").content.decode()
            assert [mark in page for mark in MARKS] == [seen, seen]
            assert ("income" in page, "tax_number" in page) == (seen, True)
    finally:
        session.execute("select wedsql.drop_flow(%s, true)", [name])
        Group.objects.filter(name__startswith=f"flow:{name}").delete()


def test_live_frames_have_no_value(secret: SampleData, settings: Any, dsn: str) -> None:
    settings.MONITOR_DATABASE_URL = dsn
    client = secret.client("own clerk")()

    async def story() -> None:
        line = await Browser(client, f"/ws/instances/{secret.wid}/").opened()
        api.repairs.repair(secret.wid, "patch", {"changes": {"customer": f"{MARKS[0]} III"}}, "x",
                   conn=secret.parcels.connection)  # fmt: skip
        frame = await line.receive_from(60)
        assert str(secret.wid) in frame and MARKS[0] not in frame
        await line.disconnect()

    play(story)
