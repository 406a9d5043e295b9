-- The tables without four eyes. Lost are the rules for approvals, all proposals with their votes, and the
-- delegations; every repair is applied at once.
drop table wedsql.applying, wedsql.delegation, wedsql.proposal_person, wedsql.proposal_vote, wedsql.proposal,
  wedsql.approval_rule;
