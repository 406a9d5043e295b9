"""Alerts and webhooks: evaluates rules, reads what was committed, and notifies, beside the reaper."""
