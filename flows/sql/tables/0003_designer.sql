-- Drafts of definitions, requests to publish them, and who published a version.

-- Whether a definition of this flow is published only after a second person approved it.
alter table wedsql.flow add column if not exists needs_approval boolean not null default false;

-- A definition that is being edited. It names its flow, because a flow that was never published has no row.
create table if not exists wedsql.draft (
  id bigint primary key generated always as identity,
  flow text not null,
  branch text not null,
  base_version integer not null,   -- the version that it changes; 0: the flow was never published
  revision integer not null,       -- grows by one with each save
  shown integer not null,          -- the revision whose content it has, after undo an earlier one
  tip integer not null,            -- the revision that redo leads to
  created_at timestamptz not null,
  created_by text not null,
  changed_at timestamptz not null,
  changed_by text not null,
  unique (flow, branch)
);
-- The published definitions from which a draft was made and with which it was merged.
create table if not exists wedsql.draft_base (
  draft_id bigint not null references wedsql.draft (id) on delete cascade,
  version integer not null,
  definition jsonb not null,
  primary key (draft_id, version)
);
-- Each state of a draft that was saved, for undo, redo and its history.
create table if not exists wedsql.draft_revision (
  draft_id bigint not null references wedsql.draft (id) on delete cascade,
  revision integer not null,
  at timestamptz not null,
  actor text not null,
  summary text not null,
  base_version integer not null,
  parent integer,                  -- the revision that undo returns to
  definition jsonb not null,
  primary key (draft_id, revision)
);

-- A request to publish a definition, and what became of it. It has a copy of the definition: what was
-- approved is what is published, whatever happens to the draft.
create table if not exists wedsql.publication (
  id bigint primary key generated always as identity,
  flow text not null,
  branch text not null,
  revision integer,                -- of the draft; null: an earlier version is published again
  base_version integer not null,
  definition jsonb not null,
  reason text not null,
  reopen_final boolean not null,
  prediction jsonb,
  publish_at timestamptz,          -- null: as soon as it is approved
  status text not null
    check (status in ('requested', 'approved', 'published', 'rejected', 'withdrawn', 'failed')),
  needs_approval boolean not null,
  requested_by text not null,
  requested_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  note text not null default '',
  version integer,
  report jsonb,
  tried_at timestamptz,
  sqlstate text,
  message text
);
create index if not exists publication_flow on wedsql.publication (flow, id);
create index if not exists publication_open on wedsql.publication (id)
  where status in ('requested', 'approved');
create index if not exists publication_due on wedsql.publication (publish_at) where status = 'approved';

-- The request by which a version was published; null: it was published directly, by SQL, a file or a
-- migration.
alter table wedsql.flow_version add column if not exists publication_id bigint,
  add column if not exists approver text not null default '';
