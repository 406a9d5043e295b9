-- Without mails about cases. Lost is who gets them, and those that were not sent yet.
drop table wedsql.case_digest;
delete from wedsql.delivery d where d.event_id is null and d.hook_id is null;
drop index wedsql.delivery_digest;
alter table wedsql.delivery drop constraint delivery_source;
alter table wedsql.delivery add constraint delivery_source
  check ((event_id is null) = (hook_id is not null) and (hook_id is null) = (message is null));
