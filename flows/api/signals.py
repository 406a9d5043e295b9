"""Signals to instances."""

from flows.capabilities.signals import api

list = api.signals
send = api.signal
