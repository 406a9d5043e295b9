-- The tables without what repairs were before. Lost is that the last repair of an instance can be undone.
drop table wedsql.repaired;
