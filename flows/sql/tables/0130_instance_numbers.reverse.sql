-- Lost is which numbers are in use; the names of instances stay.
drop table wedsql.instance_number;
