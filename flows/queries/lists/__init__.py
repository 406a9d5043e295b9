"""Lists of what belongs to instances: their queries, and the values that a filter offers."""
