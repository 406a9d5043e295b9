"""Tasks that are performed on devices without a connection."""

from flows.capabilities.offline import api

attach_file = api.attach_offline_file
chain = api.offline_chain
confirm_packages = api.confirm_packages
continue_offline = api.continue_offline
device_seen = api.device_seen
device_tasks = api.device_tasks
devices = api.devices
file = api.offline_file
give_result = api.give_offline_result
go_offline = api.go_offline
keep_result = api.keep_offline_result
prefetch_package = api.prefetch_package
read_package = api.read_package
results = api.offline_results
rule = api.offline_rule
set_device_state = api.set_device_state
share_package = api.share_package
skip_results = api.skip_offline_results
tasks = api.offline_tasks
