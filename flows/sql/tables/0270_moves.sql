-- Instances that move between installations. This installation: its identity, and the pair of keys by which
-- it signs.
create table if not exists wedsql.installation (
  one boolean primary key default true check (one),
  id uuid not null,
  name text not null check (length(name) between 1 and 100),
  public_key bytea not null check (length(public_key) = 32),
  private_key bytea not null check (length(private_key) = 32),
  created_at timestamptz not null
);

-- Other installations. url: where packages are sent by HTTP; null: only by files. flows: of which instances
-- are received from it; * is all.
create table if not exists wedsql.move_peer (
  id uuid primary key,
  name text not null unique check (length(name) between 1 and 100),
  public_key bytea not null check (length(public_key) = 32),
  url text check (length(url) between 1 and 500),
  flows text[] not null default '{}' check (cardinality(flows) <= 200),
  enabled boolean not null default true,
  changed_by text not null,
  changed_at timestamptz not null
);

-- An instance that was ever elsewhere. origin, origin_wid: where it was started, and its number there;
-- counter: how often it was handed over; peer_id, since: where it is while it is away. stays: at which
-- installation its steps were made, as [{"from": first step, "at": installation, "name": its name}].
-- attributes: the numbers of the attributes when it was handed over, by name.
create table if not exists wedsql.moved (
  wid integer primary key,
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  origin uuid not null,
  origin_wid integer not null,
  counter integer not null default 0 check (counter >= 0),
  peer_id uuid,
  since timestamptz,
  stays jsonb not null,
  attributes jsonb,
  check ((peer_id is null) = (since is null)),
  unique (origin, origin_wid)
);
create index if not exists moved_flow on wedsql.moved (flow_id);
create index if not exists moved_away on wedsql.moved (since) where peer_id is not null;

-- The numbers that jobs had here when their instance was handed over, so that they have them again.
create table if not exists wedsql.moved_job (
  wid integer not null references wedsql.moved (wid) on delete cascade,
  tgid integer not null,
  cause_seq integer not null,
  job_id bigint not null,
  primary key (wid, tgid, cause_seq)
);

-- One move of an instance, sent (O) or received (I). state of one that is sent: offered, released (its
-- receiver accepted it, and this installation gave it up), done (it runs there), refused or taken_back (it
-- runs here again). Of one that is received: held (accepted, until the sender releases it), released (it
-- could not be started yet, see problem), arrived, refused, withdrawn. next_at: when the next message is due.
create table if not exists wedsql.move (
  id uuid primary key,
  direction "char" not null check (direction in ('O', 'I')),
  flow text not null,
  wid integer,
  peer_id uuid not null,
  origin uuid not null,
  origin_wid integer not null,
  counter integer not null,
  state text not null check (state in ('offered', 'released', 'done', 'refused', 'taken_back', 'held',
    'arrived', 'withdrawn')),
  document jsonb,
  size integer not null default 0,
  actor text not null,
  reason text not null,
  begun_at timestamptz not null,
  expires_at timestamptz not null,
  settled_at timestamptz,
  sqlstate text,
  problem text,
  detail text,
  resend boolean not null default false,
  attempts integer not null default 0,
  next_at timestamptz,
  last_error text
);
create index if not exists move_listed on wedsql.move (direction, begun_at desc, id);
create index if not exists move_open on wedsql.move (state, expires_at) where state in ('offered', 'released',
  'held');
create index if not exists move_due on wedsql.move (next_at) where next_at is not null;
create index if not exists move_of_instance on wedsql.move (origin, origin_wid, counter);
create index if not exists move_settled on wedsql.move (settled_at) where settled_at is not null;
