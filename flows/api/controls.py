"""Who may do what, and changes of it."""

from flows.capabilities.controls import api

list = api.controls
list_changes = api.list_control_changes
