"""Jobs in filters, over the alias `j` of wedsql.job_pool."""

from __future__ import annotations

# What waits for the repair of an exception is no job for a worker. Texts of errors are no part, as they may
# quote values that the person who asks may not see.
OF_INSTANCE = "exists (select from wedsql.job_pool j where j.wid = i.wid and j.tgid <> 0 and ({}))"
COLUMNS = {
    "job.transition": "j.trname",
    "job.priority": "j.priority",
    "job.attempts": "j.attempts",
    "job.fired": "j.fired_at",
    "job.next": "j.not_before",
    "job.worker": "case when j.state = 'L' then nullif(j.lckid, '') end",
    "job.assigned": "nullif(j.assigned_to, '')",
}
