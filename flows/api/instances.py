"""Instances: start, cancel, re-match."""

from flows.engine import instances, rematches

cancel = instances.cancel
continue_rematch = rematches.continue_rematch
finish_rematch = rematches.finish_rematch
rematch = instances.rematch
rematch_due = rematches.rematch_due
start = instances.start
start_many = instances.start_many
