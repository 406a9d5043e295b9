"""The reaper, retention, invariants and the disk."""

from flows.engine import maintenance

check_invariants = maintenance.check_invariants
data_directory = maintenance.data_directory
end_request = maintenance.end_request
maintain = maintenance.maintain
next_due = maintenance.next_due
reap = maintenance.reap
report_disk = maintenance.report_disk
standing_requests = maintenance.standing_requests
