-- Looks: who was shown values that are masked or hidden, when, how and why. Rows are only added:
-- wedsql._keep_looks rejects every change, and the kernel removes what is older than two years. They outlive
-- the flow and the instance.
create table if not exists wedsql.look (
  id bigint primary key generated always as identity,
  at timestamptz not null,
  flow_id integer not null,
  flow text not null,                      -- its name then
  wid integer,                             -- null: a list of instances
  attributes text[] not null,
  actor text not null,
  way text not null check (way in ('page', 'file', 'http', 'live', 'command')),
  reason text not null,                    -- '' where the role of the user shows the values without one
  address text not null,                   -- of the page or the file, with its filter
  instances bigint                         -- how many a list or a file had; null: not counted
);
create index if not exists look_flow on wedsql.look (flow_id, id);
create index if not exists look_actor on wedsql.look (flow_id, actor, at);
create index if not exists look_instance on wedsql.look (wid, id) where wid is not null;
create index if not exists look_at on wedsql.look (at);

-- Steps that people caused, by flow: a step that a worker commits has no reason and is not in it.
create index if not exists wed_trace_reason on wedsql.wed_trace (flow_id, tstmp, wid, seq)
  where reason is not null;
