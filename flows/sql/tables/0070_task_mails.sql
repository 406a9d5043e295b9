-- Mails about tasks, by the mechanism of those about cases: a digest of a person's tasks every day or week,
-- and messages as they come (every = 'now', which is never due by its time). person: the name of the user,
-- whom messages name.
alter table wedsql.case_digest add column if not exists about text not null default 'cases';
alter table wedsql.case_digest add column if not exists person text not null default '';
alter table wedsql.case_digest drop constraint if exists case_digest_about_check;
alter table wedsql.case_digest add constraint case_digest_about_check
  check (about in ('cases', 'tasks', 'messages'));
alter table wedsql.case_digest drop constraint if exists case_digest_every_check;
alter table wedsql.case_digest add constraint case_digest_every_check
  check (every in ('day', 'week', 'now') and (every = 'now') = (about = 'messages'));
drop index if exists wedsql.case_digest_of_user;
create unique index case_digest_of_user on wedsql.case_digest (user_id, about, coalesce(flow_id, 0), queue);
create index if not exists case_digest_messages on wedsql.case_digest (person) where about = 'messages';

-- Whether a message is still to be sent as a mail.
alter table wedsql.message add column if not exists mail boolean not null default false;
create index if not exists message_mail on wedsql.message (person, id) where mail;
