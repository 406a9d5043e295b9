"""Undoing what steps of an instance did."""

from flows.capabilities.recovery import compensation

abort = compensation.abort
compensate = compensation.compensate
list = compensation.compensations
roll_back = compensation.roll_back
skip = compensation.skip_compensation
