"""How many threads of a web process use the database: the only numbers that limit it.

A thread uses one connection at a time, and the pool has one for each thread. So a request that has a thread
never waits for a connection: it waits once, for the thread. What pages do cannot delay the others.
"""

from __future__ import annotations

# Requests for pages and of the HTTP API. More of them would only compete for the interpreter.
PAGES = 8
# What devices exchange by themselves: many that reconnect at once wait for each other, and no page for them.
DEVICES = 2
# /healthz, /readyz and /metrics.
PROBES = 2
# Live pages: log-in and rights when they are opened, and every minute.
LIVE = 2
# What listens for the live pages: it registers with the kernel.
LISTENER = 1
# The event loop's own executor: error pages, and the streams of events.
OTHERS = 4

CONNECTIONS = PAGES + DEVICES + PROBES + LIVE + LISTENER + OTHERS
