-- The tables without recovery policies. Lost are the policies of all flows and how often they acted.
drop table wedsql.policy_wait, wedsql.policy_run, wedsql.recovery_policy;
