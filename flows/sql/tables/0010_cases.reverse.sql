-- The tables without cases. Lost are all cases with their history, and the rules of their queues.
drop table wedsql.case_event, wedsql.repair_case, wedsql.case_rule;
