-- Operations on many instances without proposals. Lost are the proposals of such operations with their votes,
-- and the operations that wait for approvals.
delete from wedsql.proposal where bulk_id is not null;
drop index wedsql.proposal_bulk, wedsql.proposal_bulk_open;
alter table wedsql.proposal drop constraint proposal_subject, drop column bulk_id, drop column total;
alter table wedsql.proposal alter column wid set not null, alter column expected_seq set not null;
delete from wedsql.bulk where state = 'proposed';
alter table wedsql.bulk drop constraint bulk_state_check;
alter table wedsql.bulk add constraint bulk_state_check
  check (state in ('running', 'paused', 'withdrawn', 'finished'));
alter table wedsql.bulk drop column approvals, drop column approvers;
