"""Flows and their definitions: create, publish, compare, check, drop."""

from flows.engine import checks, definitions, roles, sources

check_predicate = definitions.check_predicate
close_role = roles.close_flow_role
confirm_losses = definitions.confirm_losses
create = definitions.create_flow
definition = definitions.definition
difference = definitions.difference
drop = definitions.drop_flow
keep_source = sources.keep_source
last_loss = definitions.last_loss
lint = checks.lint
open_role = roles.open_flow_role
publish = definitions.publish
read_source = sources.read_source
schema_name = definitions.schema_name
task_host = sources.task_host
