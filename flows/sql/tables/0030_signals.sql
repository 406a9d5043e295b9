-- Signals: events from outside that give a waiting instance a result, or start one.
alter table wedsql.trig add column if not exists signal boolean not null default false;
alter table wedsql.trig add column if not exists keep interval;
alter table wedsql.trig drop constraint if exists trig_keep_check;
alter table wedsql.trig add constraint trig_keep_check check (keep > '0');
alter table wedsql.flow add column if not exists start_by text[];

-- A signal as it was sent. state: K kept until an instance waits for it, D delivered to a job, S it started
-- an instance, X kept for too long, N nothing waited for it. token: the sender's own name of it, so that
-- sending it again has no further effect.
create table if not exists wedsql.signal (
  id bigint primary key generated always as identity,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  name text not null,
  wid integer,
  key text,
  data jsonb not null,
  token text,
  actor text not null,
  sent_at timestamptz not null,
  state "char" not null default 'N' check (state in ('K', 'D', 'S', 'X', 'N')),
  keep_until timestamptz,
  settled_at timestamptz,
  job_id bigint,
  seq integer,
  check (state <> 'K' or keep_until is not null)
);
create unique index if not exists signal_token on wedsql.signal (flow_id, token) where token is not null;
create index if not exists signal_of_flow on wedsql.signal (flow_id, id);
create index if not exists signal_of_instance on wedsql.signal (wid, id) where wid is not null;
create index if not exists signal_kept on wedsql.signal (flow_id, keep_until) where state = 'K';
create index if not exists signal_settled on wedsql.signal (settled_at) where state <> 'K';
