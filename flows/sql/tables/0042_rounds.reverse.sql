-- The tables without what the rounds of the reaper remember; nothing else is lost.
drop index wedsql.policy_wait_due;
drop index wedsql.proposal_expiring;
drop index wedsql.signal_kept_order;
drop index wedsql.job_pool_waiting;
alter table wedsql.care drop column looks;
drop trigger if exists b_policies on wedsql.repair_case;
