-- The tables without recovery. Lost is what is left of operations that are on their way: their instances keep
-- the status X, and none of their steps is compensated any more.
drop table wedsql.recovery;
