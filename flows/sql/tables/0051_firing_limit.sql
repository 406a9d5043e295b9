-- How often a rule may fire for one instance has a limit itself: each firing is a row of the history.
update wedsql.flow f set max_firings = 1000000 where f.max_firings > 1000000;
update wedsql.trig t set max_firings = 1000000 where t.max_firings > 1000000;
set constraints all immediate;  -- the triggers of what has just been changed, before the tables are
set constraints all deferred;
alter table wedsql.flow drop constraint if exists flow_max_firings_check;
alter table wedsql.flow add constraint flow_max_firings_check check (max_firings between 1 and 1000000);
alter table wedsql.trig drop constraint if exists trig_max_firings_check;
alter table wedsql.trig add constraint trig_max_firings_check check (max_firings between 1 and 1000000);
