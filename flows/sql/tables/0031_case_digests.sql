-- Mails about cases that people choose (flows/capabilities/cases).
create table if not exists wedsql.case_digest (
  id bigint primary key generated always as identity,
  user_id bigint not null,                 -- the account; deleted with the first mail after its deletion
  flow_id integer references wedsql.flow (id) on delete cascade,  -- null: all that the user sees
  queue text not null default '',          -- '': all
  every text not null check (every in ('day', 'week')),
  language text not null,                  -- of the mails, as Django names it
  since timestamptz not null,              -- cases that opened later are new
  next_at timestamptz not null
);
create unique index if not exists case_digest_of_user
  on wedsql.case_digest (user_id, coalesce(flow_id, 0), queue);
create index if not exists case_digest_next on wedsql.case_digest (next_at);
create index if not exists case_digest_flow on wedsql.case_digest (flow_id);

-- A delivery that belongs to no alert and no webhook is a mail with its text.
alter table wedsql.delivery drop constraint if exists delivery_source;
alter table wedsql.delivery add constraint delivery_source
  check ((event_id is null) = (message is not null) and (event_id is null or hook_id is null)
         and (message is null or hook_id is not null or channel = 'mail'));
create index if not exists delivery_digest on wedsql.delivery (id) where event_id is null and hook_id is null;
