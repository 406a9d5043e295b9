"""The past: the instances of a flow as they were at a moment of the history."""
