"""Saved views of lists."""

from flows.capabilities.filters import api

delete = api.delete_view
list = api.list_views
save = api.save_view
