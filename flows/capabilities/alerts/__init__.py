"""Alerts: rules about a flow, of which people and other systems are notified."""
