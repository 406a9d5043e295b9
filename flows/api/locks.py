"""Values that instances have alone (exclusion), and who waits for them."""

from flows.engine import locks

list = locks.list_locks
queues = locks.lock_queues
