"""Each address with flows that use every option and none: whatever the database holds has its answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from flows import api
from flows.tests.imported.test_definition_complete import DEFINITION
from monitor.api import schemas
from monitor.api.document import document
from monitor.approvals.endpoints import ProposalOut, VoteOut
from monitor.bulk import schemas as bulk
from monitor.cases import schemas as cases
from monitor.looks.endpoints import LookOut
from monitor.moves.schemas import MoveOut
from monitor.offline import schemas as offline
from monitor.recovery.late_endpoints import LateResultOut
from monitor.signals.endpoints import SignalOut
from monitor.sla import schemas as sla
from monitor.tasks import schemas as tasks
from monitor.webhooks.schemas import WebhookOut
from testkit.cases import some
from tests.access.conftest import SampleData
from tests.addresses import filled, parameters, patterns

# Rules without any name, and integrity conditions of both kinds with as little as they may have.
BARE: dict[str, Any] = {
    "attributes": [{"name": "size"}],
    "triggers": [
        {"transition": "tr_x", "predicate": "size = 'small'"},
        {"predicate": "size = 'none'", "final": True},
        {"name": "a", "predicate": "size <> 'huge'", "integrity": "always"},
        {"name": "b", "predicate": "size <> 'vast'", "integrity": "final"},
    ],
}
FIRST = {"every option": {"size": "lar'ge"}, "none": {"size": "small"}}
RIGHTS = {"superuser": (), "operator": ("operate", "repair"), "viewer": (), "own designer": ("design",)}


@dataclass(frozen=True)
class Walked:
    """A flow with an instance."""

    name: str
    id: int
    wid: int


@pytest.fixture(params=list(FIRST))
def walked(request: pytest.FixtureRequest, sample: SampleData) -> Iterator[Walked]:
    name, session = f"{sample.parcels.flow}_full", sample.parcels.connection
    number = api.flows.create(name, conn=session)
    try:
        api.flows.publish(name, DEFINITION if request.param == "every option" else BARE, conn=session)
        yield Walked(name, number, api.instances.start(name, FIRST[request.param], conn=session))
    finally:
        session.execute("select wedsql.drop_flow(%s, true)", [name])


@pytest.mark.parametrize("role", RIGHTS)
def test_no_address_of_a_flow_fails(role: str, sample: SampleData, walked: Walked) -> None:
    user = sample.user(role)
    for right in ("", *(f":{right}" for right in RIGHTS[role])):
        user.groups.add(Group.objects.get_or_create(name=f"flow:{walked.name}{right}")[0])
    client = Client(raise_request_exception=False)
    client.force_login(user)
    failed = {}
    about = [each for each in patterns() if {"name", "flow_id", "wid"} & set(parameters(each[0]))]
    for route, pattern in some(about, 2, [*RIGHTS].index(role)):  # each by two of the roles
        own = {"name": walked.name, "flow_id": str(walked.id), "wid": str(walked.wid)}
        answer = client.get(filled(route, pattern, sample.values(route) | own))
        if answer.status_code >= 500:
            failed[route] = answer.status_code
    assert failed == {}


# Each schema with the table of its rows, and its names of columns where they are others.
TABLES: list[tuple[type[Any], str, dict[str, str]]] = [
    (schemas.TriggerOut, "trig",
     {"id": "tgid", "name": "tgname", "transition": "trname", "condition": "cname", "predicate": "cpred",
      "final": "cfinal"}),
    (schemas.AttributeOut, "attr", {"name": "aname", "options": "none: an empty list"}),
    (schemas.JobOut, "job_pool", {"trigger": "tgid", "transition": "trname", "holder": "lckid"}),
    (schemas.StepOut, "wed_trace",
     {"at": "tstmp", "written_by": "trw", "job": "job_id", "cause": "cause_seq"}),
    (schemas.InstanceDetailOut, "instance", {}),
    (WebhookOut, "webhook", {}),
    (schemas.FlowOut, "flow", {}),
    (tasks.TaskOut, "task", {}), (tasks.TaskSheetOut, "task", {"application": "asked of its rule"}),
    (tasks.HeldTaskOut, "task", {"owner": "of a task that is held"}),
    (tasks.MessageOut, "message", {"task": "job_id"}),
    (tasks.TaskSettingsOut, "task_setting", {}), (offline.DeviceOut, "device", {}),
    (offline.OfflineResultOut, "device_result", {"task": "job_id", "instance": "wid"}),
    (offline.OfflinePackageOut, "task", {"seq": "device_package.seq"}),
    (cases.CaseOut, "repair_case", {}), (cases.CaseEventOut, "case_event", {}),
    (cases.CaseFileOut, "case_file", {}), (bulk.BulkOut, "bulk", {}),
    (bulk.BulkRowOut, "bulk_row", {"result": "left for null"}),
    (sla.ClockOut, "sla_clock", {}), (sla.SlaOut, "sla", {}), (sla.CalendarOut, "calendar", {}),
    (LateResultOut, "late_result", {}), (LookOut, "look", {}), (ProposalOut, "proposal", {}),
    (VoteOut, "proposal_vote", {}), (SignalOut, "signal", {}), (MoveOut, "move", {}),
    (schemas.SavedViewOut, "saved_view", {}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "table", "columns"), TABLES, ids=[table for _, table, _ in TABLES])
def test_a_field_may_be_null_where_its_column_may_be(
    schema: type[Any], table: str, columns: dict[str, str], connect: Any
) -> None:
    found = connect().execute(
        "select attname from pg_attribute where attrelid = %s::regclass and attnum > 0 and not attnotnull",
        [f"wedsql.{table}"],
    )
    nullable = {name for (name,) in found}
    strict = {
        name
        for name, one in schema.model_fields.items()
        if columns.get(name, name) in nullable and type(None) not in _kinds(one.annotation)
    }
    assert strict == set()


# Schemas whose fields are computed, or are of several tables: what each may lack is said beside its query.
COMPUTED = {
    "AddedOut", "BulkPreviewOut", "BulkPreviewRowOut", "BulkRowsOut", "CalendarsOut",
    "CaseCountsOut", "CaseDetailOut", "OtherTasksOut", "CaseFileContentOut", "CaseFilesOut", "CaseGroupOut",
    "CaseGroupsOut", "CaseReportOut", "CasesOut", "CellOut", "ChildJobOut", "ChildOut",
    "ChildrenOut", "ClaimOut", "ClocksOut", "CountOut", "DoneOut", "DraftedRuleOut", "FigureOut",
    "FiguresOut", "FlowDetailOut", "FlowsOut", "GraphHistoryOut", "HoldingJobOut", "InstanceOut",
    "InstanceWithValuesOut", "InstancesOfFlowOut", "InstancesOut", "JobReasonOut", "JobsOut",
    "LateResultsOut", "LateTaskOut", "LateValueOut", "LockOut", "LockedJobOut", "LocksOut",
    "LooksOut", "MeOut", "MessagesOut", "MovesOut", "NextCaseOut", "NextTaskOut", "ObstacleOut",
    "OtherClaimsOut",
    "OfflineProblemOut", "OfflineResultsOut", "OfflineTaskOut", "OfflineTasksOut", "ProposalsOut",
    "ProposedRuleOut", "ReadOut", "RefusalOut", "RematchedOut", "RepairPreviewOut", "RepairedOut",
    "RevealedOut", "RuleOut", "RuleReasonOut", "SavedViewsOut", "SentOut", "SignalsOut", "SlasOut",
    "StartedOut", "StepDetailOut", "StepsOut", "SuggestionOut", "SuggestionsOut", "TaskDeadlineOut",
    "TaskDoneOut", "TaskFailedOut", "TaskLoadOut", "TaskLoadsOut", "TasksOut", "TokenOut",
    "VisitOut", "WalkOut", "WalkStepOut", "WebhooksOut", "WhyOut",
}  # fmt: skip


def test_every_schema_of_rows_is_compared_with_its_table() -> None:
    """A schema whose fields are those of a table, and that is not compared with it, is forgotten."""
    named = {name for name in document()["components"]["schemas"] if name.endswith("Out")}
    compared = {one.__name__ for one, _table, _columns in TABLES}
    assert named - compared == COMPUTED, "name it in TABLES with its table, or in COMPUTED"


def _kinds(annotation: Any) -> tuple[Any, ...]:
    return getattr(annotation, "__args__", None) or (annotation,)
