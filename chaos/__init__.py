"""Faults on purpose: an installation is killed, cut off, filled up and lied to, and then everything is coun

`python -m chaos --seed N` builds private clusters, puts them under load, injects faults and proves
afterwards that nothing was lost and nothing was applied twice. docs/reliability.md tells what is
injected and what is promised.
"""
