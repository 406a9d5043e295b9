"""What a person does to one instance or one of its jobs, and which operations there are."""

from flows.capabilities.recovery import api
from flows.engine import operations

extend_job = operations.extend_job
of_repair = api.repair_operations
offered = api.operations
permissions = api.operation_permissions
prioritize_job = operations.prioritize_job
reassign_job = operations.reassign_job
release_job = operations.release_job
resume = operations.resume
retry_job = operations.retry_job
suspend = operations.suspend
table = api.operation_table
withdraw_job = operations.withdraw_job
