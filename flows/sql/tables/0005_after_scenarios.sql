-- The order of a flow's attributes and triggers, as the definition that was published last has them. Those
-- that it does not name follow in the order of their numbers.
create table if not exists wedsql.item_order (
  flow_id integer primary key references wedsql.flow (id) on delete cascade,
  attributes integer[] not null,
  triggers integer[] not null
);

-- What a publication does to each group of living instances, by trigger, see 50_work/14_choices.sql.
alter table wedsql.publication add column if not exists choices jsonb not null default '{}';

-- Whether conditions may hold that have no job, because the publication chose so.
alter table wedsql.flow_version add column if not exists held_back boolean not null default false;

-- The instances that a version started are listed and counted.
create index if not exists instance_version on wedsql.instance using brin (flow_id, version)
  with (pages_per_range = 16);

-- Options of attributes: which ones people identify an instance by, and which ones a repair may change.
alter table wedsql.attr add column if not exists business_key boolean not null default false;
alter table wedsql.attr add column if not exists repairable boolean not null default true;

-- Whether this transaction is making the flow what a definition says, so that the steps that lead there are
-- not checked or matched by themselves. No other transaction ever sees true.
alter table wedsql.flow add column if not exists applying boolean not null default false;

-- The template and the facts of a revision's summary, from which pages make it in the language of the reader;
-- null where the summary is the text of a person.
alter table wedsql.draft_revision add column if not exists summary_parts jsonb;

-- Findings of checks that are acknowledged. The flow is named, because one that was never published has no
-- row.
create table if not exists wedsql.acknowledgement (
  id bigint primary key generated always as identity,
  flow text not null,
  finding text not null,           -- its check and a fingerprint of the conditions concerned
  rule integer not null,           -- the number of the rule (tgid); 0: none, or it was not published yet
  reason text not null,
  acknowledged_at timestamptz not null,
  acknowledged_by text not null,
  unique (flow, finding, rule)
);

-- The last re-match of each flow that was done in batches (60_publish/07_batches.sql): what the publication
-- chose, and how far it is.
create table if not exists wedsql.rematch_run (
  flow_id integer primary key references wedsql.flow (id) on delete cascade,
  version integer not null,
  publication_id bigint,
  actor text not null,
  reason text not null,
  reopen_final boolean not null,
  choices boolean not null,                -- whether the publication has choices, which the report details
  withdraw integer[] not null,             -- see the type wedsql.chosen
  keep_exceptions boolean not null,
  last_wid integer not null,               -- the last instance that there was at the publication
  position integer not null default 0,     -- every one up to this number was looked at
  skipped integer[] not null default '{}', -- of those, the ones that were locked by another session
  living bigint not null,
  report jsonb not null,
  finished_at timestamptz
) with (fillfactor = 50);

-- In which instances which triggers are held back until the next change, as long as the re-match is on its
-- way.
create table if not exists wedsql.rematch_held (
  flow_id integer not null references wedsql.rematch_run (flow_id) on delete cascade,
  wid integer not null,
  tgid integer not null,
  primary key (flow_id, wid, tgid)
);
