-- Keys with which workers log in (flows/capabilities/keys), and the option by which a flow requires them.
alter table wedsql.flow add column if not exists worker_keys boolean not null default false;

-- A key. It is never deleted: the history names it, and no other may have its name.
create table if not exists wedsql.worker_key (
  id bigint primary key generated always as identity,
  name text not null unique check (name ~ '^[A-Za-z0-9][A-Za-z0-9_.-]*$' and length(name) <= 40),
  created_at timestamptz not null,
  created_by text not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  revoked_by text,
  revoked_for text,
  check ((revoked_at is null) = (revoked_by is null) and (revoked_at is null) = (revoked_for is null))
);

-- The flows of a key; transitions null: all of the flow.
create table if not exists wedsql.worker_key_flow (
  key_id bigint not null references wedsql.worker_key (id),
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  transitions text[] check (transitions <> '{}'),
  primary key (key_id, flow_id)
);
create index if not exists worker_key_of_flow on wedsql.worker_key_flow (flow_id);

-- The secrets of a key: the SHA-256 of each, and until when one that was replaced is accepted.
create table if not exists wedsql.worker_secret (
  id bigint primary key generated always as identity,
  key_id bigint not null references wedsql.worker_key (id),
  digest bytea not null unique check (length(digest) = 32),
  created_at timestamptz not null,
  created_by text not null,
  valid_until timestamptz
);
create index if not exists worker_secret_of_key on wedsql.worker_secret (key_id, id);

-- When a key was last used, to within a minute. A table of its own, so that a worker's transaction, which may
-- last, does not hinder the revocation of its key.
create table if not exists wedsql.worker_key_use (
  key_id bigint primary key references wedsql.worker_key (id),
  used_at timestamptz not null
);

-- Which secret a session has logged in with, and for which transaction (40_engine/04_session.sql).
do $$
declare
  v_name text;
  v_unlogged text := case when current_setting('server_version_num')::integer >= 150000 then 'unlogged' end;
begin
  foreach v_name in array array['login_secret', 'login_at'] loop
    if to_regclass('wedsql.' || v_name) is null then
      execute format('create %s sequence wedsql.%I', v_unlogged, v_name);
    end if;
  end loop;
end $$;
