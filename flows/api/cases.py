"""Cases, which are exceptions that persons handle: lists, claims, rules, files, digests."""

from flows.capabilities.cases import api, digests, files, reports

attach_file = files.attach_case_file
change = api.change_case
claim = api.claim_case
claims_of_others = api.claims_of_others
comment = api.comment_case
delete_digests = digests.delete_case_digests
digest = digests.case_digest
due_digests = digests.due_case_digests
end_waits = api.end_waits
give = api.give_case
groups = api.case_groups
list = api.list_cases
list_digests = digests.list_case_digests
list_files = files.list_case_files
list_rules = api.list_case_rules
listed = api.listed_cases
next = api.next_case
queue_digest = digests.queue_case_digest
queues = digests.case_queues
read = api.read_case
read_file = files.read_case_file
release = api.release_case
remove_file = files.remove_case_file
remove_old_digests = digests.remove_old_digests
report = reports.case_report
save_digest = digests.save_case_digest
save_rules = api.save_case_rules
sign = api.sign_cases
wait = api.wait_case
