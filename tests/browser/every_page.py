"""The addresses of every page for people, of a shop with instances in every status and two drafts."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from flows import api
from flows.capabilities.approvals.api import ApprovalRule
from flows.capabilities.sla.api import Calendar, Sla
from flows.capabilities.webhooks.api import Webhook
from flows.errors import WedError
from flows.tests.bpmn.files.bpmn_files import ORDER
from flows.types import DraftAt
from monitor.tests.conftest import Parcels
from testkit.waiting import until_counted
from testkit.web import WebServer
from tests.browser.conftest import Login

DESIGN = (
    "design/", "design/?rule=1", "design/?rule=5", "design/?rule=new", "design/attributes/",
    "design/attributes/?attribute=7", "design/forms/", "design/text/", "design/paste/?part=triggers",
    "design/settings/",
    "design/wsql/", "pdl/",
    "picture/", "try/", "checks/", "publish/", "versions/", "what-if/", "design/draft/",
)  # fmt: skip
NEW = (
    "design/", "design/attributes/", "design/forms/", "design/settings/", "design/text/", "try/", "publish/",
)  # fmt: skip
OWN = (
    "/", "/?at={t}", "/flows/{f}/", "/flows/{f}/?at={t}", "/flows/{f}/picture/?at={t}",
    "/flows/{f}/picture/",
    "/flows/{f}/diagram/",
    "/flows/{f}/analysis/?window=hour",
    "/flows/{f}/analysis/steps/?transition=tr_charge", "/flows/{f}/?status=E",
    "/flows/{f}/?q=status:running+or+not+has:stock", "/flows/{f}/jobs/",
    "/flows/{f}/start/", "/flows/{f}/slas/", "/flows/{f}/audit/?kind=changes", "/flows/{f}/case-rules/",
    "/flows/{f}/signals/", "/flows/{f}/locks/", "/moves/", "/instances/{w}/hand-over/",
    "/flows/{f}/case-rules/edit/?kind=queues", "/flows/{f}/case-rules/edit/?kind=approvals",
    "/cases/repair/?flow={f}&cause=STUCK&signature=",
    "/flows/{f}/slas/edit/", "/flows/{f}/calendars/edit/", "/flows/{f}/start/csv/", "/instances/{w}/",
    "/instances/{w}/children/", "/instances/{w}/?view=timeline", "/instances/{w}/?view=tree",
    "/instances/{w}/steps/2/",
    "/instances/{w}/why/", "/instances/{w}/repair/", "/instances/{w}/cancel/", "/instances/{parked}/repair/",
    "/instances/{late}/repair/", "/cases/proposals/{proposal}/", "/cases/?show=closed", "/cases/",
    "/cases/approvals/", "/cases/delegations/", "/cases/digests/", "/cases/reports/", "/cases/{c}/rule/",
    "/tasks/", "/tasks/?show=open", "/tasks/?show=team&flow={f}", "/tasks/{task}/",
    "/messages/", "/tasks/absences/", "/tasks/mails/", "/tasks/?show=team", "/views/?list=tasks",
    "/instances/{w}/tasks/",
    "/errors/", "/errors/{error}/",
    "/exceptions/", "/workers/", "/workers/keys/", "/people/", "/devices/", "/devices/{device}/",
    "/health/", "/controls/", "/search/?q=a",
    "/flows/{f}/webhooks/", "/flows/{f}/webhooks/new/", "/webhooks/{hook}/",
    "/accounts/security/", "/accounts/password/", "/nope/", "/admin/flows/flow/", "/admin/flows/flow/new/",
    "/admin/flows/flow/import/", "/admin/flows/flow/pdl/", "/admin/flows/flow/gallery/order/",
    "/admin/flows/flow/gallery/wcp20/",
    *(f"/admin/flows/flow/{{id}}/{tab}" for tab in DESIGN),
    *(f"/admin/flows/flow/new/{{new}}/{tab}" for tab in NEW),
)  # fmt: skip
NOON = "2026-05-01T12:00:00Z"
# Pages of Django's admin in our frame: the rules that are law, not those that are advice.
STOCK = ("/admin/", "/admin/flows/instance/", "/admin/flows/job/", "/admin/auth/user/")
PAGES = (*OWN, *STOCK)


def keep_diagram(orders: Parcels) -> None:
    """Give the flow a diagram in which some elements have jobs."""
    origins = {"tr_charge": "charge", "tr_reserve": "pack"}
    source = {"language": "bpmn", "format": "xml", "text": ORDER.decode()}
    parts = {"map": {"process": "p", "attributes": {}, "transitions": origins}}
    api.flows.keep_source(orders.flow, source | parts, conn=orders.connection)


def error_of(orders: Parcels, wid: int) -> int:
    """Return the number of an error by which an attempt of an instance failed."""
    orders.connection.execute(
        "insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, message)"
        " values (1, %s, 1, %s, 'tr_charge', wedsql.now(), 'failed', 'cards.Down: no answer to order 7')",
        [wid, orders.flow_id],
    )
    until_counted(orders.connection)
    return int(orders._one("select min(failure_id) from wedsql.failure_instance where wid = %s", wid))


@pytest.fixture
def addresses(
    loaded: Callable[[str], str],
    connect: Callable[..., psycopg.Connection[Any]],
    server: WebServer,
    login: Login,
) -> Iterator[dict[str, str]]:
    """The address of each page by its path.

    The shop has instances in every status and a draft with problems. Another flow has only a draft.
    """
    orders = Parcels(loaded("orders"), connect())
    give_roles(orders)
    orders.start(customer="Ana", total=12)
    declined = orders.start(customer="Bruno", total=30)
    orders.do("tr_charge", declined, payment="declined")
    orders.do("tr_reserve", declined, stock="reserved")
    parked = orders.start(customer="Carla", total=5)
    orders.park("tr_charge", parked, "the card company does not answer")
    late = deliver_late(orders)
    deliver(orders, orders.start(customer="Diego", total=80))
    orders.connection.execute("select wedsql.cancel(%s, 'ordered twice')", [orders.start(customer="Eva")])
    keep_diagram(orders)
    serves = [[f"{orders.flow}:{name}" for name in ("tr_charge", "tr_reserve", "tr_invoice")]]
    register = "select wedsql.register_worker('cluster', 'a-worker-of-the-shop', 'here', 1, %s)"
    (worker,) = orders.connection.execute(register, serves).fetchone() or (0,)
    new = f"{orders.flow}_new"
    until_counted(orders.connection)
    revision = open_drafts(orders, new)
    webhook = Webhook("https://example.org/a-long-address-of-a-receiver", query="total>10", secret="quiet")
    login("alice", "/")
    task = take_task(orders)
    hook = api.webhooks.save(orders.flow, webhook, "alice", conn=orders.connection).id
    api.webhooks.send_test_message(hook, conn=orders.connection)
    key = f"packing-{orders.flow}"
    api.workers.create_key(key, {orders.flow: ["tr_reserve"]}, "alice", conn=orders.connection)
    api.workers.rotate_key(key, "alice", conn=orders.connection)
    define_slas(orders)
    moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    case = api.cases.list([orders.flow], {"wid": declined}, conn=orders.connection)[0].number
    places = {"f": orders.flow, "id": orders.flow_id, "w": declined, "new": new, "t": moment, "hook": hook}
    places |= {
        "c": case,
        "error": error_of(orders, parked),
        "parked": parked,
        "late": late,
        "proposal": propose(orders, declined),
        "task": task,
        "device": use_device(orders),
    }
    yield {path: server.url + path.format_map(places)[1:] for path in PAGES}
    api.drafts.discard(revision, conn=orders.connection)
    orders.connection.execute("select wedsql.unregister_worker(%s)", [worker])


def take_task(orders: Parcels) -> int:
    """Give people a task, of which alice has taken one and may take another; return the number of hers."""
    orders.connection.execute(
        f"insert into {orders.flow}.wed_trig (trname, cpred, performer, role, deadline, offline, outcomes,"
        " label, description) values ('tr_call', 'total = 4242', 'person', 'Caller', '30 hours', true,"
        " array[$$He is satisfied: total = 1$$, $$He complains about the delay of his order: total = 2$$],"
        " 'Call the customer', 'Ask whether the order has arrived.')"
    )
    orders.connection.execute(
        "with g as (insert into auth_group (name) values ('role:Caller') on conflict (name) do update"
        " set name = excluded.name returning id) insert into auth_user_groups (user_id, group_id)"
        " select u.id, g.id from auth_user u, g where u.username = 'alice' on conflict do nothing"
    )
    for customer in ("Fátima", "Gil"):
        orders.start(customer=customer, total=4242)
    task = api.tasks.open("alice", ["r:Caller"], flow=orders.flow, conn=orders.connection)[0].job_id
    api.tasks.take(task, "alice", ["r:Caller"], conn=orders.connection)
    return task


def use_device(orders: Parcels) -> int:
    """Return the number of a device of which two results arrived: one is refused, one waits for another."""
    device = api.offline.device_seen(
        "alice", "phone-of-a-technician", {"unsent": 2}, conn=orders.connection
    ).device
    made = {"task": 1, "claim": 1, "seq": 1, "values": {}} | dict.fromkeys(("made_at", "sent_at"), NOON)
    for number in (1, 3):
        api.offline.keep_result("alice", "phone-of-a-technician", number, made, conn=orders.connection)
    return device


def give_roles(orders: Parcels) -> None:
    """Give rules the roles of those who perform them, one with a long name and one in one word."""
    roles = {
        "tr_charge": "Accounts receivable, second level of support",
        "tr_reserve": "Lagerhausverwaltungsfachangestellter",
        "tr_invoice": "Clerk",
    }
    for transition, role in roles.items():
        orders.connection.execute(
            "update wedsql.trig set role = %s where flow_id = %s and trname = %s",
            [role, orders.flow_id, transition],
        )


def deliver_late(orders: Parcels) -> int:
    """Return an order whose articles two workers reserve, with different results."""
    order = orders.start(customer="Fay", total=20)
    offered = api.jobs.offer(orders.flow, ["tr_reserve"], 50, actor="slow", conn=orders.connection)
    numbers = [one.id for one in offered if one.wid == order]
    (job,) = api.jobs.lease_many(
        orders.flow, ["tr_reserve"], 1, "slow", job_ids=numbers, conn=orders.connection
    )
    api.operations.release_job(order, job.id, "It hangs.", conn=orders.connection)
    orders.do("tr_reserve", order, stock="reserved")
    with pytest.raises(WedError):
        api.jobs.complete(job, {"stock": "sold_out"}, actor="slow", conn=orders.connection)
    api.repairs.decide_late(conn=orders.connection)
    return order


def propose(orders: Parcels, order: int) -> int:
    """Return the number of a proposed repair, which another person has to approve."""
    rule = ApprovalRule(1, "What customers have paid", attributes=["payment"])
    api.approvals.save_rules(orders.flow, [rule], "alice", conn=orders.connection)
    made = api.approvals.propose(
        order,
        "patch",
        {"changes": {"payment": "paid"}},
        "Paid by bank transfer.",
        actor="bob",
        expected_seq=api.reasons.explain_instance(order, conn=orders.connection).seq,
        conn=orders.connection,
    )
    return made.number


def deliver(orders: Parcels, order: int) -> None:
    """Perform every step of an order, so that it ends."""
    orders.do("tr_charge", order, payment="paid")
    orders.do("tr_reserve", order, stock="reserved")
    orders.do("tr_invoice", order, invoice="2026-1")
    orders.do("tr_ship", order, parcel="BR 1")
    orders.do("tr_deliver", order, delivered_on="2026-11-20")


def define_slas(orders: Parcels) -> None:
    """Define SLAs with long texts, one of which is breached, and compute their clocks."""
    hours = {str(day): [["00:00", "12:30"], ["12:30", "24:00"]] for day in range(1, 8)}
    office = Calendar("the-office-of-the-warehouse", "America/Argentina/Buenos_Aires", hours)
    api.sla.save_calendar(orders.flow, office, "alice", conn=orders.connection)
    stop = "payment = 'declined' or stock = 'reserved' and invoice is not null and delivered_on is not null"
    for name, calendar in (("charged-within-an-hour", ""), ("delivered-within-the-day", office.name)):
        sla = Sla(name, 3600, "total > 0", stop, "customer = 'a customer who does not answer'", calendar)
        api.sla.save(orders.flow, sla, "alice", conn=orders.connection)
    while (api.sla.advance(conn=orders.connection) or {}).get("more"):
        pass


def open_drafts(orders: Parcels, new: str) -> DraftAt:
    """Open a draft with problems and a warning, and one of a flow with this name, which does not exist."""
    _version, definition = api.drafts.running_definition(orders.flow, conn=orders.connection)
    draft = api.drafts.open(orders.flow, actor="alice", conn=orders.connection)
    changed = copy.deepcopy(definition)
    changed["triggers"][1]["predicate"] = "items > 0 and stok is null"
    changed["triggers"][2]["predicate"] += " or restocks = null"
    api.drafts.save(draft.at, changed, summary="restock earlier", actor="alice", conn=orders.connection)
    return api.drafts.open(new, definition=definition, actor="alice", conn=orders.connection).at
