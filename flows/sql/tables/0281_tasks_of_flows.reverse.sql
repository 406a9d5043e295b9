-- No data are lost.
delete from wedsql.task t where not exists (select from wedsql.flow f where f.id = t.flow_id);
alter table wedsql.task drop constraint if exists task_flow_id_fkey;
alter table wedsql.task add constraint task_flow_id_fkey
  foreign key (flow_id) references wedsql.flow (id) on delete cascade;
