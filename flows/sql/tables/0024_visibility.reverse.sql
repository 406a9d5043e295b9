-- Everyone who sees a flow sees all its values. Lost is which attributes were masked or hidden.
alter table wedsql.attr drop column visibility;
