-- Whether a trigger is an integrity condition: it fires nothing, and its condition has to hold in each state
-- that is committed ('always') or in each final state ('final'). Null for every other trigger.
alter table wedsql.trig add column if not exists integrity text
  check (integrity in ('always', 'final'));

-- Whether the flow has enabled integrity conditions.
alter table wedsql.flow add column if not exists guarded boolean not null default false;
