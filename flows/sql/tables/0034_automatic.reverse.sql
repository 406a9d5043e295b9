-- Transitions that the kernel performed are offered to workers, and nothing is added to results.
alter table wedsql.trig drop column sets;
alter table wedsql.trig drop column performer;
alter table wedsql.flow drop column automatic;
