-- Mutual exclusion: jobs of one instance, or with one lock, of which at most one is performed at a time.
-- trig.mutex: the group of triggers in an instance; trig.lock: the name of a lock, with attributes in braces.
alter table wedsql.trig add column if not exists mutex text;
alter table wedsql.trig add column if not exists lock text;
alter table wedsql.trig drop constraint if exists trig_mutex_check;
alter table wedsql.trig add constraint trig_mutex_check check (length(mutex) between 1 and 100);
alter table wedsql.trig drop constraint if exists trig_lock_check;
alter table wedsql.trig add constraint trig_lock_check check (length(lock) between 1 and 200);
-- Whether a trigger of the flow excludes others (mutex, lock).
alter table wedsql.flow add column if not exists exclusive boolean not null default false;
-- The lock that a job needs, as it was named when the job was fired: /name, or flow:name.
alter table wedsql.job_pool add column if not exists lock text;
create index if not exists job_pool_lock on wedsql.job_pool (lock, id) where lock is not null;
