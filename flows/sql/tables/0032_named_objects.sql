-- Conditions and transitions that have a name of their own, as WSQL defines them: also without a trigger, and
-- for many triggers. Triggers keep the predicate and the timeout themselves; what they have counts.
create table if not exists wedsql.named_object (
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  kind text not null check (kind in ('condition', 'transition')),
  name text not null,
  content jsonb not null,                  -- {"predicate": ...} or {"timeout": ...}
  changed_by text not null,
  changed_at timestamptz not null,
  primary key (flow_id, kind, name)
);
