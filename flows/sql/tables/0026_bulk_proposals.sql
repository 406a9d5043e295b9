-- Operations on many instances that need approvals: what a proposal is about, and the approvals that an
-- operation has.
alter table wedsql.proposal alter column wid drop not null, alter column expected_seq drop not null,
  add column if not exists bulk_id bigint, add column if not exists total integer;
alter table wedsql.proposal drop constraint if exists proposal_subject;
alter table wedsql.proposal add constraint proposal_subject
  check ((wid is null) = (expected_seq is null) and (wid is null) = (bulk_id is not null)
         and (bulk_id is null) = (total is null));
create unique index if not exists proposal_bulk on wedsql.proposal (bulk_id);
create index if not exists proposal_bulk_open on wedsql.proposal (bulk_id)
  where closed_at is null and bulk_id is not null;
alter table wedsql.bulk add column if not exists approvals smallint not null default 0,
  add column if not exists approvers text[] not null default '{}';
alter table wedsql.bulk drop constraint if exists bulk_state_check;
alter table wedsql.bulk add constraint bulk_state_check
  check (state in ('proposed', 'running', 'paused', 'withdrawn', 'finished'));
