-- Proposals to lower rules for approvals (08_lowering.sql of approvals), about the flow as a whole, and the
-- votes of administrators where too few others may approve one.
alter table wedsql.proposal drop constraint if exists proposal_subject;
alter table wedsql.proposal add constraint proposal_subject
  check ((wid is null) = (expected_seq is null) and (bulk_id is null) = (total is null)
         and num_nonnulls(wid, bulk_id) = case operation when 'approval_rules' then 0 else 1 end);
-- A flow has one open proposal about its rules at most.
create unique index if not exists proposal_rules on wedsql.proposal (flow_id)
  where closed_at is null and operation = 'approval_rules';
alter table wedsql.proposal_vote add column if not exists administrator boolean not null default false;
