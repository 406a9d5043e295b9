"""The graph and the definition that a process becomes."""
