-- The tables without named objects. Lost are conditions and transitions that no trigger uses.
drop table wedsql.named_object;
