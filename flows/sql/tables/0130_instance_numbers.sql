-- The numbers in the names of the instances of a flow. prefix: what is before the number; wid: the instance,
-- 0 in the transaction that starts it. A row whose instance has ended is used again.
create table if not exists wedsql.instance_number (
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  prefix text not null,
  number integer not null check (number > 0),
  wid integer not null default 0,
  primary key (flow_id, prefix, number)
);
