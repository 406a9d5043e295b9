-- Who sees the values of an attribute: everyone who sees the flow, or users who may reveal them; to others
-- its name is shown without the value (masked), or nothing (hidden).
alter table wedsql.attr add column if not exists visibility text not null default 'everyone';
alter table wedsql.attr drop constraint if exists attr_visibility_check;
alter table wedsql.attr add constraint attr_visibility_check
  check (visibility in ('everyone', 'masked', 'hidden'));
