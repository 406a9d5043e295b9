-- Four eyes: which repairs need approvals, the repairs that are proposed, and what was voted on them
-- (approvals).

-- Which repairs of a flow need approvals: the largest number of the rules that match counts.
create table if not exists wedsql.approval_rule (
  id bigint primary key generated always as identity,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  position integer not null,
  title text not null,                     -- what the rule is about, for people
  operations text[] not null,              -- of the repair desk; empty: any
  attributes text[] not null,              -- matched if the repair writes one of them; empty: any repair
  condition text not null,                 -- an SQL predicate over the state after the repair; '': always
  compiled text not null,                  -- the predicate as it is evaluated
  reads text[] not null,                   -- the attributes in it
  bulk_above integer check (bulk_above > 0),  -- only for operations on more instances; null: for any
  approvals smallint not null check (approvals between 0 and 2),
  approvers text not null,                 -- the group whose members approve; '': any approver of the flow
  changed_by text not null,
  changed_at timestamptz not null,
  unique (flow_id, position) deferrable initially deferred
);

-- A repair that waits for approvals, or did.
create table if not exists wedsql.proposal (
  number bigint primary key generated always as identity,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  version integer not null,                -- of the definition with which it was previewed
  wid integer not null,
  case_number bigint references wedsql.repair_case (number) on delete set null,
  operation text not null,
  arguments jsonb not null,
  reason text not null,
  maker text not null,
  expected_seq integer not null,           -- the step on which it is applied
  needed smallint not null check (needed between 1 and 2),
  title text not null,                     -- of the rule because of which it is needed
  approvers text[] not null,               -- the groups; who approves is a member of each
  state text not null default 'proposed'   -- approved: by the first of two persons
    check (state in ('proposed', 'approved', 'applied', 'rejected', 'withdrawn', 'expired', 'failed')),
  proposed_at timestamptz not null,
  expires_at timestamptz not null,
  closed_at timestamptz,
  sqlstate text,                           -- why it could not be applied
  message text,
  hint text,
  detail text,
  check ((state in ('proposed', 'approved')) = (closed_at is null)),
  check ((state = 'failed') = (message is not null))
);
-- An instance has one open proposal at most.
create unique index if not exists proposal_open on wedsql.proposal (wid) where closed_at is null;
create index if not exists proposal_instance on wedsql.proposal (wid, number);
create index if not exists proposal_flow on wedsql.proposal (flow_id, number);
create index if not exists proposal_case on wedsql.proposal (case_number);

-- What people decided; appended, never changed.
create table if not exists wedsql.proposal_vote (
  id bigint primary key generated always as identity,
  proposal bigint not null references wedsql.proposal (number) on delete cascade,
  kind text not null check (kind in ('approved', 'rejected')),
  voter text not null,
  on_behalf text[] not null,               -- who had delegated approving to the voter
  groups text[] not null,                  -- of the voter, as far as a rule names them
  note text not null,
  at timestamptz not null
);
create index if not exists proposal_vote_proposal on wedsql.proposal_vote (proposal, id);

-- The persons for whom a proposal was made or approved, each once: the maker approves nothing, and a second
-- approval is of neither the first approver nor of one for whom the first approved.
create table if not exists wedsql.proposal_person (
  proposal bigint not null references wedsql.proposal (number) on delete cascade,
  person text not null,                    -- without case and spaces
  primary key (proposal, person)
);

-- Who approves repairs of a flow for another person for a time.
create table if not exists wedsql.delegation (
  id bigint primary key generated always as identity,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  from_person text not null,
  to_person text not null,
  begins_at timestamptz not null,
  ends_at timestamptz not null,
  made_by text not null,
  made_at timestamptz not null,
  check (begins_at <= ends_at)
);
create index if not exists delegation_flow on wedsql.delegation (flow_id, ends_at);

-- The repairs that are being applied with their approvals, or previewed. A row is deleted or rolled back by
-- the transaction that has written it, so no other sees it; only the kernel writes it.
create table if not exists wedsql.applying (
  wid integer primary key,
  operation text not null,
  approvals smallint not null,             -- what it has
  groups text[],                           -- whose members approved; null: a preview, which needs none
  needed smallint not null default 0,      -- what the rules ask for
  title text not null default '',
  needed_groups text[] not null default '{}'
);
