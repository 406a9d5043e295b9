"""Fault injection: kill processes, cut connections, fill disks, change clocks, then check the results.

`python -m chaos --seed N` creates private clusters, puts them under load, injects faults and then verifies
that nothing was lost and nothing was applied twice. docs/reliability.md lists the faults and the guarantees.
"""
