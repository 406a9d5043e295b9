"""Alerts in filters, over the alias `r` of wedsql.alert_rule and `a`, its active alert.

An alert is of a flow: a list of instances has those of the flows whose alert meets a condition.
"""

from __future__ import annotations

ROWS = "wedsql.alert_rule r left join wedsql.alert a on a.rule_id = r.id and a.ended_at is null"
OF_INSTANCE = f"exists (select from {ROWS} where r.flow_id = i.flow_id and ({{}}))"
COLUMNS = {
    "alert.name": "r.name",
    "alert.state": "wedsql.alert_state(r.id)",
    "alert.kind": "r.kind",
    "alert.about": "nullif(r.query || r.trname, '')",
    "alert.value": "r.value",
    "alert.limit": "r.threshold",
    "alert.started": "a.started_at",
    "alert.acknowledged": "a.acknowledged_by",
    "alert.changed": "r.changed_at",
    "alert.author": "r.changed_by",
}
