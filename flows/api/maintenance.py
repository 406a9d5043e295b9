"""The reaper, retention, invariants and the disk."""

from flows.engine import maintenance

check_invariants = maintenance.check_invariants
data_directory = maintenance.data_directory
maintain = maintenance.maintain
next_due = maintenance.next_due
reap = maintenance.reap
report_disk = maintenance.report_disk
