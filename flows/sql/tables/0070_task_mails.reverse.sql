-- The tables with mails about cases only. Lost is who has chosen mails about tasks.
drop index wedsql.message_mail;
alter table wedsql.message drop column mail;
delete from wedsql.case_digest where about <> 'cases';
drop index wedsql.case_digest_messages;
drop index wedsql.case_digest_of_user;
alter table wedsql.case_digest drop constraint case_digest_every_check;
alter table wedsql.case_digest add constraint case_digest_every_check check (every in ('day', 'week'));
alter table wedsql.case_digest drop column about, drop column person;
create unique index case_digest_of_user on wedsql.case_digest (user_id, coalesce(flow_id, 0), queue);
