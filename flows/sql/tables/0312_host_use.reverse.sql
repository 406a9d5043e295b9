-- Lost is on which hosts jobs run at the moment.
drop table if exists wedsql.host_use;
