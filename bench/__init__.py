"""The measuring bench: the floor, the peers and WED-SQL on the same work, in one run (see docs/performance.md)."""
