-- The tables without moves. Lost are the identity of this installation and its keys, the other installations,
-- and where instances are: one that is away stays an instance of the status M.
drop table wedsql.moved_job, wedsql.moved, wedsql.move, wedsql.move_peer, wedsql.installation;
