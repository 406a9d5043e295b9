"""Approvals: repairs that other persons have to approve before they are applied."""
