"""Which concealed values were shown to whom, and what was changed by whom."""

from flows.capabilities.looks import api

list = api.list_looks
list_changes = api.list_changes
look_at = api.look_at
record = api.record_look
