"""Approvals in filters: proposed repairs, over the alias `p` of wedsql.proposal.

What a proposal writes is no part, as the person who asks may not see it.
"""

from __future__ import annotations

_OF_INSTANCE = "exists (select from wedsql.proposal p where p.wid = i.wid and p.closed_at is {} null and ("
OPEN = _OF_INSTANCE.format("") + "{}))"
CLOSED = _OF_INSTANCE.format("not") + "{}))"
COLUMNS = {
    "approval.number": "p.number",
    "approval.state": "wedsql.proposal_state(p.number)",
    "approval.operation": "p.operation",
    "approval.maker": "p.maker",
    "approval.group": "nullif(array_to_string(p.approvers, ', '), '')",
    "approval.reason": "p.reason",
    "approval.proposed": "p.proposed_at",
    "approval.expires": "p.expires_at",
    "approval.decided": "p.closed_at",
}
