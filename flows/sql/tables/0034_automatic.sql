-- What the kernel adds to each result of a transition, and whether it performs the transition itself, in the
-- commit that fires it.
alter table wedsql.trig add column if not exists sets text;
alter table wedsql.trig add column if not exists performer text not null default 'worker';
alter table wedsql.trig drop constraint if exists trig_performer_check;
alter table wedsql.trig add constraint trig_performer_check check (performer in ('worker', 'database'));
alter table wedsql.trig drop constraint if exists trig_sets_check;
alter table wedsql.trig add constraint trig_sets_check check (btrim(sets) <> '');

-- Whether the flow has triggers that the database performs, or that set values.
alter table wedsql.flow add column if not exists automatic boolean not null default false;
