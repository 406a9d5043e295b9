-- Cases: the work of people on exceptions. A case opens and closes in the commit that makes or ends the
-- exception (flows/capabilities/cases).

-- Where cases go when they open: the first rule of a flow, by position, whose condition holds on the state.
create table if not exists wedsql.case_rule (
  id bigint primary key generated always as identity,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  position integer not null,
  condition text not null default '',      -- an SQL predicate over the attributes; '': always
  compiled text not null,                  -- the predicate as it is evaluated
  reads text[] not null,                   -- the attributes in it
  queue text not null,
  severity text not null,
  priority integer not null,
  due_after interval,                      -- from the opening of a case; null: no due time
  changed_by text not null,
  changed_at timestamptz not null,
  unique (flow_id, position) deferrable initially deferred,
  check (due_after > '0')
);

-- Cases: one for each exception, from the commit that made it to the one that ended it.
create table if not exists wedsql.repair_case (
  number bigint primary key generated always as identity,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  wid integer not null,
  cause text not null,                     -- the reason of the exception, as in wedsql.instance
  transition text not null,                -- the parked transitions, else the one that wrote the last state
  signature text not null default '',      -- of the step signed_seq; '': not computed yet
  signed_seq integer,
  seq integer not null,                    -- the last step of the exception
  state text not null default 'new'
    check (state in ('new', 'claimed', 'waiting', 'reopened', 'applied', 'accepted', 'closed')),
  opened_at timestamptz not null,
  opened_seq integer not null,
  reopened integer not null default 0,
  owner text not null default '',          -- who claimed it last
  lease_until timestamptz,                 -- the end of the claim
  waits_until timestamptz,                 -- not offered to anyone before, while it waits for information
  queue text not null default 'default',
  severity text not null default 'normal' check (severity in ('low', 'normal', 'high', 'critical')),
  priority integer not null default 50 check (priority between 0 and 100),
  due_at timestamptz not null default 'infinity',
  reason_code text not null default '',
  closed_at timestamptz,
  closed_by text not null default '',      -- the step that ended the exception
  check ((state in ('applied', 'accepted', 'closed')) = (closed_at is not null)),
  check ((state = 'claimed') = (lease_until is not null)),
  check ((state = 'waiting') = (waits_until is not null))
);
-- An instance has one open case at most.
create unique index if not exists repair_case_open on wedsql.repair_case (wid) where closed_at is null;
create index if not exists repair_case_instance on wedsql.repair_case (wid, number);
create index if not exists repair_case_urgent on wedsql.repair_case ((- priority), due_at, number)
  where closed_at is null;
create index if not exists repair_case_closed on wedsql.repair_case (flow_id, number)
  where closed_at is not null;
create index if not exists repair_case_group on wedsql.repair_case
  (flow_id, cause, signature, opened_at, number) where closed_at is null;
create index if not exists repair_case_unsigned on wedsql.repair_case (flow_id)
  where signed_seq is distinct from seq;

-- What happened to a case; appended, never changed.
create table if not exists wedsql.case_event (
  id bigint primary key generated always as identity,
  number bigint not null references wedsql.repair_case (number) on delete cascade,
  at timestamptz not null,
  kind text not null,
  actor text not null,
  text text not null default '',
  detail jsonb not null default '{}'
);
create index if not exists case_event_case on wedsql.case_event (number, id);

-- The exceptions that there are already.
with found as (
  insert into wedsql.repair_case (flow_id, wid, cause, transition, seq, opened_at, opened_seq)
  select i.flow_id, i.wid, coalesce(i.reason, 'STUCK'), coalesce(
    (select string_agg(j.trname, ', ' order by j.trname) from wedsql.job_pool j
     where j.wid = i.wid and j.state = 'K'),
    (select t.trw from wedsql.wed_trace t where t.wid = i.wid and left(t.trw, 1) <> '_'
     order by t.seq desc limit 1), '_INIT'), i.seq, i.changed_at, i.seq
  from wedsql.instance i
  where (i.status = 'E' or i.status in ('S', 'X') and exists (
      select from wedsql.job_pool j where j.wid = i.wid and j.tgid = 0))
    and not exists (select from wedsql.repair_case c where c.wid = i.wid and c.closed_at is null)
  order by i.wid
  returning number, opened_at, cause, transition)
insert into wedsql.case_event (number, at, kind, actor, detail)
select f.number, f.opened_at, 'opened', 'kernel',
       jsonb_build_object('cause', f.cause, 'transition', f.transition)
from found f;
