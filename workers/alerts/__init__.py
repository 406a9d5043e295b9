"""Evaluates the rules of alerts and notifies their receivers, beside the rounds of the reaper."""
