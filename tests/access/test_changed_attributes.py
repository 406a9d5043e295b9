"""What people have saved about a flow names attributes: each is removed, renamed, or of another type then.

Every page answers, and whatever runs beside the rounds of the reaper goes on with what others have saved.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import pytest

from flows import api
from testkit.cases import some
from tests.access.conftest import SampleData
from tests.addresses import filled, patterns
from wedsql_site.environment import CHECKOUT

# What is saved, as calls with the name of the flow.
SAVED: Mapping[str, tuple[str, tuple[Any, ...]]] = {
    "view": (
        "select wedsql.save_view('superuser in the matrix', {n}, 'v', 'weight:>1 or customer:x',"
        " '{weight,customer}', 'weight', 'mine', '', 'instances')", (),
    ),
    "alert": (
        "select wedsql.save_alert_rule({n}, %s, 'x')",
        ({"name": "w", "kind": "count", "sign": ">", "threshold": 0, "query": "weight:>1"},),
    ),
    "webhook": (
        "select wedsql.save_webhook({n}, %s, 'x')",
        ({"url": "https://example.org/", "secret": "s", "events": ["final"], "query": "weight:>1",
          "attributes": ["weight", "customer"]},),
    ),
    "case rules": (
        "select wedsql.save_case_rules({n}, %s, 'x')",
        ([{"queue": "heavy", "condition": "weight > 1", "severity": "high", "priority": 1}],),
    ),
    "approvals": (
        "select wedsql.save_approval_rules({n}, %s, 'x')",
        ([{"approvals": 1, "operations": ["branch"]}, {"approvals": 1, "condition": "weight > 1"},
          {"approvals": 1, "attributes": ["weight"]}],),
    ),
    "policies": (
        "select wedsql.save_policies({n}, %s, 'x')",
        ([{"name": "p", "operation": "retry", "condition": "weight > 1", "times": 2}],),
    ),
    "sla": (
        "select wedsql.save_sla({n}, %s, 'x')",
        ({"name": "s", "duration": 60, "start_when": "weight > 1", "stop_when": "weight > 2",
          "pause_when": "customer = 'x'"},),
    ),
    "waiting case": (
        "select wedsql.wait_case(min(number), now() + interval '1 day', 'x', '', null, 'weight > 1')"
        " from wedsql.repair_case c join wedsql.flow f on f.id = c.flow_id where f.name = {n}", (),
    ),
    "task list": ("select wedsql.set_task_list('superuser in the matrix', 'own', '{weight,customer}')", ()),
}  # fmt: skip

REAPERS = sorted(
    f"flows.capabilities.{each.parent.name}.reaper"
    for each in CHECKOUT.glob("flows/capabilities/*/reaper.py")
)


def changed(definition: Mapping[str, Any], how: str) -> dict[str, Any]:
    """Return a definition in which the weight and the customer are otherwise."""
    attributes = []
    for each in definition["attributes"]:
        if each["name"] not in ("weight", "customer"):
            attributes.append(each)
        elif how == "renamed":
            attributes.append({**each, "name": f"{each['name']}2", "was": each["name"]})
        elif how == "of another type":
            attributes.append({**each, "type": "jsonb"})
    return {**definition, "attributes": attributes}


@pytest.mark.parametrize("how", ["removed", "renamed", "of another type"])
def test_what_is_saved_about_an_attribute_stops_nothing(how: str, sample: SampleData) -> None:
    name, session = sample.parcels.flow, sample.parcels.connection
    browser = sample.client("superuser")()
    for call, values in SAVED.values():
        given = [json.dumps(each) for each in values]
        session.execute(call.replace("{n}", f"'{name}'"), given or None)
    api.flows.publish(name, changed(api.flows.definition(name, conn=session), how), conn=session)
    sample.parcels.make_exception(sample.parcels.start(extra=None))
    api.maintenance.reap(conn=session)
    for each in REAPERS:
        part = import_module(each)
        if hasattr(part, "in_round"):
            part.in_round(session)
        if hasattr(part, "beside_rounds"):
            part.beside_rounds()
    rule = session.execute("select error from wedsql.alert_rule where name = 'w'").fetchone()
    assert rule and rule[0], "a rule that cannot be measured says so"
    failed = {}
    for route, pattern in some(patterns(), 2, len(how)):
        answer = browser.get(filled(route, pattern, sample.values(route)))
        if answer.status_code >= 500:
            failed[route] = answer.status_code
    assert failed == {}
