"""The benchmark: floor, peers and WED-SQL on the same work, in one run (docs/performance.md)."""
