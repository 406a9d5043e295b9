-- What a round of the reaper reads depends on what is due, not on what waits.

-- looks: where the last round ended to look at what only a look can show to be due, by kind.
alter table wedsql.care add column if not exists looks jsonb not null default '{}';
-- Only for queries that name this predicate: another query of pending jobs must not take it for its size.
create index if not exists job_pool_waiting on wedsql.job_pool
  (tgid, late, (greatest(fired_at, not_before)), id) where (state = 'P') is true;
create index if not exists signal_kept_order on wedsql.signal (flow_id, id) where state = 'K';
create index if not exists proposal_expiring on wedsql.proposal (expires_at) where closed_at is null;

-- Now a row of each open case of a flow with policies.
create index if not exists policy_wait_due on wedsql.policy_wait (due_at, number);
insert into wedsql.policy_wait (number, seq, due_at)
select c.number, c.seq, '-infinity' from wedsql.repair_case c
where c.closed_at is null and exists (select from wedsql.recovery_policy p where p.flow_id = c.flow_id)
on conflict (number) do update set seq = excluded.seq,
  due_at = case when policy_wait.seq = excluded.seq then policy_wait.due_at else excluded.due_at end;
