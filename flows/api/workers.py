"""Processes of workers: registration, heartbeat, and the keys with which they log in."""

from flows.capabilities.keys import api
from flows.engine import registration

create_key = api.create_worker_key
heartbeat = registration.heartbeat
list_keys = api.list_worker_keys
log_in = api.log_in_worker
log_out = api.log_out_worker
never_offered = registration.never_offered
register = registration.register_worker
revoke_key = api.revoke_worker_key
rotate_key = api.rotate_worker_key
scope_of_role = api.scope_of_role
unregister = registration.unregister_worker
