"""Forms of tasks: their check, what their conditions decide, drafts, and what would happen (T-037, T-055)."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel

CLERK = ["r:Clerk"]
FORM: dict[str, Any] = {
    "sections": [
        {
            "title": "Claim",
            "fields": [
                {"attribute": "policy", "label": "Policy"},
                {"attribute": "amount", "required": True, "unit": "BRL", "help": "As on the invoice."},
                {"attribute": "reason", "kind": "long", "shown": "amount > 100", "required": "amount > 1000"},
                {"attribute": "paid", "readonly": "policy = 'closed'"},
            ],
        }
    ]
}


@pytest.fixture
def desk(kit: Kit) -> Kit:
    kit.attrs("policy", "reason", "done")
    kit.attr("amount", kind="numeric")
    kit.attr("paid", kind="boolean")
    kit.trig(
        "tr_assess",
        "done is null",
        performer="person",
        role="Clerk",
        writes=["amount", "reason", "paid", "done"],
        outcomes=["Accept: done = 'yes'", "Refuse: done = 'no'", "FAILED: done = 'failed'"],
        form=Jsonb(FORM),
    )
    kit.trig("tr_pay", "done = 'yes'")
    kit.final("done = 'no'")
    return kit


def task(kit: Kit, **state: Any) -> int:
    """Start an instance, and return the task that ana has taken."""
    wid = kit.start(**state)
    (found,) = [each for each in api.tasks.open("ana", CLERK, conn=kit.conn) if each.wid == wid]
    api.tasks.take(found.job_id, "ana", CLERK, conn=kit.conn)
    return found.job_id


def test_what_is_required_hidden_or_read_only_is_told_at_once(desk: Kit) -> None:
    job = task(desk, policy="closed")
    with refused("WD595") as why:
        api.tasks.complete(job, "ana", {"reason": "x", "paid": True}, "Accept", conn=desk.conn)
    wrong = {"amount": "required", "paid": "readonly", "reason": "hidden"}
    assert why.facts["wrong"] == wrong and "amount, reason, paid" in why.message
    assert [each.job_id for each in api.tasks.own("ana", conn=desk.conn)] == [job]
    assert api.tasks.complete(job, "ana", {"amount": 5}, "Accept", conn=desk.conn).seq


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        ({"amount": 100}, None),
        ({"amount": 100, "reason": None}, None),  # hidden, and kept as it is
        ({"amount": 101, "reason": "x"}, None),
        ({"amount": "101.5", "reason": "x"}, None),
        ({"amount": 1001}, {"reason": "required"}),
        ({"amount": 1001, "reason": ""}, {"reason": "required"}),
        ({}, {"amount": "required"}),
        ({"amount": None, "reason": "x"}, {"amount": "required", "reason": "hidden"}),
    ],
)
def test_conditions_are_about_the_state_with_what_was_typed(desk: Kit, data: Any, wrong: Any) -> None:
    job = task(desk)
    if wrong is None:
        api.tasks.complete(job, "ana", data, "Refuse", conn=desk.conn)
        return
    with refused("WD595") as why:
        api.tasks.complete(job, "ana", data, "Refuse", conn=desk.conn)
    assert why.facts["wrong"] == wrong


def test_what_could_not_be_done_needs_no_form(desk: Kit) -> None:
    api.tasks.complete(task(desk), "ana", {}, "FAILED", conn=desk.conn)
    assert api.tasks.fail(task(desk), "ana", "no paper", conn=desk.conn) == "FAILED"


def test_a_value_of_the_wrong_type_is_told_as_such(desk: Kit) -> None:
    job = task(desk)
    assert api.task_forms.form(job, {"amount": "many"}, conn=desk.conn)["reason"]["shown"] == "u"
    with refused("WD003"):
        api.tasks.complete(job, "ana", {"amount": "many"}, "Accept", conn=desk.conn)


def test_a_form_is_read_with_what_its_conditions_are_now(desk: Kit) -> None:
    job = task(desk, amount="2000.50")
    form = api.tasks.read(job, "ana", conn=desk.conn).form
    assert form is not None
    policy, amount, reason, paid = form["sections"][0]["fields"]
    assert (policy["writable"], amount["writable"], paid["type"]) == (False, True, "boolean")
    assert amount["now"] == {"shown": "t", "required": "t", "readonly": "f"}
    assert reason["now"] == {"shown": "t", "required": "t", "readonly": "f"}
    assert reason["conditions"]["shown"]["tree"] == [
        ">", "number", ["attribute", "amount", "numeric"], ["number", "100"]
    ]  # fmt: skip
    assert api.task_forms.form(job, {"amount": 7}, conn=desk.conn)["reason"]["shown"] == "f"
    desk.rows("update {f}.wed_trig set form = null")
    assert api.tasks.read(job, "ana", conn=desk.conn).form is None


def test_a_draft_is_of_who_holds_the_task_and_goes_with_it(desk: Kit) -> None:
    job = task(desk)
    assert api.task_forms.read_draft(job, "ana", conn=desk.conn) is None
    assert api.task_forms.keep_draft(job, "ana", {"value-amount": "12"}, conn=desk.conn)
    assert api.task_forms.keep_draft(job, "ana", {"value-amount": "123"}, conn=desk.conn)
    kept = api.task_forms.read_draft(job, "ana", conn=desk.conn)
    assert kept is not None and kept["fields"] == {"value-amount": "123"}
    assert api.task_forms.read_draft(job, "bob", conn=desk.conn) is None
    with refused("WD592"):
        api.task_forms.keep_draft(job, "bob", {"value-amount": "1"}, conn=desk.conn)
    with refused("WD009"):
        api.task_forms.keep_draft(job, "ana", {"value-reason": "x" * 1_000_001}, conn=desk.conn)
    api.tasks.complete(job, "ana", {"amount": 1}, "Refuse", conn=desk.conn)
    assert api.task_forms.read_draft(job, "ana", conn=desk.conn) is None
    with refused("WD593"):
        api.task_forms.keep_draft(job, "ana", {"value-amount": "1"}, conn=desk.conn)


@pytest.mark.parametrize("end", ["complete", "fail", "cancel", "withdraw", "clear"])
def test_whatever_ends_a_task_ends_its_draft(desk: Kit, end: str) -> None:
    job = task(desk)
    wid = desk.one("select wid from wedsql.task where job_id = %s", [job])
    api.task_forms.keep_draft(job, "ana", {"value-amount": "12"}, conn=desk.conn)
    if end == "clear":
        assert api.task_forms.keep_draft(job, "ana", {}, conn=desk.conn) is False
    elif end == "complete":
        api.tasks.complete(job, "ana", {"amount": 1}, "Refuse", conn=desk.conn)
    elif end == "fail":
        api.tasks.fail(job, "ana", "no paper", conn=desk.conn)
    elif end == "cancel":
        api.instances.cancel(wid, "x", actor="boss", conn=desk.conn)
    else:
        api.tasks.release(job, "ana", conn=desk.conn)
        api.operations.withdraw_job(wid, job, "x", actor="boss", conn=desk.conn)
    assert desk.one("select count(*) from wedsql.task_draft") == 0


def test_what_would_happen_is_told_and_nothing_is_done(desk: Kit) -> None:
    job = task(desk)
    found = api.task_forms.preview(job, "ana", {"amount": 5}, "Accept", conn=desk.conn)
    assert found["refusal"] is None and [each["transition"] for each in found["fires"]] == ["tr_pay"]
    assert found["state_after"] == {"amount": 5, "done": "yes"}
    found = api.task_forms.preview(job, "ana", {"amount": 5}, "Refuse", conn=desk.conn)
    assert (found["fires"], found["status_after"]) == ([], "F")
    found = api.task_forms.preview(job, "ana", {}, "Accept", conn=desk.conn)
    assert found["refusal"]["sqlstate"] == "WD595"
    assert [each.job_id for each in api.tasks.own("ana", conn=desk.conn)] == [job]


def test_renaming_an_attribute_follows_in_the_form(desk: Kit) -> None:
    desk.rows("update {f}.wed_attr set aname = 'total' where aname = 'amount'")
    form = desk.one("select form from {f}.wed_trig where trname = 'tr_assess'")
    fields = form["sections"][0]["fields"]
    assert fields[1]["attribute"] == "total"
    assert (fields[2]["shown"], fields[2]["required"]) == ("total > 100", "total > 1000")


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"form": Jsonb({"sections": [{"fields": [{"attribute": "note"}]}]})}, "form"),
        (
            {"form": Jsonb({"sections": [{"fields": [{"attribute": "other", "shown": "note is null"}]}]})},
            "form",
        ),
        ({"candidate": "note"}, "candidate"),
        ({"application": "/x/{note}/"}, "application"),
        ({"outcomes": ["Yes: note = 'x'"]}, "outcomes"),
    ],
)
def test_an_attribute_that_people_need_stays(kit: Kit, options: Any, where: str) -> None:
    kit.attrs("other", "note")
    kit.trig("t", "other is null", performer="person", **options)
    with refused("WD007") as why:
        kit.rows("delete from {f}.wed_attr where aname = 'note'")
    assert f".{where}" in why.message


def _one(field: Any) -> Any:
    return {"sections": [{"fields": [field]}]}


@pytest.mark.parametrize(
    ("form", "code", "where"),
    [
        ([], "WD009", {}),
        ({}, "WD009", {}),
        ({"sections": {}}, "WD009", {}),
        ({"sections": [1]}, "WD009", {}),
        ({"sections": [{"fields": [{}]}]}, "WD009", {}),
        ({"sections": [], "title": "x"}, "WD009", {"entry": "title"}),
        ({"sections": [{"fields": [], "order": 1}]}, "WD009", {"entry": "order"}),
        (_one({"attribute": "none"}), "WD002", {"attribute": "none"}),
        (_one({"attribute": "a", "colour": "red"}), "WD009", {"field": "a", "option": "colour"}),
        (_one({"attribute": "a", "width": "wide"}), "WD009", {"option": "width"}),
        (_one({"attribute": "a", "shown": 1}), "WD009", {"option": "shown"}),
        (_one({"attribute": "a", "label": 1}), "WD009", {"option": "label"}),
        (_one({"attribute": "a", "kind": "table", "columns": [{"name": "x"}]}), "WD009", {"option": "kind"}),
        (_one({"attribute": "rows", "kind": "table"}), "WD009", {"option": "kind"}),
        (_one({"attribute": "a", "kind": "choice"}), "WD009", {"option": "kind"}),
        (_one({"attribute": "a", "kind": "choice", "options": []}), "WD009", {"option": "options"}),
        (_one({"attribute": "fixed", "required": True}), "WD009", {"field": "fixed", "option": "required"}),
        (_one({"attribute": "decided", "required": "a = 'x'"}), "WD009", {"option": "required"}),
        (_one({"attribute": "a", "shown": "none = 'x'"}), "WD005", {"field": "a", "option": "shown"}),
        (_one({"attribute": "a", "shown": "a"}), "WD006", {"field": "a", "option": "shown"}),
        (_one({"attribute": "a", "required": "a > 1"}), "WD006", {"option": "required"}),
        (_one({"attribute": "a", "readonly": "now() > '2020-01-01'"}), "WD005", {"option": "readonly"}),
        (_one({"attribute": "a", "shown": "a ~ a"}), "WD005", {"option": "shown"}),
        ({"sections": [{"fields": [{"attribute": "a"}, {"attribute": "a"}]}]}, "WD009", {"field": "a"}),
        (_one({"attribute": "a", "help": "x" * 2001}), "WD009", {"option": "help"}),
        ({"sections": [{"fields": [{"attribute": "a"}] * 201}]}, "WD009", {}),
    ],
)
def test_a_form_that_can_never_work_is_refused_with_the_place(
    kit: Kit, form: Any, code: str, where: dict[str, Any]
) -> None:
    kit.attrs("a", "fixed", "decided")
    kit.attr("rows", kind="jsonb")
    with refused(code) as why:
        kit.trig(
            "t", "a is null", performer="person", writes=["a", "rows", "decided"],
            outcomes=["Yes: decided = 'x'"], form=Jsonb(form),
        )  # fmt: skip
    assert why.facts["column"] == "form" and where.items() <= why.facts.items()
