-- The tables without keys of workers. Lost are all keys; flows that required them do so no longer. Triggers
-- name the column; the functions of either version create them again.
drop trigger if exists c_changed on wedsql.flow;
drop trigger if exists d_commit on wedsql.flow;
alter table wedsql.flow drop column worker_keys;
drop table wedsql.worker_key_use, wedsql.worker_secret, wedsql.worker_key_flow, wedsql.worker_key;
drop sequence wedsql.login_secret, wedsql.login_at;
