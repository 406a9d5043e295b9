"""Publications of drafts, with their approval, and versions of definitions."""

from flows.capabilities.drafts import api, publications

approve = publications.approve_publication
begin_due = publications.begin_due
list = publications.list_publications
list_versions = api.list_versions
publish_due = publications.publish_due
read = publications.read_publication
read_many = publications.read_publications
reject = publications.reject_publication
request = publications.request_publication
request_rollback = publications.request_rollback
restore_version = api.restore_version
submit = publications.submit_definition
version_definition = api.version_definition
withdraw = publications.withdraw_publication
