"""The rules of the state machine, by what they do."""
