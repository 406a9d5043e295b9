"""Repairs that other persons approve: rules, proposals, delegations."""

from flows.capabilities.approvals import api

approve = api.approve_repair
approve_as_administrator = api.approve_as_administrator
delegate = api.delegate_approvals
end_delegation = api.end_delegation
list = api.list_proposals
list_delegations = api.list_delegations
list_rules = api.list_approval_rules
listed = api.listed_proposals
of_bulk = api.bulk_approvals
propose = api.propose_repair
propose_rules = api.propose_approval_rules
read = api.read_proposal
reject = api.reject_repair
save_rules = api.save_approval_rules
to_approve = api.proposals_to_approve
withdraw = api.withdraw_repair
