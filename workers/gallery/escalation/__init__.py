"""The gallery's example escalation."""
