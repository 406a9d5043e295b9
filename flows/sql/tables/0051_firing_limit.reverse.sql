-- The tables without the limit; values that were lowered to it stay.
alter table wedsql.flow drop constraint flow_max_firings_check;
alter table wedsql.flow add constraint flow_max_firings_check check (max_firings > 0);
alter table wedsql.trig drop constraint trig_max_firings_check;
alter table wedsql.trig add constraint trig_max_firings_check check (max_firings > 0);
