-- The tables without skipped jobs. Lost is which triggers do not fire until their conditions were false once:
-- they fire at the next step.
drop table wedsql.skipped;
