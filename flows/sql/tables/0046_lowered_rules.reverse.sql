-- Rules for approvals are lowered by one person. Lost are the proposals to lower rules with their votes.
delete from wedsql.proposal where operation = 'approval_rules';
drop index wedsql.proposal_rules;
alter table wedsql.proposal drop constraint proposal_subject;
alter table wedsql.proposal add constraint proposal_subject
  check ((wid is null) = (expected_seq is null) and (wid is null) = (bulk_id is not null)
         and (bulk_id is null) = (total is null));
alter table wedsql.proposal_vote drop column administrator;
