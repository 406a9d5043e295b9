"""Targets of time, clocks and calendars of working time."""

from flows.capabilities.sla import api

advance = api.advance_slas
after_working_time = api.after_working_time
delete = api.delete_sla
delete_calendar = api.delete_calendar
list = api.list_slas
list_calendars = api.list_calendars
list_clocks = api.list_clocks
save = api.save_sla
save_calendar = api.save_calendar
working_time = api.working_time
