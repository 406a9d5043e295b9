"""Django models of the control tables: three that define flows, the others read-only."""

from flows.models.definition import Attribute, Flow, Trigger
from flows.models.readonly import ReadOnly
from flows.models.records import (
    ConditionError,
    FlowVersion,
    Instance,
    Job,
    JobLog,
    Status,
    TraceEntry,
    WorkerProcess,
)

__all__ = [
    "Attribute",
    "ConditionError",
    "Flow",
    "FlowVersion",
    "Instance",
    "Job",
    "JobLog",
    "ReadOnly",
    "Status",
    "TraceEntry",
    "Trigger",
    "WorkerProcess",
]
