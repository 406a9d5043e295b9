-- The role that performs the jobs of a trigger, such as Clerk; '' is none. Only lists of jobs and the
-- creation of worker keys read it.
alter table wedsql.trig add column if not exists role text not null default '';
alter table wedsql.trig drop constraint if exists trig_role_check;
alter table wedsql.trig add constraint trig_role_check
  check (length(role) <= 60 and role = btrim(role) and role !~ '[[:cntrl:]]');
